import Foundation
import Roster
import RosterSignIn

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

/// Shows users as rows. An empty table is explained by a note.
private func show(_ users: [User], _ arguments: Arguments, _ view: DirectoryView, none: String) async throws {
    let shown = try arguments.shownAttributes(view.attributes.vocabulary())
    let output = try await peopleOutput(users, shown, arguments, view)
    try output.show()
    if users.isEmpty, output.format == .table {
        Terminal.note("\(Terminal.safe(try arguments.operand(0, "The user's name"))) \(none).")
    }
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
        let manager = (try await user.manager()).map { AttributeValue.string($0.uid) }
        let roles = try await view.roles.roles(having: .user(.id(user.id)))
        let memberOf = roles.isEmpty ? nil : AttributeValue.list(roles.map { .string($0.name) })
        var rows: [(String, AttributeValue?)] = []
        if let names {
            rows = names.map { name in
                (name.rawValue, name == "manager" ? manager : name == "memberOf" ? memberOf : user[name])
            }
        } else {
            rows = [
                ("uid", .string(user.uid)), ("id", .string(user.id.description)), ("active", .boolean(user.isActive)),
            ]
            rows += user.attributes.map { ($0.name.rawValue, $0.value) }
            rows += [
                ("manager", manager), ("memberOf", memberOf), ("created", .time(user.created)),
                ("modified", .time(user.modified)), ("version", .integer(user.version)),
            ]
        }
        try Output.show(rows, arguments)
    },
    command(
        "create", "Creates a user.", "NAME [ATTRIBUTE=VALUE …]", changes: true,
        example: "ada givenName=Ada familyName=Lovelace mail=ada@example.com manager=charles"
    ) { arguments in
        let view = try arguments.writableDirectory(creating: true).unrestricted
        let name = try arguments.operand(0, "The user's name")
        var set = try Arguments.values(arguments.operands.dropFirst(), of: .user, view.attributes.vocabulary())
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
        [
            .init("reportees", "WHAT", "refuse (where not given), reassign or leave"), version,
            .init("erase", nil, "take the user's values out of the change feed as well"),
        ],
        changes: true, example: "ada --reportees reassign"
    ) { arguments in
        try arguments.expectOperands(atMost: 1)
        let view = try arguments.writableDirectory().unrestricted
        let policy = try arguments.choice("reportees", ReporteePolicy.self) ?? .refuse
        let expected = try arguments.number("if-version", least: 1).map(Int64.init)
        let isErasing = arguments.has("erase")
        let user = try await view.users.user(reference(arguments))
        let made = try await view.awaitRead { try $0.made(by: user.id.description) }
        try await view.users.delete(
            .id(user.id), reportees: policy, ifVersion: expected, erasing: isErasing)
        let verb = isErasing ? "deleted and erased" : "deleted"
        Terminal.write("\(verb) \(Terminal.safe(try arguments.operand(0, "The user's name")))\n")
        guard !made.backends.isEmpty || !made.tokens.isEmpty else { return }
        Terminal.note(
            "The user made backends or tokens, which go on: see 'roster user made \(user.id)', and --end to end them.")
    },
    command(
        "erase", "Erases what the change feed still holds of deleted users, and writes the file anew.", "NAME|ID …",
        changes: true, example: "ada"
    ) { arguments in
        guard !arguments.operands.isEmpty else { throw UsageError("Whom? Give the name or the identifier.") }
        let users = try arguments.writableDirectory().unrestricted.users
        var ids: [UserID] = []
        for name in arguments.operands {
            let found = try await users.deleted(name)
            // Several deleted users can have had the same name. Only an identifier is unambiguous then.
            guard found.count < 2 else {
                let list = found.map(\.description).joined(separator: ", ")
                throw CommandFailure(
                    description: "\(found.count) deleted users were called '\(Terminal.safe(name))': \(list). "
                        + "Give the identifier of the one that is meant.")
            }
            guard let id = found.first ?? UserID(name) else {
                throw CommandFailure(
                    description: "No deleted user '\(Terminal.safe(name))' is in the change feed. "
                        + "Delete the user first, with --erase.")
            }
            ids.append(id)
        }
        let count = try await users.erase(ids)
        Terminal.write("entries emptied: \(count)\n")
    },
    command("manager", "Shows whom a user reports to.", "NAME", [attributes, Command.format], example: "ada") {
        arguments in
        try arguments.expectOperands(atMost: 1)
        let view = try arguments.readableDirectory().unrestricted
        let shown = try arguments.shownAttributes(view.attributes.vocabulary())
        let manager = try await view.users.manager(of: reference(arguments), attributes: shown)
        try await show(manager.map { [$0] } ?? [], arguments, view, none: "reports to nobody")
    },
    command("reportees", "Shows who reports to a user.", "NAME", [attributes, Command.format], example: "ada") {
        arguments in
        try arguments.expectOperands(atMost: 1)
        let view = try arguments.readableDirectory().unrestricted
        let shown = try arguments.shownAttributes(view.attributes.vocabulary())
        let user = try reference(arguments)
        let users = try await everyone { limit, last in
            try await view.users.reportees(of: user, attributes: shown, limit: limit, after: last)
        }
        try await show(users, arguments, view, none: "has nobody who reports to them")
    },
    command(
        "chain", "Shows the managers above a user, the nearest first.", "NAME", [attributes, Command.format],
        example: "ada"
    ) { arguments in
        try arguments.expectOperands(atMost: 1)
        let view = try arguments.readableDirectory().unrestricted
        let shown = try arguments.shownAttributes(view.attributes.vocabulary())
        let users = try await view.users.chain(of: reference(arguments), attributes: shown)
        try await show(users, arguments, view, none: "reports to nobody")
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
        try output.show()
        if roles.isEmpty, output.format == .table {
            let name = Terminal.safe(try arguments.operand(0, "The user's name"))
            Terminal.note("\(name) \(arguments.has("owner") ? "owns no role" : "has no role").")
        }
    },
]
