import Roster
import RosterAdministration
import RosterText

let roleChangesCommand = Command(
    "user role-changes", "Shows the roles that a user came to and left, as a direct member or owner, in order.", "NAME",
    [.init("last", "N", "show the latest N changes (default 100)"), Command.format], example: "ada"
) { arguments in
    try arguments.expectOperands(atMost: 1)
    let name = try arguments.operand(0, "The user's name")
    let count = try arguments.number("last", least: 1) ?? 100
    var output = try Output(
        arguments, columns: ["sequence", "time", "actor", "kind", "relation", "role", "role_id", "role_deleted"])
    let administration = try await arguments.administration()
    let changes = try await administration.elements("elements", count) {
        try await administration.run(ListRoleChanges(of: .either(name), count: $0, before: $1))
    }
    for change in changes.reversed() {
        output.add([
            change["sequence"].flatMap { AttributeValue($0) }, change.moment("time"),
            change.shown("actor_name") ?? change.shown("actor"), change.shown("kind"), change.shown("relation"),
            change.shown("role_name"), change.shown("role"), change["role_deleted"] == true ? true : nil,
        ])
    }
    try output.show()
    if changes.isEmpty, output.format == .table {
        Terminal.note("The change feed has no change of the roles of \(Terminal.safe(name)).")
    }
}
