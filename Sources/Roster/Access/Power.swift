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

    private func power(of role: RoleID) throws -> Power? {
        try transaction.connection.first(AccessStatements.powerOfRole, [.integer(role.rawValue)]) {
            Power(rawValue: $0.text(0))
        }
            ?? nil
    }

    /// Sets the power that a role gives to its members.
    func setPower(_ power: Power?, of reference: RoleReference) throws -> Role {
        try checkPresentAdministrator(to: "set the powers of roles")
        let role = try transaction.roles.stored(reference)
        let old = try self.power(of: role.id)
        guard old != .administrator, power != .administrator else {
            throw DirectoryError(
                .invalidInput, "The administrators' role keeps its power, and no other role can have that power.",
                advice: "Add members to the administrators' role, or remove some.")
        }
        guard power != old else { return try transaction.roles.role(.id(role.id)) }
        let id = Binding.integer(role.id.rawValue)
        if let power {
            try transaction.connection.run(AccessStatements.setPower, [id, .text(power.rawValue)])
        } else {
            try transaction.connection.run(AccessStatements.clearPower, [id])
        }
        let time = transaction.now(notBefore: role.modified)
        try transaction.connection.run(RoleStatements.touch, [id, .integer(time.milliseconds)])
        func shown(_ power: Power?) -> AttributeSet { power.map { ["power": .string($0.rawValue)] } ?? [:] }
        try transaction.feed.record(
            .modified, .role, id: role.id.rawValue, name: role.name, before: shown(old), after: shown(power), at: time)
        return try transaction.roles.role(.id(role.id))
    }
}
