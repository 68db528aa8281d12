import RosterAdministration
import RosterSignIn
import RosterText

/// The endpoints with which administrators manage backends, the clients of OAuth.
enum BackendsAPI {
    private static let base = "/admin/backends"

    static let list = Endpoint("List the backends.") { $0.answering(ListBackends()) }

    static let create = Endpoint(
        "Make a backend. Its secret and its anonymous key are in the answer, this once.",
        body: .init(OpenAPISchemas.reference("Backend")),
        answer: .created
    ) { call in
        let description = JSONDocument(try call.json())
        return .later {
            let made = try await call.administration.run(MakeBackend(description))
            return .json(
                made, status: 201,
                headers: ["Location": call.context.baseURL + base + "/" + (made["id"]?.text ?? "")])
        }
    }

    static let read = Endpoint("Read a backend.") { $0.answering(ReadBackend($0.arguments[0])) }

    static let change = Endpoint(
        "Change a backend: its name, version and settings. Its ids and secrets stay.",
        body: .init(OpenAPISchemas.reference("Backend"))
    ) { call in call.answering(ChangeBackend(call.arguments[0], to: JSONDocument(try call.json()))) }

    static let delete = Endpoint("Delete a backend, and with it the tokens that it holds.", answer: .none) {
        $0.done(DeleteBackend($0.arguments[0]))
    }

    static let renewSecrets = Endpoint(
        "Give a backend a new secret and a new anonymous key. The old ones end at once; with 'keep_old_seconds' the old secret stays "
            + "good for so long, and the anonymous key stays.",
        body: .init(
            [
                "type": "object",
                "properties": ["keep_old_seconds": ["type": "integer", "minimum": 1, "maximum": 7_776_000]],
            ], isRequired: false)
    ) { call in
        let seconds = try call.request.body.isEmpty ? nil : keptSeconds(try call.json())
        return call.answering(RenewBackendSecrets(of: call.arguments[0], keptSeconds: seconds))
    }

    private static func keptSeconds(_ body: JSONValue) throws -> Int64? {
        if let other = body.members.first(where: { $0.name != "keep_old_seconds" }) {
            throw RequestError(.badRequest, "There is no member '\(other.name.prefix(64))' here.")
        }
        guard let value = body["keep_old_seconds"] else { return nil }
        guard case .integer(let seconds) = value, (1...7_776_000).contains(seconds) else {
            throw RequestError(.badRequest, "'keep_old_seconds' takes 1 to 7776000, which is 90 days.")
        }
        return seconds
    }

    static let signOuts = Endpoint(
        "The notices about ended sessions that the app of a backend has not received, with those given up within a week."
    ) { $0.answering(ListSignOutNotices(of: $0.arguments[0])) }

    static let users = Endpoint(
        "The users of the directory for whom a backend has tokens, or is told of the end of a session; latest use first, exact to a "
            + "minute. A page can be short although there is a 'next'.",
        parameters: [
            .init(
                name: "count", summary: "How many at most, 1 to 200; 50 unless given.",
                schema: ["type": "integer", "minimum": 1, "maximum": 200]),
            .init(name: "after", summary: "'next' of the page before.", schema: ["type": "string"]),
        ],
        answer: .init(schema: [
            "type": "object", "required": ["users"],
            "properties": [
                "users": ["type": "array", "items": ["type": "object"]], "next": ["type": "string"],
            ],
        ])
    ) { call in
        let count = try call.integer("count") ?? 50
        guard (1...200).contains(count) else { throw RequestError(.badRequest, "'count' takes 1 to 200.") }
        return call.answering(
            ListBackendUsers(of: call.arguments[0], count: count, after: try call.parameter("after")))
    }

    static let formerSecrets = Endpoint("The former secrets of a backend that are still good, with their ends.") {
        $0.answering(ListFormerSecrets(of: $0.arguments[0]))
    }

    static let endFormerSecrets = Endpoint("End the former secrets of a backend at once.", answer: .none) {
        $0.done(EndFormerSecrets(of: $0.arguments[0]))
    }
}
