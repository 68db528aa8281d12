public import Foundation
import RosterStore
import RosterText

/// A person in the directory, as they were when they were read.
///
/// Mirrors `OMUser`. What has been fetched is at hand; ``manager()``, ``reportees(attributes:page:)`` and
/// ``attribute(_:)`` go to the directory, as the caller whose view fetched the user, for what has not.
public struct User: Sendable {
    /// The permanent identifier.
    public let id: UserID
    /// The unique name (`OMUser uid`).
    public let uid: String
    /// False while the account is disabled.
    public let isActive: Bool
    /// The manager's identifier, or nil at the top.
    public let managerID: UserID?
    /// Counts the changes; give it back as `ifVersion` so that nobody's change is lost.
    public let version: Int64
    /// When the user was created, to the millisecond.
    public let created: Date
    /// When the user was last changed, to the millisecond.
    public let modified: Date
    /// The attributes that were fetched.
    public package(set) var attributes: AttributeSet

    /// The names of the roles, where `memberOf` was among the attributes asked for.
    var roleNames: [String]?
    /// The manager and the reportees where they were fetched along; see ``Prefetch``.
    var prefetchedManager: [User]?
    var prefetchedReportees: [User]?
    /// Who asked, for what is fetched later.
    let view: DirectoryView

    /// Decodes a row of ``UserStatements/columns``.
    ///
    /// - Parameter isListed: Whether it is one of many: then attributes are decoded when they are asked for.
    @inline(__always)
    init(_ row: borrowing Row, view: DirectoryView, isListed: Bool = false) throws {
        id = UserID(rawValue: row.integer(0))
        uid = row.text(1)
        isActive = row.boolean(2)
        managerID = row.optionalInteger(3).map { UserID(rawValue: $0) }
        version = row.integer(4)
        created = Date(milliseconds: row.integer(5))
        modified = Date(milliseconds: row.integer(6))
        attributes = try row.bytes(7) { isListed ? AttributeSet(StoredRecord($0)) : try AttributeSet(json: $0) }
        self.view = view
    }

    /// The value of an attribute that was fetched, also of views such as `mail`, of `uid`, `id` and `active`, and of
    /// `memberOf`, the names of the roles that the user is a direct member of; nil where it has none or was not fetched
    /// (`OMEntity valueForAttribute:`).
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
        default: attributes.value(of: name)
        }
    }

    /// `OMUser firstName`.
    public var firstName: String? { self["givenName"]?.text }
    /// `OMUser lastName`.
    public var lastName: String? { self["familyName"]?.text }
    /// `OMUser displayName`.
    public var displayName: String? { self["displayName"]?.text }
    /// The full name as it is written (`commonname` of the profile service).
    public var commonName: String? { self["commonName"]?.text }
    /// `OMUser description`.
    public var description: String? { self["description"]?.text }
    /// The primary, or else the first, e-mail address (`OMUser mail`).
    public var mail: String? { self["mail"]?.text }
    /// `OMUser mobile`.
    public var mobile: String? { self["mobile"]?.text }
    /// `OMUser telephoneNumber`.
    public var telephoneNumber: String? { self["telephoneNumber"]?.text }
    /// `OMUser postalAddress`.
    public var postalAddress: String? { self["postalAddress"]?.text }
    /// `OMUser title`.
    public var title: String? { self["title"]?.text }
    /// `OMUser country`.
    public var country: String? { self["country"]?.text }
    /// The photo's bytes, where they were asked for (`OMUser photo`).
    public var photo: Data? {
        if case .binary(let data)? = attributes["photo"] { return data }
        return nil
    }
    /// Where the profile service has this user, relative to its base (`OMUser uri`).
    public var uri: String { "/people/" + PercentEncoding.segment(uid) }
    /// Where the profile service has this user's manager, or nil at the top (`OMUser managerURI`).
    public var managerURI: String? { managerID == nil ? nil : uri + "/manager" }
    /// The reportees, where they were fetched along (`OMUser reports`).
    public var reports: [User]? { prefetchedReportees }
    /// What people call this person: the display name, else the full name, else first and last name, else the uid.
    public var label: String {
        // None of these is a view of another attribute, and lists ask for the label of every user.
        attributes["displayName"]?.text ?? attributes["commonName"]?.text
            ?? [firstName, lastName].compactMap { $0 }.joined(separator: " ").nonEmpty ?? uid
    }
}

extension String {
    fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}

extension User: Equatable {
    /// Compares what was fetched, not who fetched it.
    public static func == (left: User, right: User) -> Bool {
        left.id == right.id && left.uid == right.uid && left.isActive == right.isActive
            && left.managerID == right.managerID && left.version == right.version && left.created == right.created
            && left.modified == right.modified && left.attributes == right.attributes
            && left.roleNames == right.roleNames
    }
}

/// Says which user is meant.
public enum UserReference: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The one of that name.
    case named(String)
    /// The one with that identifier.
    case id(UserID)
    /// The one with that identifier, or else of that name: nobody takes another one's place by a name.
    case either(String)

    /// The one of that name.
    public init(stringLiteral value: String) { self = .named(value) }
    /// As it stands in messages.
    public var description: String {
        switch self {
        case .named(let name), .either(let name): EntityName.shown(name)
        case .id(let id): id.description
        }
    }
}

/// What is fetched along with a user (`shouldPreFetch`).
public struct Prefetch: OptionSet, Sendable, Hashable {
    /// The options as bits.
    public let rawValue: Int
    /// Makes options of bits.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// The manager.
    public static let manager = Prefetch(rawValue: 1)
    /// The direct reportees, at most ``DirectoryLimits/maximumPageSize``.
    public static let reportees = Prefetch(rawValue: 2)
}
