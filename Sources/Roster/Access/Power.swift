import RosterStore
import RosterText

/// The right of a role's members, direct or through nested roles, to act on the accounts of others.
///
/// The administrators' power is above the other two, which are equal. Nobody but administrators can act on the account of
/// somebody who has a power, or change a role that gives one.
public enum Power: String, Sendable, Hashable, Codable, CaseIterable {
    /// Helping users without a power to sign in again: setting their passwords, removing their second factors, and ending
    /// their sessions and the grants of their apps.
    case helpDesk = "help-desk"
    /// Creating users, and reading, changing and deleting users without a power: all attributes that administrators write,
    /// except passwords.
    case peopleEditor = "people-editor"
    /// Doing everything. Only the administrators' role gives this power, and that role gives no other.
    case administrator
}

extension Power: WireValue {}

extension TransactionAccess {
    /// The power that a role gives to its members by itself; nil if it gives none.
    func power(of role: RoleReference) throws -> Power? {
        try transaction.rights.checkAdministrator(to: "read the powers of roles")
        return try power(of: transaction.roles.stored(role).id)
    }

    func power(of role: RoleID) throws -> Power? {
        try transaction.connection.first(AccessStatements.powerOfRole, [.integer(role.rawValue)]) {
            Power(rawValue: $0.text(0))
        }
            ?? nil
    }
}
