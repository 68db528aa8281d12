import Roster
import RosterAdministration
import RosterSignIn
import RosterText

/// The app passwords of the signed-in user.
enum AppPasswordAPI {
    static let list = Endpoint("One's app passwords, without their texts.", answer: answer) { call in
        call.answering(ListAppPasswords(of: .id(try call.ownUser().id)))
    }

    static let make = Endpoint(
        "Make an app password, with which a program reads what oneself may read: a 'name', 'for' (ldap or scim), and, where "
            + "wanted, 'networks', the addresses and networks that it is taken from, and its end as 'expires', a time, or 'days'. The "
            + "text, 'password', is in the answer, this once.", body: body, answer: .created
    ) { call in
        try make(call, of: .id(call.ownUser().id))
    }

    static let end = Endpoint("End an app password of one's own, by its name or its id.", answer: .none) { call in
        call.done(EndAppPassword(call.arguments[0], of: .id(try call.ownUser().id)))
    }

    static let answer = Endpoint.Answer(schema: [
        "type": "object", "required": ["app_passwords"],
        "properties": ["app_passwords": ["type": "array", "items": ["type": "object"]]],
    ])

    static let body: Endpoint.Body = [
        "type": "object", "required": ["name", "for"],
        "properties": [
            "name": ["type": "string"],
            "for": ["type": "string", "enum": .texts(AppPassword.Use.allCases.map(\.rawValue))],
            "networks": ["type": "array", "items": ["type": "string"]],
            "expires": ["type": "string", "format": "date-time"], "days": ["type": "integer"],
        ],
    ]

    /// Makes an app password of a user, as the body asks.
    static func make(_ call: Call, of user: UserReference) throws -> Reply {
        let body = try call.json()
        if let other = body.members.first(where: { !["name", "for", "networks", "expires", "days"].contains($0.name) })
        {
            throw RequestError(.badRequest, "There is no member '\(other.name.prefix(64))' of an app password.")
        }
        guard let name = body["name"]?.text else { throw RequestError(.badRequest, "The body has no text 'name'.") }
        guard let use = body["for"]?.text.flatMap(AppPassword.Use.init) else {
            throw RequestError(.badRequest, "'for' takes ldap or scim.")
        }
        let new = MakeAppPassword(
            of: user, program: name, use: use.rawValue, networks: try body.texts(of: "networks") ?? [],
            expires: try TokensAPI.expiry(body, now: call.oauth.clock()))
        return .later {
            let made = try await call.administration.run(new)
            let path = call.request.target.prefix { $0 != "?" }
            return .json(
                made, status: 201,
                headers: [
                    "Location": "\(call.context.baseURL)\(path)/\(made["id"]?.text ?? "")", "Cache-Control": "no-store",
                ])
        }
    }
}
