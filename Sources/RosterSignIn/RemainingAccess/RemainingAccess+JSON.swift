import Roster
package import RosterText

extension RemainingAccess {
    /// All of it, without secrets.
    package var json: JSONValue {
        [
            "user": user.map { ["id": .string($0.id.description), "uid": .string($0.uid)] } ?? .null,
            "backends": .array(
                backends.map { backend in
                    [
                        "id": .string(backend.id.description), "name": .string(backend.name),
                        "version": .string(backend.version), "client_id": .string(backend.clientID),
                        "created": .time(backend.created), "maker": .text(backend.makerName),
                    ]
                }),
            "tokens": .array(tokens.map(\.json)),
            "sessions": .array(
                sessions.map { ["user": .string($0.name), "used": .time($0.used), "expires": .time($0.expires)] }),
            "grants": .array(
                grants.map {
                    ["backend": .string($0.backend), "created": .time($0.created), "expires": .time($0.expires)]
                }),
            "app_passwords": .array(appPasswords.map(\.json)),
            "links": .array(links.map { ["issuer": .string($0.issuer), "subject": .string($0.subject)] }),
            "owned_roles": .texts(ownedRoles.map(\.name)),
        ]
    }
}
