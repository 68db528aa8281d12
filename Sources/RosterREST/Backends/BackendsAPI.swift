import Roster
import RosterSignIn
import RosterText

/// The endpoints with which administrators manage backends, the clients of OAuth.
enum BackendsAPI {
    private static let base = "/admin/backends"

    static let list = Endpoint("List the backends.") { call in
        .now(.json(["backends": .array(try call.view.read { try $0.backends() }.map(\.listed))]))
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
        let id = try found(call).id
        let read: Set = ["id", "client_id", "backend_id", "created"]
        let body = try call.json()
        let description = try Backend.Description(.object(body.members.filter { !read.contains($0.name) }))
        let keys = call.oauth.keys
        return .later { .json(try await Backend.change(id, to: description, keys: keys, in: call.view).json) }
    }

    static let delete = Endpoint("Delete a backend, and with it the tokens that it holds.", answer: .none) { call in
        let id = try found(call).id
        return .done { try await call.view.awaitWrite { try $0.deleteBackend(id) } }
    }

    static let renewSecrets = Endpoint(
        "Give a backend a new secret and a new anonymous key. The old ones end."
    ) { call in
        let backend = try found(call)
        let keys = call.oauth.keys
        return .later {
            let secrets = try await Backend.renewSecrets(backend.id, keys: keys, in: call.view)
            return .json(backend.json(with: secrets))
        }
    }

    private static func found(_ call: Call) throws -> Backend {
        let backends = try call.view.read { try $0.backends() }
        guard let backend = backends.first(where: { $0.id.description == call.arguments[0] }) else {
            throw RequestError(.notFound, "There is no such backend.")
        }
        return backend
    }
}
