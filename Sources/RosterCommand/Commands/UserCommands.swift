import Foundation
import Roster
import RosterAdministration
import RosterText

private let attributes = Command.Option("attributes", "LIST", "the attributes to show, such as uid,mail,title")
private let version = Command.Option("if-version", "N", "fail if the user has another version than N")

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

/// Shows a user with all attributes, or those of `--attributes`.
func showUser(_ reference: UserReference, _ arguments: Arguments, _ view: DirectoryView) async throws {
    let vocabulary = view.attributes.vocabulary()
    let names = try arguments.attributes(of: .user, vocabulary)
    let user = try await view.users.user(
        reference, attributes: names.map { .only($0) } ?? .usual, prefetch: .manager)
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
}

let userCommands: [Command] = [
    Command("user show", "Shows a user.", "NAME", [attributes, Command.format], example: "ada") { arguments in
        try arguments.expectOperands(atMost: 1)
        try await showUser(reference(arguments), arguments, arguments.view())
    },
    Command(
        "user create", "Creates a user.", "NAME [ATTRIBUTE=VALUE …]", changes: true,
        example: "ada givenName=Ada familyName=Lovelace mail=ada@example.com manager=charles"
    ) { arguments in
        let view = try await arguments.view(.creating)
        let name = try arguments.operand(0, "The user's name")
        var set = try arguments.values(of: .user, view.attributes.vocabulary())
        set["uid"] = .string(name)
        let user = try await view.users.create(attributes: set)
        Terminal.write("created \(Terminal.safe(user.uid)) \(user.id)\n")
    },
    Command(
        "user modify", "Changes attributes of a user.",
        "NAME ATTRIBUTE=VALUE … (+= adds, -= removes, = alone clears)",
        [version], changes: true, example: "ada title=Countess mobile= manager=charles active=true"
    ) { arguments in
        let view = try await arguments.view(.changing)
        let changes = try arguments.changes(of: .user, view.attributes.vocabulary())
        let user = try await view.users.modify(reference(arguments), changes, ifVersion: arguments.expectedVersion())
        Terminal.write("\(Terminal.safe(user.uid)) has version \(user.version)\n")
    },
    Command(
        "user delete", "Deletes a user.", "NAME",
        [
            .init("reportees", "WHAT", "refuse (default), reassign or leave"), version,
            .init("erase", nil, "also remove the user's values from the change feed"),
        ],
        changes: true, example: "ada --reportees reassign"
    ) { arguments in
        try arguments.expectOperands(atMost: 1)
        let (view, administration) = try await arguments.viewAndAdministration(.changing)
        let policy = try arguments.choice("reportees", ReporteePolicy.self) ?? .refuse
        let isErasing = arguments.has("erase")
        let user = try await view.users.user(reference(arguments))
        let made = try await administration.remainingAccess(of: user.id.description)
        try await view.users.delete(
            .id(user.id), reportees: policy, ifVersion: arguments.expectedVersion(), erasing: isErasing)
        let verb = isErasing ? "deleted and erased" : "deleted"
        Terminal.write("\(verb) \(Terminal.safe(try arguments.operand(0, "The user's name")))\n")
        guard made.items.contains(where: { [.backend, .token].contains($0.kind) }) else { return }
        Terminal.note(
            "The user's backends and tokens stay valid: 'roster user made \(user.id)' lists them, --end revokes them.")
    },
    Command(
        "user erase", "Erases the data of deleted users from the change feed and from every byte of the file.",
        "NAME|ID …",
        changes: true, example: "ada"
    ) { arguments in
        guard !arguments.operands.isEmpty else { throw UsageError("Which user? Give the name or the identifier.") }
        let users = try await arguments.view(.changing).users
        var ids: [UserID] = []
        for name in arguments.operands {
            let found = try await users.deleted(name)
            // Several deleted users can have had the same name. Only an identifier is unambiguous then.
            guard found.count < 2 else {
                let list = found.map(\.description).joined(separator: ", ")
                throw CommandFailure(
                    description: "\(found.count) deleted users were called '\(Terminal.safe(name))': \(list). "
                        + "Give one of the identifiers.")
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
    Command("user manager", "Shows a user's manager.", "NAME", [attributes, Command.format], example: "ada") {
        arguments in
        try arguments.expectOperands(atMost: 1)
        let view = try await arguments.view()
        let shown = try arguments.shownAttributes(view.attributes.vocabulary())
        let manager = try await view.users.manager(of: reference(arguments), attributes: .only(shown))
        try await show(manager.map { [$0] } ?? [], arguments, view, none: "has no manager")
    },
    Command("user reportees", "Shows a user's direct reportees.", "NAME", [attributes, Command.format], example: "ada")
    {
        arguments in
        try arguments.expectOperands(atMost: 1)
        let view = try await arguments.view()
        let shown = try arguments.shownAttributes(view.attributes.vocabulary())
        let user = try reference(arguments)
        let users = try await everyone { limit, last in
            try await view.users.reportees(of: user, attributes: .only(shown), limit: limit, after: last)
        }
        try await show(users, arguments, view, none: "has no reportees")
    },
    Command(
        "user chain", "Shows the managers above a user, nearest first.", "NAME", [attributes, Command.format],
        example: "ada"
    ) { arguments in
        try arguments.expectOperands(atMost: 1)
        let view = try await arguments.view()
        let shown = try arguments.shownAttributes(view.attributes.vocabulary())
        let users = try await view.users.chain(of: reference(arguments), attributes: .only(shown))
        try await show(users, arguments, view, none: "has no manager")
    },
    Command(
        "user is-below", "Tells whether a user is below another one in the reporting lines: yes or no.", "NAME MANAGER",
        example: "ada charles"
    ) { arguments in
        try arguments.expectOperands(atMost: 2)
        let manager = UserReference.either(try arguments.operand(1, "The manager's name"))
        let isBelow = try await arguments.view().users.isBelow(reference(arguments), manager)
        Terminal.write(isBelow ? "yes\n" : "no\n")
    },
    Command(
        "user roles", "Shows the roles of a user, including those through nested roles.", "NAME",
        [
            .init("direct", nil, "only direct memberships"), .init("owner", nil, "roles that the user owns"),
            Command.format,
        ],
        example: "ada"
    ) { arguments in
        try arguments.expectOperands(atMost: 1)
        let view = try await arguments.view()
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
