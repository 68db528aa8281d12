import Foundation
import Roster
import RosterSignIn
import RosterText

/// The endpoints with which administrators see and end everything that a user made, when the user leaves or the account was
/// taken over.
enum MadeAPI {
    static let read = Endpoint(
        "What somebody made, holds and owns: backends, tokens, sessions, apps' grants, accounts with providers, roles."
    ) { exchange in
        .now(.json(shown(try exchange.view.read { try $0.made(by: exchange.arguments[0]) })))
    }

    static let end = Endpoint("End all of that at once. The answer tells what was ended.") {
        exchange in
        .later {
            .json(shown(try await exchange.view.awaitWrite { try $0.endMade(by: exchange.arguments[0]) }))
        }
    }

    private static func shown(_ made: Made) -> JSONValue {
        func time(_ date: Date) -> JSONValue { .string(Timestamp.text(date, hasMilliseconds: false)) }
        return [
            "user": made.user.map { ["id": .string($0.id.description), "uid": .string($0.uid)] } ?? .null,
            "backends": .array(
                made.backends.map { backend in
                    [
                        "id": .string(backend.id.description), "name": .string(backend.name),
                        "version": .string(backend.version), "client_id": .string(backend.clientID),
                        "created": time(backend.created), "maker": backend.makerName.map { .string($0) } ?? .null,
                    ]
                }),
            "tokens": .array(made.tokens.map(TokensAPI.shown)),
            "sessions": .array(
                made.sessions.map { transaction in
                    [
                        "user": .string(transaction.name), "used": time(transaction.used),
                        "expires": time(transaction.expires),
                    ]
                }),
            "grants": .array(
                made.grants.map { grant in
                    [
                        "backend": .string(grant.backend), "created": time(grant.created),
                        "expires": time(grant.expires),
                    ]
                }),
            "links": .array(
                made.links.map { ["issuer": .string($0.issuer), "subject": .string($0.subject)] }),
            "owned_roles": .array(made.ownedRoles.map { .string($0.name) }),
        ]
    }
}
