import Foundation
import Roster

private func command(
    _ name: String, _ summary: String, _ operands: String, _ options: [Command.Option] = [], changes: Bool = false,
    example: String, run: @escaping @Sendable (Arguments) async throws -> Void
) -> Command {
    Command(
        name: "user " + name, summary: summary, operands: operands, options: [Command.database] + options,
        example: "roster user \(name) --database company.db " + example, changes: changes, run: run)
}

private let attributes = Command.Option("attributes", "LIST", "which to show, such as uid,mail,title")
private let version = Command.Option("if-version", "N", "only where nobody has changed the user since this version")

/// A page of people as rows.
private func show(_ users: [User], _ arguments: Arguments, _ vocabulary: Vocabulary) throws {
    let shown = try arguments.attributes(of: .user, vocabulary) ?? ["uid", "commonName", "title", "department", "mail"]
    var output = try Output(arguments, columns: shown.map(\.rawValue))
    for user in users { output.add(shown.map { user[$0] }) }
    output.show()
}

private func reference(_ arguments: Arguments) throws -> UserReference {
    .either(try arguments.operand(0, "The user's name"))
}

let userCommands: [Command] = [
    command("show", "Shows a user.", "NAME", [attributes, Command.format], example: "ada") { arguments in
        try arguments.expectOperands(atMost: 1)
        let view = try arguments.readableDirectory().unrestricted
        let vocabulary = view.attributes.vocabulary()
        let names = try arguments.attributes(of: .user, vocabulary)
        let user = try await view.users.user(reference(arguments), attributes: names ?? [], prefetch: .manager)
        let roles = try await view.roles.roles(having: .user(.id(user.id)))
        var rows: [(String, AttributeValue?)] = []
        if let names {
            rows = names.map { ($0.rawValue, user[$0]) }
        } else {
            rows = [
                ("uid", .string(user.uid)), ("id", .string(user.id.description)), ("active", .boolean(user.isActive)),
            ]
            rows += user.attributes.map { ($0.name.rawValue, $0.value) }
            rows += [
                ("manager", (try await user.manager()).map { .string($0.uid) }),
                ("memberOf", roles.isEmpty ? nil : .list(roles.map { .string($0.name) })),
                ("created", .time(user.created)),
                ("modified", .time(user.modified)), ("version", .integer(user.version)),
            ]
        }
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
        "create", "Creates a user.", "NAME [ATTRIBUTE=VALUE …]", changes: true,
        example: "ada givenName=Ada familyName=Lovelace mail=ada@example.com manager=charles"
    ) { arguments in
        let view = try arguments.writableDirectory(creating: true).unrestricted
        let name = try arguments.operand(0, "The user's name")
        var set: AttributeSet = [:]
        for change in try Arguments.changes(arguments.operands.dropFirst(), of: .user, view.attributes.vocabulary()) {
            guard case .set(let attribute, let value) = change else {
                throw UsageError("A new user has nothing to add to or to take from.")
            }
            set[attribute] = set[attribute].map { .list($0.elements + value.elements) } ?? value
        }
        set["uid"] = .string(name)
        let user = try await view.users.create(attributes: set)
        Terminal.write("created \(Terminal.safe(user.uid)) \(user.id)\n")
    },
    command(
        "modify", "Changes attributes of a user.", "NAME ATTRIBUTE=VALUE … (+= adds, -= takes away, = alone clears)",
        [version], changes: true, example: "ada title=Countess mobile= manager=charles active=true"
    ) { arguments in
        let view = try arguments.writableDirectory().unrestricted
        let changes = try Arguments.changes(arguments.operands.dropFirst(), of: .user, view.attributes.vocabulary())
        guard !changes.isEmpty else { throw UsageError("What is to be changed? Give ATTRIBUTE=VALUE.") }
        let expected = try arguments.number("if-version", least: 1).map(Int64.init)
        let user = try await view.users.modify(reference(arguments), changes, ifVersion: expected)
        Terminal.write("\(Terminal.safe(user.uid)) has version \(user.version)\n")
    },
    command(
        "delete", "Deletes a user.", "NAME",
        [.init("reportees", "WHAT", "refuse (where not given), reassign or leave"), version],
        changes: true, example: "ada --reportees reassign"
    ) { arguments in
        try arguments.expectOperands(atMost: 1)
        let view = try arguments.writableDirectory().unrestricted
        let policy = try arguments.choice("reportees", ReporteePolicy.self) ?? .refuse
        let expected = try arguments.number("if-version", least: 1).map(Int64.init)
        try await view.users.delete(reference(arguments), reportees: policy, ifVersion: expected)
        Terminal.write("deleted \(Terminal.safe(try arguments.operand(0, "The user's name")))\n")
    },
    command("manager", "Shows whom a user reports to.", "NAME", [attributes, Command.format], example: "ada") {
        arguments in
        try arguments.expectOperands(atMost: 1)
        let view = try arguments.readableDirectory().unrestricted
        guard let manager = try await view.users.manager(of: reference(arguments)) else {
            Terminal.note("\(try arguments.operand(0, "The user's name")) reports to nobody.")
            return
        }
        try show([manager], arguments, view.attributes.vocabulary())
    },
    command("reportees", "Shows who reports to a user.", "NAME", [attributes, Command.format], example: "ada") {
        arguments in
        try arguments.expectOperands(atMost: 1)
        let view = try arguments.readableDirectory().unrestricted
        try show(try await view.users.reportees(of: reference(arguments)), arguments, view.attributes.vocabulary())
    },
    command(
        "chain", "Shows the managers above a user, the nearest first.", "NAME", [attributes, Command.format],
        example: "ada"
    ) { arguments in
        try arguments.expectOperands(atMost: 1)
        let view = try arguments.readableDirectory().unrestricted
        try show(try await view.users.chain(of: reference(arguments)), arguments, view.attributes.vocabulary())
    },
    command(
        "roles", "Shows the roles of a user, those through nested roles included.", "NAME",
        [
            .init("direct", nil, "only those that name the user"), .init("owner", nil, "those that the user owns"),
            Command.format,
        ],
        example: "ada"
    ) { arguments in
        try arguments.expectOperands(atMost: 1)
        let view = try arguments.readableDirectory().unrestricted
        let roles = try await view.roles.roles(
            having: .user(reference(arguments)), as: arguments.has("owner") ? .owner : .member,
            reach: arguments.has("direct") ? .direct : .effective)
        var output = try Output(arguments, columns: ["name", "displayName", "description"])
        for role in roles { output.add([.string(role.name), role["displayName"], role["description"]]) }
        output.show()
    },
]
