import Foundation
import Roster

private func command(
    _ name: String, _ summary: String, _ operands: String, _ options: [Command.Option] = [], changes: Bool = false,
    example: String, run: @escaping @Sendable (Arguments) async throws -> Void
) -> Command {
    Command(
        name: "role " + name, summary: summary, operands: operands, options: [Command.database] + options,
        example: "roster role \(name) --database company.db" + (example.isEmpty ? "" : " ") + example, changes: changes,
        run: run)
}

private let version = Command.Option("if-version", "N", "only where nobody has changed the role since this version")
private let isRole = Command.Option("role", nil, "the names are those of roles, to be nested")
private let isOwner = Command.Option("owner", nil, "as owners instead of members")

private func reference(_ arguments: Arguments) throws -> RoleReference {
    .either(try arguments.operand(0, "The role's name"))
}

/// The users or roles named after the role.
private func subjects(_ arguments: Arguments) throws -> [RoleSubject] {
    let names = arguments.operands.dropFirst()
    guard !names.isEmpty else { throw UsageError("Who? Give one name or more after the role's.") }
    return names.map { arguments.has("role") ? .role(.either($0)) : .user(.either($0)) }
}

/// Shows all roles, or those that a filter selects.
private func showRoles(_ arguments: Arguments) async throws {
    try arguments.expectOperands(atMost: 1)
    let view = try arguments.readableDirectory().unrestricted
    let vocabulary = view.attributes.vocabulary()
    let filter = try arguments.operands.first.map { try searchFilter($0, of: .role, vocabulary) }
    var search = Search(filter ?? .everything, sortedBy: .init("name"), pageSize: 10_000)
    var output = try Output(arguments, columns: ["name", "displayName", "description"])
    var next: Cursor?
    var count = 0
    repeat {
        let page = try await view.roles.search(search)
        for role in page.elements { output.add([.string(role.name), role["displayName"], role["description"]]) }
        count += page.elements.count
        next = page.next
        if let next { search.start = .cursor(next) }
    } while next != nil
    try output.show()
    if count == 0, output.format == .table { Terminal.note("No role was found.") }
}

