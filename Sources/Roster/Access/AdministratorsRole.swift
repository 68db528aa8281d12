import RosterStore

extension Transaction {
    /// The administrators' role, which is made where there is none yet.
    package func administratorsRole() throws -> Role {
        try checkPresentAdministrator(to: "appoint administrators")
        if let id = try connection.first(AccessStatements.administrators, [], { $0.optionalInteger(0) }) ?? nil {
            return try role(.id(RoleID(rawValue: id)))
        }
        // A role of that name may have come from elsewhere and mean something else: its members get no rights by it.
        let isTaken = try connection.first(RoleStatements.byName, text: "administrators") { _ in true } == true
        let role = try createRole(
            isTaken ? "directory administrators" : "administrators",
            ["description": "May do everything in this directory."])
        try connection.run(AccessStatements.setAdministrators, [.integer(role.id.rawValue)])
        return role
    }
}
