import Roster
import RosterSignIn
import RosterText

/// The endpoints with which administrators manage backends, the clients of OAuth.
enum BackendsAPI {
    private static let base = "/admin/backends"

    static let list = Endpoint("List the backends.") { call in
        .now(.json(["backends": .array(try call.view.read { try $0.backends.all() }.map(\.listed))]))
    }

    static let create = Endpoint(
        "Make a backend. Its secret and its anonymous key are in the answer, this once.",
        body: .init(OpenAPISchemas.reference("Backend")),
        answer: .created
    ) { call in
        let body = try call.json()
        let description = try Backend.Description(body)
        let keys = call.oauth.keys
        return .later {
            let (backend, secrets) = try await Backend.create(description, keys: keys, in: call.view)
            return .json(
                backend.json(with: secrets), status: 201,
                headers: ["Location": call.context.baseURL + base + "/" + backend.id.description])
        }
    }

    static let read = Endpoint("Read a backend.") { call in .now(.json(try found(call).json)) }

    static let change = Endpoint(
        "Change a backend: its name, version and settings. Its ids and secrets stay.",
        body: .init(OpenAPISchemas.reference("Backend"))
    ) { call in
        let backend = try found(call)
        let id = backend.id
        let read: Set = ["id", "client_id", "backend_id", "created", "advice"]
        let body = try call.json()
        if body["client_secret"] != nil {
            throw RequestError(.badRequest, "'client_secret' is not set here: POST to …/secret gives a new one.")
        }
        for (name, value) in [("client_id", backend.clientID), ("backend_id", backend.backendID)] {
            guard let given = body[name], given != .string(value) else { continue }
            throw RequestError(.badRequest, "'\(name)' cannot be changed.")
        }
        let description = try Backend.Description(.object(body.members.filter { !read.contains($0.name) }))
        let keys = call.oauth.keys
        return .later { .json(try await Backend.change(id, to: description, keys: keys, in: call.view).json) }
    }

    static let delete = Endpoint("Delete a backend, and with it the tokens that it holds.", answer: .none) { call in
        let id = try found(call).id
        return .done { try await call.view.awaitWrite { try $0.backends.delete(id) } }
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
        let backend = try found(call)
        let keys = call.oauth.keys
        let time = try call.request.body.isEmpty ? nil : keptTime(try call.json())
        return .later {
            if let time {
                let (secret, former) = try await Backend.addSecret(
                    to: backend.id, keepingOldFor: time, keys: keys, in: call.view)
                return .json(
                    .object(
                        backend.json.members + [
                            .init("client_secret", .string(secret)),
                            .init("former_secrets", .array(former.map(\.json))),
                        ]))
            }
            let secrets = try await Backend.renewSecrets(backend.id, keys: keys, in: call.view)
            return .json(backend.json(with: secrets))
        }
    }

    private static func keptTime(_ body: JSONValue) throws -> Duration? {
        if let other = body.members.first(where: { $0.name != "keep_old_seconds" }) {
            throw RequestError(.badRequest, "There is no member '\(other.name.prefix(64))' here.")
        }
        guard let value = body["keep_old_seconds"] else { return nil }
        guard case .integer(let seconds) = value, (1...7_776_000).contains(seconds) else {
            throw RequestError(.badRequest, "'keep_old_seconds' takes 1 to 7776000, which is 90 days.")
        }
        return .seconds(seconds)
    }

    static let signOuts = Endpoint(
        "The notices about ended sessions that the app of a backend has not received, with those given up within a week."
    ) { call in
        let id = try found(call).id
        let notices = try call.view.read { try $0.sessions.signOutNotices(of: id) }
        return .now(.json(["sign_outs": .array(notices.map(\.json))]))
    }

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
        let position = try call.parameter("after").map { text in
            guard let position = AppUser.Position(text) else {
                throw RequestError(.badRequest, "'after' takes the 'next' of the page before.")
            }
            return position
        }
        let id = try found(call).id
        return call.reading { transaction in
            .json(try transaction.backends.usersPage(of: id, after: position, count: count))
        }
    }

    static let formerSecrets = Endpoint("The former secrets of a backend that are still good, with their ends.") {
        call in
        let id = try found(call).id
        let former = try call.view.read { try $0.backends.formerSecrets(of: id) }
        return .now(.json(["former_secrets": .array(former.map(\.json))]))
    }

    static let endFormerSecrets = Endpoint("End the former secrets of a backend at once.", answer: .none) { call in
        let id = try found(call).id
        return .done { try await call.view.awaitWrite { try $0.backends.endFormerSecrets(of: id) } }
    }

    private static func found(_ call: Call) throws -> Backend {
        let backends = try call.view.read { try $0.backends.all() }
        guard let backend = backends.first(where: { $0.id.description == call.arguments[0] }) else {
            throw RequestError(.notFound, "There is no such backend.")
        }
        return backend
    }
}
