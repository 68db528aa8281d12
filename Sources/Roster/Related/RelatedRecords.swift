/// The roles, managers and other records that belong to the users or the roles of a list. One statement reads them for the whole list,
/// because a statement for each user or role takes a PostgreSQL server several times as long.
package struct RelatedRecords: Sendable {
    package typealias Membership = (role: Role, isDirect: Bool)

    var memberships: [UserID: [Membership]] = [:]
    var labels: [UserID: String] = [:]
    var externalIDs: [Int64: String] = [:]
    var memberRoles: [RoleID: [Role]] = [:]
    var memberUsers: [RoleID: [User]] = [:]
    /// The number of users of each role that were read at most.
    package internal(set) var mostUsers = 0

    /// The roles that a user is a member of.
    package func memberships(of user: UserID) -> [Membership] { memberships[user] ?? [] }
    /// The name to display for a manager; nil if there is no such user.
    package func label(of manager: UserID) -> String? { labels[manager] }
    /// The calling client's identifier for a user.
    package func externalID(of user: UserID) -> String? { externalIDs[user.rawValue] }
    /// The calling client's identifier for a role.
    package func externalID(of role: RoleID) -> String? { externalIDs[role.rawValue] }
    /// The roles that are direct members of a role.
    package func roles(in role: RoleID) -> [Role] { memberRoles[role] ?? [] }
    /// The first ``mostUsers`` users who are direct members of a role.
    package func users(in role: RoleID) -> [User] { memberUsers[role] ?? [] }
}
