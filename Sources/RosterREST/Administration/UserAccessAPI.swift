import Roster
import RosterAdministration
import RosterSignIn
import RosterText

/// How others than the user see and end what a user signs in with: administrators for everybody, and the help desk for users without a
/// power.
enum UserAccessAPI {
    // MARK: Sessions and devices

    static let sessions = Endpoint("The sessions of a user.") {
        $0.answering(ListSessions(of: .either($0.arguments[0])))
    }

    static let endSession = Endpoint("End a session of a user.", answer: .none) {
        $0.done(EndSession($0.arguments[1], of: .either($0.arguments[0])))
    }

    static let signOut = Endpoint(
        "Sign a user out everywhere: every session and every token ends at once.", answer: .none
    ) { $0.done(SignOutUser(.either($0.arguments[0]))) }

    static let devices = Endpoint("The registered devices of a user.", answer: DeviceAPI.answer) {
        $0.answering(ListDevices(of: .either($0.arguments[0])))
    }

    static let endDevice = Endpoint(
        "End a registered device of a user. The tokens that its app got end at once.", answer: .none
    ) { $0.done(EndDevice($0.arguments[1], of: .either($0.arguments[0]))) }

    // MARK: Second factors and passwords

    static let removeSecondFactors = Endpoint("Remove a user's second factor, who has lost it.", answer: .none) {
        call in
        remove(RemoveSecondFactors(of: .either(call.arguments[0]), kind: nil), call, "The user has no second factor.")
    }

    static let secondFactors = Endpoint(
        "The second factors of a user, without their secrets: of each its kind (app or questions), its beginning and its last use. 'lost' "
            + "says that they were lost with the key file.",
        answer: .init(schema: [
            "type": "object", "required": ["factors", "lost"],
            "properties": [
                "factors": ["type": "array", "items": ["type": "object"]], "lost": ["type": "boolean"],
            ],
        ])
    ) { $0.answering(ListSecondFactors(of: .either($0.arguments[0]))) }

    static let removeSecondFactor = Endpoint(
        "Remove one second factor of a user, who has lost it: 'app' or 'questions'.", answer: .none
    ) { call in
        remove(
            RemoveSecondFactors(of: .either(call.arguments[0]), kind: call.arguments[1]), call,
            "The user has no such second factor.")
    }

    private static func remove(_ removal: RemoveSecondFactors, _ call: Call, _ nothing: String) -> Reply {
        .done {
            guard try await call.administration.run(removal)["removed"] == true else {
                throw RequestError(.notFound, nothing)
            }
        }
    }

    static let makePasswordLink = Endpoint(
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
        let (kind, sends) = try call.request.body.isEmpty ? (.reset, false) : passwordLink(try call.json())
        let new = MakePasswordLink(for: .either(call.arguments[0]), kind: kind.rawValue, isMailed: sends)
        return .later {
            .json(try await call.administration.run(new), status: 201, headers: ["Cache-Control": "no-store"])
        }
    }

    private static func passwordLink(_ body: JSONValue) throws -> (kind: PasswordLink.Kind, sends: Bool) {
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

    static let appPasswords = Endpoint(
        "The app passwords of a user, without their texts.", answer: AppPasswordAPI.answer
    ) {
        $0.answering(ListAppPasswords(of: .either($0.arguments[0])))
    }

    static let makeAppPassword = Endpoint(
        "Make an app password for a user, as the user does it.", body: AppPasswordAPI.body, answer: .created
    ) { call in
        try AppPasswordAPI.make(call, of: .either(call.arguments[0]))
    }

    static let endAppPassword = Endpoint("End an app password of a user, by its name or its id.", answer: .none) {
        $0.done(EndAppPassword($0.arguments[1], of: .either($0.arguments[0])))
    }

    // MARK: What a user made, and came to

    static let remainingAccess = Endpoint(
        "What somebody made, holds and owns: backends, tokens, sessions, apps' grants, accounts with providers, roles."
    ) { $0.answering(ReadRemainingAccess(of: $0.arguments[0])) }

    static let endRemainingAccess = Endpoint("End all of that at once. The answer tells what was ended.") {
        $0.answering(EndRemainingAccess(of: $0.arguments[0]))
    }

    static let roleChanges = Endpoint(
        "The roles that a user came to or left, directly, as a member or an owner, latest first; for administrators, and for the user. The "
            + "name of a deleted role and of who made a change are for administrators.",
        parameters: [
            .init(
                name: "count", summary: "How many at most, 1 to 200; 20 unless given.",
                schema: ["type": "integer", "minimum": 1, "maximum": 200]),
            .init(name: "before", summary: "'next' of the page before.", schema: ["type": "string"]),
        ],
        answer: .init(schema: [
            "type": "object", "required": ["elements"],
            "properties": [
                "elements": ["type": "array", "items": ["type": "object"]], "next": ["type": "string"],
            ],
        ])
    ) { call in
        let count = try call.integer("count") ?? 20
        guard (1...200).contains(count) else { throw RequestError(.badRequest, "'count' takes 1 to 200.") }
        return call.answering(
            ListRoleChanges(of: .either(call.arguments[0]), count: count, before: try call.parameter("before")))
    }
}
