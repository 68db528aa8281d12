import Roster
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
        let (mailer, issuer) = (call.context.mailer, call.oauth.issuer)
        guard !sends || mailer != nil else {
            throw RequestError(
                .badRequest, "This server sends no mails. Leave 'send' out, and hand the link over yourself.")
        }
        return .later {
            let reference = UserReference.either(call.arguments[0])
            let (link, user) = try await call.view.awaitWrite { transaction in
                let link = try transaction.links.makePasswordLink(for: reference, kind, isMailed: sends)
                if sends { try transaction.addresses.checkMailingLink(to: reference) }
                return (link, try transaction.users.user(reference))
            }
            var answer: [JSONValue.Member] = [.init("expires", .time(link.expires))]
            if sends {
                try mailer?.send(link, kind, to: user, issuer: issuer)
            } else {
                answer.append(.init("url", .string(link.url(at: issuer))))
            }
            return .json(.object(answer), status: 201, headers: ["Cache-Control": "no-store"])
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
