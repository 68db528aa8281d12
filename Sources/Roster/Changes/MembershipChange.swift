public import Foundation
import RosterStore
import RosterText

/// A change of the roles of a user, as the change feed has it.
public struct MembershipChange: Sendable, Hashable, Codable {
    /// The kind of change. Files contain the numbers.
    public enum Kind: Int64, Sendable, Hashable, Codable {
        /// The user became a direct member.
        case joined = 1
        /// The user is no direct member any more.
        case left = 2
        /// The user became an owner.
        case becameOwner = 3
        /// The user is no owner any more.
        case ceasedToBeOwner = 4

        /// The kind of a change in one of the links of roles with users; nil for links between roles.
        init?(_ link: RoleLink, came: Bool) {
            switch link {
            case .memberUser: self = came ? .joined : .left
            case .ownerUser: self = came ? .becameOwner : .ceasedToBeOwner
            case .memberRole, .ownerRole: return nil
            }
        }
    }

    /// The number of the entry in the change feed.
    public let sequence: Int64
    /// The kind of change.
    public let kind: Kind
    /// The time of the change, to the millisecond.
    public let time: Date
    /// The actor, in the form of ``Caller/description``; empty for callers who are not administrators unless they are the actor.
    public let actor: String
    /// The identifier of the role.
    public let role: RoleID
    /// The name of the role; nil if the role was deleted, for callers who are not administrators.
    public let roleName: String?
    /// The display name of the role, if there is one and the caller may read it.
    public let displayName: String?
    /// Whether the change was the deletion of the role.
    public let isOfDeletion: Bool
    /// Whether the role still exists.
    public let isRoleThere: Bool

    /// Where a page of changes ends.
    package struct Position: Sendable, Hashable, Codable, LosslessStringConvertible {
        let sequence: Int64
        let kind: Int64

        init(sequence: Int64, kind: Int64) { (self.sequence, self.kind) = (sequence, kind) }

        package init?(_ description: String) {
            let numbers = description.split(separator: ".", omittingEmptySubsequences: false).map { Int64($0) }
            guard numbers.count == 2, let sequence = numbers[0], let kind = numbers[1] else { return nil }
            self.init(sequence: sequence, kind: kind)
        }

        package var description: String { "\(sequence).\(kind)" }
    }

    package var position: Position { Position(sequence: sequence, kind: kind.rawValue) }
}

extension ChangeFeed {
    /// Lists the changes by which a user became, or ceased to be, a direct member or an owner of a role, newest first.
    ///
    /// The list lacks changes that were removed from the feed.
    ///
    /// - Parameters:
    ///   - user: The user. Administrators read the changes of everybody, and other users read their own.
    ///   - last: The last change of the previous page; nil for the first page.
    ///   - limit: The largest number of changes to return, 1 to 10,000. A shorter result has reached the end.
    /// - Throws: ``DirectoryError`` `notFound`, `notPermitted`, `invalidPage`.
    public func memberships(
        of user: some UserReferenceConvertible, before last: MembershipChange? = nil, limit: Int = 100
    ) throws -> [MembershipChange] {
        try view.read(ReadMembershipChanges(user: user.userReference, before: last?.position, limit: limit))
    }

    /// Lists the changes of a user's roles, as the synchronous form does.
    public func memberships(
        of user: some UserReferenceConvertible, before last: MembershipChange? = nil, limit: Int = 100
    ) async throws -> [MembershipChange] {
        try await view.read(ReadMembershipChanges(user: user.userReference, before: last?.position, limit: limit))
    }
}

extension TransactionFeed {
    /// Notes which users came to a role or left it in the last entry.
    func noteMembers(_ ids: [Int64], _ link: RoleLink, came: Bool) throws {
        guard !ids.isEmpty, let kind = MembershipChange.Kind(link, came: came) else { return }
        try MembershipChange.note(ids, kind, in: nil, on: transaction.connection)
    }

    /// The changes of the roles of a user, newest first. Cost: some microseconds for each.
    ///
    /// - Throws: `notFound`, `invalidPage` for a limit out of 1 to 10,000, `notPermitted` for everybody but the user and administrators.
    package func membershipChanges(
        of user: UserReference, before position: MembershipChange.Position?, limit: Int
    ) throws -> [MembershipChange] {
        try transaction.lines.checkPage(limit)
        let id = try transaction.users.id(of: user)
        if transaction.rights.person != id { try transaction.checkAdministrator(to: "read the history of others") }
        let isAdministrator = transaction.rights.seesAllChanges
        let (vocabulary, group) = (transaction.vocabulary, transaction.rights.readersOfRoles)
        return try transaction.connection.all(
            MembershipStatements.ofUser,
            [
                .integer(id.rawValue), .integer(position?.sequence ?? .max), .integer(position?.kind ?? .max),
                .integer(Int64(limit)),
            ]
        ) { row in
            guard let kind = MembershipChange.Kind(rawValue: row.integer(1)) else {
                throw DirectoryError(.damaged, "A change of roles cannot be read.", advice: "Restore a backup.")
            }
            let actor = row.text(3)
            let display = row.isNull(8) ? nil : try row.bytes(8) { try AttributeSet(stored: $0) }["displayName"]?.text
            return MembershipChange(
                sequence: row.integer(0), kind: kind, time: Date(milliseconds: row.integer(2)),
                actor: isAdministrator || actor == transaction.shared.caller.description ? actor : "",
                role: RoleID(rawValue: row.integer(4)),
                roleName: row.optionalText(7) ?? (isAdministrator ? row.text(5) : nil),
                displayName: vocabulary.shows("displayName", for: .role, to: group) ? display : nil,
                isOfDeletion: row.integer(6) == Change.Kind.deleted.rawValue, isRoleThere: !row.isNull(7))
        }
    }
}

extension MembershipChange {
    fileprivate static func note(
        _ ids: [Int64], _ kind: Kind, in sequence: Int64?, on connection: Connection
    ) throws {
        try connection.run(
            MembershipStatements.add, [connection.array(ids), .integer(kind.rawValue), .integer(sequence)])
    }

    /// Notes the users of all entries, which an earlier version has not noted.
    static func noteAll(on connection: Connection) throws {
        var last: Int64 = 0
        while true {
            let rows = try connection.all(MembershipStatements.entriesAboutRoles, [.integer(last)]) {
                (sequence: $0.integer(0), before: $0.optionalText(1), after: $0.optionalText(2))
            }
            for row in rows {
                for (text, came) in [(row.before, false), (row.after, true)] {
                    guard let text, let values = try? AttributeSet(stored: text) else { continue }
                    for link in RoleLink.allCases {
                        guard let kind = Kind(link, came: came) else { continue }
                        let ids = (values[link.historyName]?.elements ?? []).compactMap {
                            $0.text.flatMap { UserID($0)?.rawValue }
                        }
                        if !ids.isEmpty { try note(ids, kind, in: row.sequence, on: connection) }
                    }
                }
            }
            guard let end = rows.last else { return }
            last = end.sequence
        }
    }
}
