import RosterStore
import RosterText

/// Sets the powers that the roles of a transaction give.
package struct AdministratorPowers {
    let administrator: PresentAdministrator
    private var transaction: Transaction { administrator.transaction }

    /// Sets the power that a role gives to its members.
    func set(_ power: Power?, of reference: RoleReference) throws -> Role {
        let role = try transaction.roles.stored(reference)
        let old = try transaction.access.power(of: role.id)
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

    /// Finds the administrators' role, or creates it.
    package func administratorsRole() throws -> Role {
        if let id = try transaction.connection.first(AccessStatements.administrators, [], { $0.optionalInteger(0) })
            ?? nil
        {
            return try transaction.roles.role(.id(RoleID(rawValue: id)))
        }
        // An imported role can have this name with another meaning. Its members must not become administrators.
        let isTaken =
            try transaction.connection.first(RoleStatements.byName, text: "administrators") { _ in true } == true
        let role = try transaction.asProvisioning(to: "appoint administrators").roles.create(
            isTaken ? "directory administrators" : "administrators",
            ["description": "May do everything in this directory."])
        try transaction.connection.run(AccessStatements.setAdministrators, [.integer(role.id.rawValue)])
        return role
    }
}
