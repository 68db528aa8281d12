import Foundation
import Roster
import RosterSignIn

let madeCommand = Command(
    name: "user made",
    summary: "Lists what would keep access for somebody who took over the user's account:\n"
        + "backends, API tokens, sessions, apps' grants, provider accounts, roles. --end revokes all of it.",
    operands: "NAME",
    options: [Command.database, .init("end", nil, "revoke everything that is shown"), Command.format],
    example: "roster user made --database company.db ada --end", changes: true
) { arguments in
    try arguments.expectOperands(atMost: 1)
    let name = try arguments.operand(0, "The user's name, or the identifier of a deleted user,")
    let made: Made
    if arguments.has("end") {
        made = try await arguments.writableDirectory().unrestricted.awaitWrite { try $0.endMade(by: name) }
    } else {
        made = try await arguments.readableDirectory().unrestricted.awaitRead { try $0.made(by: name) }
    }
    var output = try Output(arguments, columns: ["what", "name", "maker", "created", "expires"])
    func maker(_ name: String?) -> AttributeValue? { name.map { .string($0) } }
    for backend in made.backends {
        output.add([
            .string("backend"), .string("\(backend.name) \(backend.version)"), maker(backend.makerName),
            .time(backend.created), nil,
        ])
    }
    for token in made.tokens {
        output.add([
            .string("token"), .string(token.name), maker(token.makerName), .time(token.created),
            token.expires.map { .time($0) },
        ])
    }
    for session in made.sessions {
        output.add([.string("session"), .string(session.name), nil, nil, .time(session.expires)])
    }
    for grant in made.grants {
        output.add([.string("grant"), .string(grant.backend), nil, .time(grant.created), .time(grant.expires)])
    }
    for link in made.links {
        output.add([.string("account"), .string("\(link.subject) of \(link.issuer)"), nil, nil, nil])
    }
    for role in made.ownedRoles { output.add([.string("owned role"), .string(role.name), nil, nil, nil]) }
    try output.show()
}
