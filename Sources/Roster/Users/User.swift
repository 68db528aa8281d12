public import Foundation
import RosterStore
import RosterText

/// A user as of the moment it was read.
///
/// Mirrors Oracle Mobile and Social SDK's `OMUser`. Fetched values are available at once. `manager()`,
/// `reportees(attributes:)` and `attribute(_:)` query the directory for values that were not fetched, with the
/// rights of the caller who fetched the user.
public struct User: Sendable, Identifiable {
    /// The permanent identifier.
    public let id: UserID
    /// The unique name (`OMUser uid`).
    public let uid: String
    /// Whether the account is enabled.
    public let isActive: Bool
    /// The manager's identifier; nil at the top.
    public internal(set) var managerID: UserID?
    /// The number of changes to the user. Pass it as `ifVersion` to detect concurrent changes.
    public let version: Int64
    /// The time of creation, to the millisecond.
    public let created: Date
    /// The time of the last change, to the millisecond.
    public let modified: Date
    /// The fetched attributes.
    public package(set) var attributes: AttributeSet

    /// The attributes that the caller asked for.
    var requested = AttributeSelection.usual
    /// The names of the user's roles; nil unless `memberOf` was requested.
    var roleNames: [String]?
    /// The prefetched manager and reportees; see ``Prefetch``.
    var prefetchedManager: [User]?
    var prefetchedReportees: [User]?
    /// The view that fetched the user. Later fetches use its caller's rights.
    var view: DirectoryView

    init(
        id: UserID, uid: String, isActive: Bool, managerID: UserID?, version: Int64, created: Date, modified: Date,
        attributes: AttributeSet, view: DirectoryView
    ) {
        (self.id, self.uid, self.isActive, self.managerID) = (id, uid, isActive, managerID)
        (self.version, self.created, self.modified) = (version, created, modified)
        (self.attributes, self.view) = (attributes, view)
    }

    /// Decodes a row of ``UserStatements/columns``.
    ///
    /// - Parameter isListed: Whether the row is one of many. Its attributes are then decoded on first access.
    @inline(__always)
    init(_ row: borrowing Row, view: DirectoryView, isListed: Bool = false) throws {
        id = UserID(rawValue: row.integer(0))
        uid = row.text(1)
        isActive = row.boolean(2)
        managerID = row.optionalInteger(3).map { UserID(rawValue: $0) }
        version = row.integer(4)
        created = Date(milliseconds: row.integer(5))
        modified = Date(milliseconds: row.integer(6))
        attributes = try row.bytes(7) { isListed ? AttributeSet(StoredRecord($0)) : try AttributeSet(stored: $0) }
        self.view = view
    }

    /// The fetched value of an attribute; nil if the attribute has none or was not fetched (`OMEntity
    /// valueForAttribute:`). Views such as `mail` work as well, and so do `uid`, `id`, `active` and `memberOf`, the
    /// names of the roles that the user is a direct member of, and `uri`, `managerURI` and `reports`, the names of the prefetched
    /// reportees.
    public subscript(name: AttributeName) -> AttributeValue? {
        switch name.rawValue {
        case "id": .string(id.description)
        case "uid": .string(uid)
        case "active": .boolean(isActive)
        case "manager": managerID.map { .string($0.description) }
        case "memberOf": roleNames.flatMap { $0.isEmpty ? nil : .list($0.map { .string($0) }) }
        case "version": .integer(version)
        case "created": .time(created)
        case "modified": .time(modified)
        case "uri" where !isDeclared(name): .string(uri)
        case "managerURI" where !isDeclared(name): managerURI.map { .string($0) }
        case "reports" where !isDeclared(name):
            prefetchedReportees.flatMap { $0.isEmpty ? nil : .list($0.map { .string($0.uid) }) }
        default: attributes[name] ?? view.vocabulary.otherName(of: name, for: .user).flatMap { self[$0] }
        }
    }

    /// Tells whether the app has declared an attribute with this name. A declared attribute takes precedence over the property of `User`
    /// with the same name.
    private func isDeclared(_ name: AttributeName) -> Bool { view.vocabulary.definition(of: name) != nil }

    /// Whether the caller asked for an attribute when the user was read. A fetched attribute without a value has none, or
    /// has none that the caller may read; `attribute(_:)` reads the value of one that was not fetched.
    public func isFetched(_ name: AttributeName) -> Bool { requested.includes(name, of: .user, view.vocabulary) }

    /// The user's path in the profile service, relative to its base (`OMUser uri`). It has the identifier in the name's place
    /// if a path cannot carry the name.
    public var uri: String { "/people/" + EntityName.segment(uid, id.description) }
    /// The path of the user's manager in the profile service; nil at the top (`OMUser managerURI`).
    public var managerURI: String? { managerID == nil ? nil : uri + "/manager" }
    /// The prefetched reportees; nil if they were not prefetched (`OMUser reports`).
    public var reports: [User]? { prefetchedReportees }
    /// The name to display: the display name, else the full name, else first and last name, else the uid.
    public var label: String {
        // None of these attributes is a view, so that lists can read the label of every user cheaply.
        attributes["displayName"]?.text ?? attributes["commonName"]?.text
            ?? [givenName, familyName].compactMap { $0 }.joined(separator: " ").nonEmpty ?? uid
    }
}

extension String {
    fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}

extension User: Hashable {
    /// Compares the fetched values and ignores the view that fetched them.
    public static func == (left: User, right: User) -> Bool {
        left.id == right.id && left.uid == right.uid && left.isActive == right.isActive
            && left.managerID == right.managerID && left.version == right.version && left.created == right.created
            && left.modified == right.modified && left.attributes == right.attributes
            && left.roleNames == right.roleNames && left.prefetchedManager == right.prefetchedManager
            && left.prefetchedReportees == right.prefetchedReportees
    }
    /// Hashes the identifier and the version.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        hasher.combine(version)
    }
}

extension User: CustomDebugStringConvertible, CustomReflectable {
    /// The name and the identifier. Printing a user shows no other data.
    public var debugDescription: String { "\(uid) (\(id))" }
    /// A mirror with the name and the identifier only, so that `dump` shows no other data.
    public var customMirror: Mirror { Mirror(self, children: ["id": id.description, "uid": uid]) }
}

/// The related users to fetch with a user (`shouldPreFetch`).
public struct Prefetch: OptionSet, Sendable, Hashable, Codable {
    /// The option bits.
    public let rawValue: Int
    /// Makes options from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// The manager.
    public static let manager = Prefetch(rawValue: 1)
    /// Up to ``DirectoryLimits/maximumPageSize`` direct reportees.
    public static let reportees = Prefetch(rawValue: 2)
}
