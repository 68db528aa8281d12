import Roster
import RosterAdministration
import RosterSignIn
import RosterText

/// The endpoint that makes links with which users set a password once, for new users and for users who forgot theirs.
enum PasswordLinkAPI {
    static let make = Endpoint(
        "Make a link with which a user sets a password once: 'kind' is reset (the default, good for 30 minutes) or invitation "
            + "(24 hours). The link is in the answer, this once; with 'send' it goes to the user by mail instead. A newer link "
            + "ends the older one.",
        body: .init(
            [
                "type": "object",
                "properties": [
                    "kind": ["type": "string", "enum": ["reset", "invitation"]], "send": ["type": "boolean"],
                ],
            ],
            isRequired: false),
        answer: .init(status: 201)
    ) { call in
        let (kind, sends) = try call.request.body.isEmpty ? (.reset, false) : read(try call.json())
        let new = MakePasswordLink(for: .either(call.arguments[0]), kind: kind.rawValue, isMailed: sends)
        return .later {
            .json(try await call.administration.run(new), status: 201, headers: ["Cache-Control": "no-store"])
        }
    }

    private static func read(_ body: JSONValue) throws -> (kind: PasswordLink.Kind, sends: Bool) {
        if let other = body.members.first(where: { !["kind", "send"].contains($0.name) }) {
            throw RequestError(.badRequest, "There is no member '\(other.name.prefix(64))' of a password link.")
        }
        guard let kind = PasswordLink.Kind(rawValue: body["kind"].map { $0.text ?? "" } ?? "reset") else {
            throw RequestError(.badRequest, "'kind' takes reset or invitation.")
        }
        guard case .boolean(let sends) = body["send"] ?? false else {
            throw RequestError(.badRequest, "'send' takes true or false.")
        }
        return (kind, sends)
    }
}