let roleCommands: [Command] = [
    command(
        "list", "Lists roles, all of them or those that a filter means.", "[FILTER]", [Command.format], example: ""
    ) { arguments in try await showRoles(arguments) },
    command(
        "search", "Finds roles.", "FILTER", [Command.format], example: "'displayName co \"team\"'"
    ) { arguments in
        _ = try arguments.operand(0, "The filter")
        try await showRoles(arguments)
    },
    command("show", "Shows a role, its members and its owners.", "NAME", [Command.format], example: "staff") {
        arguments in
        try arguments.expectOperands(atMost: 1)
        let view = try arguments.readableDirectory().unrestricted
        let role = try await view.roles.role(reference(arguments))
        let id = RoleReference.id(role.id)
        func names(_ users: [User], _ roles: [Role]) -> AttributeValue? {
            let names = users.map(\.uid) + roles.map { $0.name + " (role)" }
            return names.isEmpty ? nil : .list(names.map { .string($0) })
        }
        let members = names(
            try await view.roles.users(of: id, reach: .direct), try await view.roles.roles(of: id, reach: .direct))
        let owners = names(
            try await view.roles.users(of: id, as: .owner, reach: .direct),
            try await view.roles.roles(of: id, as: .owner, reach: .direct))
        var rows: [(name: String, value: AttributeValue?)] = [
            ("name", .string(role.name)), ("id", .string(role.id.description)),
        ]
        rows += role.attributes.map { ($0.name.rawValue, $0.value) }
        rows += [
            ("members", members), ("effectiveMembers", .integer(Int64(try await view.roles.userCount(of: id)))),
            ("owners", owners),
            ("created", .time(role.created)), ("modified", .time(role.modified)), ("version", .integer(role.version)),
        ]
        try Output.show(rows, arguments)
    },
    command(
        "create", "Creates a role.", "NAME [ATTRIBUTE=VALUE …]", changes: true,
        example: "staff displayName=Staff 'description=Everyone who works here'"
    ) { arguments in
        let view = try arguments.writableDirectory(creating: true).unrestricted
        let name = try arguments.operand(0, "The role's name")
        let set = try Arguments.values(arguments.operands.dropFirst(), of: .role, view.attributes.vocabulary())
        let role = try await view.roles.create(name, attributes: set)
        Terminal.write("created \(Terminal.safe(role.name)) \(role.id)\n")
    },
    command(
        "modify", "Changes attributes of a role; name=NEW renames it.",
        "NAME ATTRIBUTE=VALUE … (+= adds, -= takes away, = alone clears)", [version], changes: true,
        example: "staff 'description=Everyone who works here'"
    ) { arguments in
        let view = try arguments.writableDirectory().unrestricted
        let changes = try Arguments.changes(arguments.operands.dropFirst(), of: .role, view.attributes.vocabulary())
        guard !changes.isEmpty else { throw UsageError("What is to be changed? Give ATTRIBUTE=VALUE.") }
        let expected = try arguments.number("if-version", least: 1).map(Int64.init)
        let role = try await view.roles.modify(reference(arguments), changes, ifVersion: expected)
        Terminal.write("\(Terminal.safe(role.name)) has version \(role.version)\n")
    },
    command("delete", "Deletes a role; its members stay.", "NAME", [version], changes: true, example: "staff") {
        arguments in
        try arguments.expectOperands(atMost: 1)
        let expected = try arguments.number("if-version", least: 1).map(Int64.init)
        try await arguments.writableDirectory().unrestricted.roles.delete(reference(arguments), ifVersion: expected)
        Terminal.write("deleted \(Terminal.safe(try arguments.operand(0, "The role's name")))\n")
    },
    command(
        "members", "Shows the users who are members of a role, nested roles included.", "NAME",
        [
            .init("direct", nil, "only those whom the role itself names"), .init("owner", nil, "the owners instead"),
            .init("attributes", "LIST", "which to show, such as uid,mail,title"), Command.format,
        ],
        example: "staff"
    ) { arguments in
        try arguments.expectOperands(atMost: 1)
        let view = try arguments.readableDirectory().unrestricted
        let shown = try arguments.shownAttributes(view.attributes.vocabulary())
        let role = try reference(arguments)
        let relation: RoleRelation = arguments.has("owner") ? .owner : .member
        let reach: Reach = arguments.has("direct") ? .direct : .effective
        let users = try await everyone { limit, last in
            try await view.roles.users(
                of: role, as: relation, reach: reach, attributes: shown, limit: limit, after: last)
        }
        let output = try await peopleOutput(users, shown, arguments, view)
        try output.show()
        if users.isEmpty, output.format == .table {
            let name = Terminal.safe(try arguments.operand(0, "The role's name"))
            Terminal.note("\(name) has no \(arguments.has("direct") ? "direct " : "")\(relation.rawValue)s.")
        }
    },
    command(
        "add", "Makes users, or roles, members or owners of a role.", "ROLE NAME …", [isRole, isOwner], changes: true,
        example: "staff ada bob"
    ) { arguments in
        let subjects = try subjects(arguments)
        let view = try arguments.writableDirectory().unrestricted
        try await view.roles.add(subjects, to: reference(arguments), as: arguments.has("owner") ? .owner : .member)
    },
    command(
        "remove", "Ends the direct membership or ownership of users, or roles.", "ROLE NAME …", [isRole, isOwner],
        changes: true, example: "staff ada"
    ) { arguments in
        let subjects = try subjects(arguments)
        let view = try arguments.writableDirectory().unrestricted
        try await view.roles.remove(
            subjects, from: reference(arguments), as: arguments.has("owner") ? .owner : .member)
    },
]
