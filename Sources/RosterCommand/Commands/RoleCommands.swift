import Foundation
import Roster

private let version = Command.Option("if-version", "N", "fail if the role has another version than N")
private let isRole = Command.Option("role", nil, "the names are names of roles, which become nested")
private let isOwner = Command.Option("owner", nil, "change owners instead of members")

private func reference(_ arguments: Arguments) throws -> RoleReference {
    .either(try arguments.operand(0, "The role's name"))
}

/// The users or roles named after the role.
private func subjects(_ arguments: Arguments) throws -> [RoleSubject] {
    let names = arguments.operands.dropFirst()
    guard !names.isEmpty else {
        throw UsageError("Which users or roles? Give one or more names after the role's name.")
    }
    return names.map { arguments.has("role") ? .role(.either($0)) : .user(.either($0)) }
}

/// Shows all roles, or those that a filter selects.
func showRoles(_ text: String?, _ arguments: Arguments, _ view: DirectoryView) async throws {
    let vocabulary = view.attributes.vocabulary()
    let filter = try text.map { try searchFilter($0, of: .role, vocabulary) }
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

/// Shows a role with its members and owners.
func showRole(_ reference: RoleReference, _ arguments: Arguments, _ view: DirectoryView) async throws {
    let role = try await view.roles.role(reference)
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
    // Only administrators may read it.
    let power = try await view.may(.administer) ? view.roles.power(of: id) : nil
    var rows: [(name: String, value: AttributeValue?)] = [
        ("name", .string(role.name)), ("id", .string(role.id.description)),
    ]
    rows += role.attributes.map { ($0.name.rawValue, $0.value) }
    rows += [
        ("members", members), ("effectiveMembers", .integer(Int64(try await view.roles.userCount(of: id)))),
        ("owners", owners), ("power", power.map { .string($0.rawValue) }),
        ("created", .time(role.created)), ("modified", .time(role.modified)), ("version", .integer(role.version)),
    ]
    try Output.show(rows, arguments)
}

let roleCommands: [Command] = [
    Command(
        "role list", "Lists all roles, or those that a filter selects.", "[FILTER]", [Command.format]
    ) { arguments in
        try arguments.expectOperands(atMost: 1)
        try await showRoles(arguments.operands.first, arguments, arguments.view())
    },
    Command(
        "role search", "Finds roles.", "FILTER", [Command.format], example: "'displayName co \"team\"'"
    ) { arguments in
        try arguments.expectOperands(atMost: 1)
        try await showRoles(
            arguments.operand(0, "The filter"), arguments, arguments.view())
    },
    Command("role show", "Shows a role, its members and its owners.", "NAME", [Command.format], example: "staff") {
        arguments in
        try arguments.expectOperands(atMost: 1)
        try await showRole(reference(arguments), arguments, arguments.view())
    },
    Command(
        "role create", "Creates a role.", "NAME [ATTRIBUTE=VALUE …]", changes: true,
        example: "staff displayName=Staff 'description=Everyone who works here'"
    ) { arguments in
        let view = try await arguments.view(.creating)
        let set = try arguments.values(of: .role, view.attributes.vocabulary())
        let role = try await view.roles.create(arguments.operand(0, "The role's name"), attributes: set)
        Terminal.write("created \(Terminal.safe(role.name)) \(role.id)\n")
    },
    Command(
        "role modify", "Changes attributes of a role; name=NEW renames it.",
        "NAME ATTRIBUTE=VALUE … (+= adds, -= removes, = alone clears)", [version], changes: true,
        example: "staff 'description=Everyone who works here'"
    ) { arguments in
        let view = try await arguments.view(.changing)
        let changes = try arguments.changes(of: .role, view.attributes.vocabulary())
        let role = try await view.roles.modify(reference(arguments), changes, ifVersion: arguments.expectedVersion())
        Terminal.write("\(Terminal.safe(role.name)) has version \(role.version)\n")
    },
    Command("role delete", "Deletes a role; its members stay.", "NAME", [version], changes: true, example: "staff") {
        arguments in
        try arguments.expectOperands(atMost: 1)
        try await arguments.view(.changing).roles.delete(
            reference(arguments), ifVersion: arguments.expectedVersion())
        Terminal.write("deleted \(Terminal.safe(try arguments.operand(0, "The role's name")))\n")
    },
    Command(
        "role members", "Shows the users who are members of a role, directly or through nested roles.", "NAME",
        [
            .init("direct", nil, "only direct members"), .init("owner", nil, "owners instead of members"),
            .init("attributes", "LIST", "the attributes to show, such as uid,mail,title"), Command.format,
        ],
        example: "staff"
    ) { arguments in
        try arguments.expectOperands(atMost: 1)
        let view = try await arguments.view()
        let shown = try arguments.shownAttributes(view.attributes.vocabulary())
        let role = try reference(arguments)
        let relation: RoleRelation = arguments.has("owner") ? .owner : .member
        let reach: Reach = arguments.has("direct") ? .direct : .effective
        let users = try await everyone { limit, last in
            try await view.roles.users(
                of: role, as: relation, reach: reach, attributes: .only(shown), limit: limit, after: last)
        }
        let output = try await peopleOutput(users, shown, arguments, view)
        try output.show()
        if users.isEmpty, output.format == .table {
            let name = Terminal.safe(try arguments.operand(0, "The role's name"))
            Terminal.note("\(name) has no \(arguments.has("direct") ? "direct " : "")\(relation.rawValue)s.")
        }
    },
    Command(
        "role contains", "Tells whether a user is a member of a role, directly or through nested roles: yes or no.",
        "ROLE NAME", [.init("direct", nil, "only direct members")], example: "staff ada"
    ) { arguments in
        try arguments.expectOperands(atMost: 2)
        let user = UserReference.either(try arguments.operand(1, "The user's name"))
        let isMember = try await arguments.view().roles.contains(
            reference(arguments), user, reach: arguments.has("direct") ? .direct : .effective)
        Terminal.write(isMember ? "yes\n" : "no\n")
    },
    Command(
        "role add", "Adds users or roles to a role, as members or owners.", "ROLE NAME …", [isRole, isOwner],
        changes: true,
        example: "staff ada bob"
    ) { arguments in
        let subjects = try subjects(arguments)
        let view = try await arguments.view(.changing)
        try await view.roles.add(subjects, to: reference(arguments), as: arguments.has("owner") ? .owner : .member)
    },
    Command(
        "role remove", "Removes direct members or owners from a role.", "ROLE NAME …", [isRole, isOwner],
        changes: true, example: "staff ada"
    ) { arguments in
        let subjects = try subjects(arguments)
        let view = try await arguments.view(.changing)
        try await view.roles.remove(
            subjects, from: reference(arguments), as: arguments.has("owner") ? .owner : .member)
    },
    Command(
        "role power", "Shows or sets the power that a role gives to its members.",
        "NAME [help-desk|people-editor|none]", changes: true, example: "service-desk help-desk"
    ) { arguments in
        try arguments.expectOperands(atMost: 2)
        let role = try reference(arguments)
        guard arguments.operands.count == 2 else {
            let power = try await arguments.view().roles.power(of: role)
            Terminal.write("\(power?.rawValue ?? "none")\n")
            return
        }
        let power = Power(rawValue: arguments.operands[1])
        guard power != nil || arguments.operands[1] == "none" else {
            throw UsageError("A power is help-desk, people-editor or none.")
        }
        try await arguments.view(.changing).roles.setPower(power, of: role)
    },
]
