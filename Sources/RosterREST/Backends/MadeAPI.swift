import Foundation
import Roster
import RosterSignIn
import RosterText

/// The endpoints with which administrators see and end everything that a user made, when the user leaves or the account was
/// taken over.
enum MadeAPI {
    static let read = Endpoint(
        "What somebody made, holds and owns: backends, tokens, sessions, apps' grants, accounts with providers, roles."
    ) { call in .now(.json(shown(try call.view.read { try $0.made(by: call.arguments[0]) }))) }

    static let end = Endpoint("End all of that at once. The answer tells what was ended.") {
        call in
        .later { .json(shown(try await call.view.awaitWrite { try $0.endMade(by: call.arguments[0]) })) }
    }

    private static func shown(_ made: Made) -> JSONValue {
        [
            "user": made.user.map { ["id": .string($0.id.description), "uid": .string($0.uid)] } ?? .null,
            "backends": .array(
                made.backends.map { backend in
                    [
                        "id": .string(backend.id.description), "name": .string(backend.name),
                        "version": .string(backend.version), "client_id": .string(backend.clientID),
                        "created": .time(backend.created), "maker": .text(backend.makerName),
                    ]
                }),
            "tokens": .array(made.tokens.map(TokensAPI.shown)),
            "sessions": .array(
                made.sessions.map { ["user": .string($0.name), "used": .time($0.used), "expires": .time($0.expires)] }),
            "grants": .array(
                made.grants.map {
                    ["backend": .string($0.backend), "created": .time($0.created), "expires": .time($0.expires)]
                }),
            "links": .array(made.links.map { ["issuer": .string($0.issuer), "subject": .string($0.subject)] }),
            "owned_roles": .texts(made.ownedRoles.map(\.name)),
        ]
    }
}
