import Foundation
import Roster

private func command(
    _ name: String, _ summary: String, _ operands: String, _ options: [Command.Option] = [], changes: Bool = false,
    example: String, run: @escaping @Sendable (Arguments) async throws -> Void
) -> Command {
    Command(
        name: "role " + name, summary: summary, operands: operands, options: [Command.database] + options,
        example: "roster role \(name) --database company.db " + example, changes: changes, run: run)
}

private let isRole = Command.Option("role", nil, "the names are those of roles, to be nested")
private let isOwner = Command.Option("owner", nil, "as owners instead of members")

private func reference(_ arguments: Arguments) throws -> RoleReference {
    .either(try arguments.operand(0, "The role's name"))
}

/// The users or roles that the words after the role's name mean.
private func subjects(_ arguments: Arguments) throws -> [RoleSubject] {
    let names = arguments.operands.dropFirst()
    guard !names.isEmpty else { throw UsageError("Who? Give one name or more after the role's.") }
    return names.map { arguments.has("role") ? .role(.either($0)) : .user(.either($0)) }
}

private func showRoles(_ roles: [Role], _ arguments: Arguments) throws {
    var output = try Output(arguments, columns: ["name", "displayName", "description"])
    for role in roles { output.add([.string(role.name), role["displayName"], role["description"]]) }
    output.show()
}

let roleCommands: [Command] = [
    command(
        "list", "Lists roles, all of them or those that a filter means.", "[FILTER]", [Command.format],
        example: "'displayName co \"team\"'"
    ) { arguments in
        try arguments.expectOperands(atMost: 1)
        let view = try arguments.readableDirectory().unrestricted
        let vocabulary = view.attributes.vocabulary()
        let filter = try arguments.operands.first.map { try Filter(scim: $0, vocabulary: vocabulary, for: .role) }
        let search = Search(filter ?? .everything, sortedBy: .init("name"), pageSize: 10_000)
        try showRoles(try await view.roles.search(search).elements, arguments)
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
        var rows: [(String, AttributeValue?)] = [("name", .string(role.name)), ("id", .string(role.id.description))]
        rows += role.attributes.map { ($0.name.rawValue, $0.value) }
        rows += [
            ("members", members), ("effectiveMembers", .integer(Int64(try await view.roles.userCount(of: id)))),
            ("owners", owners),
            ("created", .time(role.created)), ("modified", .time(role.modified)), ("version", .integer(role.version)),
        ]
        rows = rows.filter { $0.1 != nil }
        if try arguments.choice("format", OutputFormat.self) ?? .table == .table {
            let width = rows.map(\.0.count).max() ?? 0
            for (name, value) in rows {
                let text = value.map(Output.text) ?? ""
                Terminal.write("\(name)\(String(repeating: " ", count: width - name.count))  \(Terminal.safe(text))\n")
            }
        } else {
            var output = try Output(arguments, columns: rows.map(\.0))
            output.add(rows.map(\.1))
            output.show()
        }
    },
    command(
        "create", "Creates a role.", "NAME [ATTRIBUTE=VALUE …]", changes: true,
        example: "staff displayName=Staff 'description=Everyone who works here'"
    ) { arguments in
        let view = try arguments.writableDirectory(creating: true).unrestricted
        let name = try arguments.operand(0, "The role's name")
        var set: AttributeSet = [:]
        for case .set(let attribute, let value) in try Arguments.changes(
            arguments.operands.dropFirst(), of: .role, view.attributes.vocabulary())
        { set[attribute] = value }
        let role = try await view.roles.create(name, attributes: set)
        Terminal.write("created \(Terminal.safe(role.name)) \(role.id)\n")
    },
    command(
        "modify", "Changes attributes of a role; name=NEW renames it.", "NAME ATTRIBUTE=VALUE …", changes: true,
        example: "staff description="
    ) { arguments in
        let view = try arguments.writableDirectory().unrestricted
        let changes = try Arguments.changes(arguments.operands.dropFirst(), of: .role, view.attributes.vocabulary())
        guard !changes.isEmpty else { throw UsageError("What is to be changed? Give ATTRIBUTE=VALUE.") }
        let role = try await view.roles.modify(reference(arguments), changes)
        Terminal.write("\(Terminal.safe(role.name)) has version \(role.version)\n")
    },
    command("delete", "Deletes a role; its members stay.", "NAME", changes: true, example: "staff") { arguments in
        try arguments.expectOperands(atMost: 1)
        try await arguments.writableDirectory().unrestricted.roles.delete(reference(arguments))
        Terminal.write("deleted \(Terminal.safe(try arguments.operand(0, "The role's name")))\n")
    },
    command(
        "members", "Shows the users who are members of a role, nested roles included.", "NAME",
        [.init("direct", nil, "only those whom the role itself names"), isOwner, Command.format], example: "staff"
    ) { arguments in
        try arguments.expectOperands(atMost: 1)
        let view = try arguments.readableDirectory().unrestricted
        let users = try await view.roles.users(
            of: reference(arguments), as: arguments.has("owner") ? .owner : .member,
            reach: arguments.has("direct") ? .direct : .effective)
        var output = try Output(arguments, columns: ["uid", "commonName", "title", "mail"])
        for user in users { output.add(["uid", "commonName", "title", "mail"].map { user[$0] }) }
        output.show()
    },
    command(
        "add", "Makes users, or roles, members or owners of a role.", "ROLE NAME …", [isRole, isOwner], changes: true,
        example: "staff ada bob"
    ) { arguments in
        let view = try arguments.writableDirectory().unrestricted
        try await view.roles.add(
            subjects(arguments), to: reference(arguments), as: arguments.has("owner") ? .owner : .member)
    },
    command(
        "remove", "Ends the direct membership or ownership of users, or roles.", "ROLE NAME …", [isRole, isOwner],
        changes: true, example: "staff ada"
    ) { arguments in
        let view = try arguments.writableDirectory().unrestricted
        try await view.roles.remove(
            subjects(arguments), from: reference(arguments), as: arguments.has("owner") ? .owner : .member)
    },
]
