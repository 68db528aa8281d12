import Roster
import RosterSignIn
import RosterText

/// The endpoint that makes links with which users set a password once, for new users and for users who forgot theirs.
enum PasswordLinkAPI {
    static let make = Endpoint(
        "Make a link with which a user sets a password once: 'kind' is reset (the default, good for 30 minutes) or invitation "
            + "(24 hours). The link is in the answer, this once; a newer link ends the older one.",
        body: .init(
            ["type": "object", "properties": ["kind": ["type": "string", "enum": ["reset", "invitation"]]]],
            isRequired: false),
        answer: .init(status: 201)
    ) { call in
        let kind = try call.request.body.isEmpty ? .reset : kind(in: try call.json())
        return .later {
            let user = UserReference.either(call.arguments[0])
            let link = try await call.view.awaitWrite { try $0.makePasswordLink(for: user, kind) }
            return .json(
                ["url": .string(link.url(at: call.oauth.issuer)), "expires": .time(link.expires)], status: 201,
                headers: ["Cache-Control": "no-store"])
        }
    }

    private static func kind(in body: JSONValue) throws -> PasswordLink.Kind {
        if let other = body.members.first(where: { $0.name != "kind" }) {
            throw RequestError(.badRequest, "There is no member '\(other.name.prefix(64))' of a password link.")
        }
        guard let value = body["kind"] else { return .reset }
        guard let kind = value.text.flatMap(PasswordLink.Kind.init) else {
            throw RequestError(.badRequest, "'kind' takes reset or invitation.")
        }
        return kind
    }
}
