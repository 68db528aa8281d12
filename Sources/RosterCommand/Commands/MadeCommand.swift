import Foundation
import Roster
import RosterText

let madeCommand = Command(
    name: "user made",
    summary: "Lists what would keep access for somebody who took over the user's account:\n"
        + "backends, API tokens, sessions, apps' grants, app passwords, provider accounts, roles. --end revokes all of it.",
    operands: "NAME",
    options: [Command.directory, .init("end", nil, "revoke everything that is shown"), Command.format],
    example: "roster user made --database company.db ada --end", changes: true
) { arguments in
    try arguments.expectOperands(atMost: 1)
    let name = try arguments.operand(0, "The user's name, or the identifier of a deleted user,")
    let isEnding = arguments.has("end")
    let administration = try arguments.administration(isEnding ? .changing : .reading)
    let made =
        try await isEnding ? administration.endRemainingAccess(of: name) : administration.remainingAccess(of: name)
    func all(_ kind: String) -> [JSONValue] { made[kind]?.elements ?? [] }
    var output = try Output(arguments, columns: ["what", "name", "maker", "created", "expires"])
    for backend in all("backends") {
        let title = [backend["name"], backend["version"]].compactMap { $0?.text }.joined(separator: " ")
        output.add([
            .string("backend"), .string(title), backend.shown("maker"), backend.moment("created"), nil,
        ])
    }
    for token in all("tokens") {
        output.add([
            .string("token"), token.shown("name"), token.shown("maker"), token.moment("created"),
            token.moment("expires"),
        ])
    }
    for session in all("sessions") {
        output.add([.string("session"), session.shown("user"), nil, nil, session.moment("expires")])
    }
    for grant in all("grants") {
        output.add([
            .string("grant"), grant.shown("backend"), nil, grant.moment("created"), grant.moment("expires"),
        ])
    }
    for password in all("app_passwords") {
        output.add([
            .string("app password"), password.shown("name"), nil, password.moment("created"),
            password.moment("expires"),
        ])
    }
    for link in all("links") {
        let title = [link["subject"], link["issuer"]].compactMap { $0?.text }.joined(separator: " of ")
        output.add([.string("account"), .string(title), nil, nil, nil])
    }
    for role in made["owned_roles"]?.texts ?? [] {
        output.add([.string("owned role"), .string(role), nil, nil, nil])
    }
    try output.show()
}
