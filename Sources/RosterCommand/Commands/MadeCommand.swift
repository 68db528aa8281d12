import Foundation
import Roster
import RosterAdministration

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
    let administration = try await arguments.administration(isEnding ? .changing : .reading)
    let made =
        try await isEnding ? administration.endRemainingAccess(of: name) : administration.remainingAccess(of: name)
    var output = try Output(arguments, columns: ["what", "name", "maker", "created", "expires"])
    for item in made.items {
        output.add([
            .string(item.kind.shown), .string(item.name), .text(item.maker), .time(item.created), .time(item.expires),
        ])
    }
    try output.show()
}

extension Administration.RemainingAccess.Item.Kind {
    fileprivate var shown: String {
        switch self {
        case .backend, .token, .session, .grant, .account: rawValue
        case .appPassword: "app password"
        case .ownedRole: "owned role"
        }
    }
}
