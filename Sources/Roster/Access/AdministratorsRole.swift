import RosterStore

extension TransactionRoles {
    /// Finds the administrators' role, or creates it.
    package func administratorsRole() throws -> Role {
        try transaction.access.checkPresentAdministrator(to: "appoint administrators")
        if let id = try transaction.connection.first(AccessStatements.administrators, [], { $0.optionalInteger(0) })
            ?? nil
        {
            return try role(.id(RoleID(rawValue: id)))
        }
        // An imported role can have this name with another meaning. Its members must not become administrators.
        let isTaken =
            try transaction.connection.first(RoleStatements.byName, text: "administrators") { _ in true } == true
        let role = try create(
            isTaken ? "directory administrators" : "administrators",
            ["description": "May do everything in this directory."])
        try transaction.connection.run(AccessStatements.setAdministrators, [.integer(role.id.rawValue)])
        return role
    }
}
