import Foundation
import Roster
import RosterAdministration
import RosterSignIn
import RosterText

/// The endpoints with which administrators manage the long-lived tokens of programs: to make a token, and to end a token that
/// leaked.
enum TokensAPI {
    private static let base = "/admin/tokens"

    static let list = Endpoint("List the tokens, without the tokens themselves.") { $0.answering(ListTokens()) }

    static let make = Endpoint(
        "Make a token: a 'name', a 'role' (provisioning, monitoring, reading or administrator) and, where it is to end, "
            + "'expires', a time, or 'days'. A reading token also has 'attributes', a list of the attributes that it may read, and "
            + "can have 'members_of', the role whose members it may read. 'networks' is a list of the addresses and networks "
            + "from which the token is accepted. Tokens with the same 'source' share the external identifiers of SCIM, and "
            + "'creates_on_replace' is an option of that source. The token is in the answer, this once.", body: .object,
        answer: .created
    ) { call in
        let body = try call.json()
        try checkMembers(
            of: body,
            [
                "name", "role", "expires", "days", "source", "creates_on_replace", "attributes", "members_of",
                "networks",
            ])
        guard let name = body["name"]?.text else { throw RequestError(.badRequest, "The body has no text 'name'.") }
        guard let role = body["role"]?.text.flatMap(ProgramRole.init) else {
            throw RequestError(.badRequest, "'role' takes provisioning, monitoring, reading or administrator.")
        }
        var new = MakeToken(program: name, role: role)
        new.expires = try expiry(body, now: call.oauth.clock())
        if let (source, creates) = try source(body) { (new.source, new.createsOnReplace) = (source, creates) }
        (new.attributes, new.networks) = (try body.texts(of: "attributes"), try body.texts(of: "networks") ?? [])
        if let role = body["members_of"], !role.isNull {
            guard let name = role.text else {
                throw RequestError(.badRequest, "'members_of' takes the name of a role.")
            }
            new.membersOf = name
        }
        return .later { [new] in
            let made = try await call.administration.run(new)
            return .json(
                made, status: 201,
                headers: ["Location": call.context.baseURL + base + "/" + (made["id"]?.text ?? "")])
        }
    }

    static let change = Endpoint(
        "Let a token, by its name or its id, use another 'source'. The external identifiers that it has used go along; where "
            + "both have one for somebody and they differ, it is refused.", body: .object
    ) { call in
        let body = try call.json()
        try checkMembers(of: body, ["source", "creates_on_replace"])
        guard let (source, creates) = try source(body) else {
            throw RequestError(.badRequest, "The body has no text 'source'.")
        }
        return call.answering(SetTokenSource(token: call.arguments[0], source: source, createsOnReplace: creates))
    }

    private static func checkMembers(of body: JSONValue, _ known: Set<String>) throws {
        guard let other = body.members.first(where: { !known.contains($0.name) }) else { return }
        throw RequestError(.badRequest, "There is no member '\(other.name.prefix(64))' of a token.")
    }

    private static func source(_ body: JSONValue) throws -> (name: String, creates: Bool?)? {
        switch (body["source"] ?? .null, body["creates_on_replace"] ?? .null) {
        case (.null, .null): return nil
        case (.string(let name), .null): return (name, nil)
        case (.string(let name), .boolean(let creates)): return (name, creates)
        case (.null, _): throw RequestError(.badRequest, "'creates_on_replace' is an option of a 'source'.")
        default: throw RequestError(.badRequest, "'source' takes a name, and 'creates_on_replace' true or false.")
        }
    }

    static let end = Endpoint(
        "End a token at once, by its name or its id.", answer: .none
    ) { $0.done(EndToken($0.arguments[0])) }

    /// The time at which a token or an app password expires; nil for never.
    static func expiry(_ body: JSONValue, now: Date) throws -> Date? {
        let expires = body["expires"].flatMap { $0.isNull ? nil : $0 }
        let days = body["days"].flatMap { $0.isNull ? nil : $0 }
        switch (expires, days) {
        case (nil, nil): return nil
        case (let value?, nil):
            guard let date = value.text.flatMap({ Timestamp.date($0) }), now < date else {
                throw RequestError(.badRequest, "'expires' takes a time to come, such as 2030-01-31T09:00:00Z.")
            }
            return date
        case (nil, .integer(let days)?) where (1...36_500).contains(days):
            return now.addingTimeInterval(TimeInterval(days) * 86_400)
        default: throw RequestError(.badRequest, "'days' takes a whole number from 1 to 36500, in place of 'expires'.")
        }
    }
}
