import Foundation
package import Roster
import RosterFixtures
import RosterDialects
package import RosterREST
import RosterServer
import RosterSignIn
package import RosterText
import Testing

/// SCIM's interface without a server, over a directory of the test's own.
package struct SCIMServer: Sendable {
    package let directory: Directory
    package let service: RESTService
    /// The server of a test that runs over a socket.
    private let door: SocketDoor?
    /// What requests are signed in with where nothing else is said.
    package var authorization: String

    package static let user = "urn:ietf:params:scim:schemas:core:2.0:User"
    package static let searchRequest = "urn:ietf:params:scim:api:messages:2.0:SearchRequest"
    package static let group = "urn:ietf:params:scim:schemas:core:2.0:Group"
    package static let enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
    package static let groupExtension = SCIMResourceType.groupExtensionURN

    /// A server over the small company, which a provisioning client calls.
    package init(_ directory: Directory? = nil) async throws {
        self.directory = try directory ?? Fixtures.company()
        let parameters = PasswordParameters.forTests
        if HTTPForm.current == .overSocket {
            door = try SocketDoor(self.directory) { $0.passwordCost = parameters }
        } else {
            door = nil
        }
        let signIn =
            try door?.signIn() ?? SignIn(self.directory, issuer: SocketDoor.publicURL, passwordCost: parameters)
        service = RESTService(
            try ServiceContext(
                directory: self.directory, baseURL: SocketDoor.publicURL, signIn: signIn, interfaces: .dialects))
        authorization = ""
        authorization = try await token("hr")
    }

    /// A provisioning client's credentials.
    package func token(_ name: String) async throws -> String {
        "Bearer "
            + (try await APIToken.create(named: name, role: .provisioning, expires: nil, in: directory.unrestricted)
                .text)
    }

    /// The same server, called by somebody else.
    package func called(by authorization: String) -> SCIMServer {
        var server = self
        server.authorization = authorization
        return server
    }

    /// The same server, called by a user of the directory, who gets a password.
    package func called(byUser name: String) async throws -> SCIMServer {
        let id = try id(of: name)
        let password = "a long pass phrase of \(name.reversed())"
        let answer = try await patch("/Users/\(id)", ["op": "replace", "path": "password", "value": .string(password)])
        #expect(answer.status == 200)
        return called(by: "Basic " + Data("\(name):\(password)".utf8).base64EncodedString())
    }

    /// The same server, called by a new administrator.
    package func calledByAdministrator(_ name: String = "root") async throws -> SCIMServer {
        let server = called(by: authorization)
        let answer = try await server.post("/Users", ["schemas": [.string(Self.user)], "userName": .string(name)])
        #expect(answer.status == 201)
        let caller = try await server.called(byUser: name)
        let id = try server.id(of: name)
        try await directory.unrestricted.awaitWrite { session in
            let role = try session.asPresentAdministrator(to: "test").powers.administratorsRole()
            try session.asRoleOwner(of: .id(role.id), changing: .member).add([.user(.either(id))])
        }
        return caller
    }

    // MARK: Requests

    /// An answer with its body as JSON.
    package struct Answer: Sendable {
        package let status: Int
        package let headers: HTTPHeaders
        package let body: JSONValue

        package var type: String? { body["scimType"]?.text }
        package var resources: [JSONValue] { body["Resources"]?.elements ?? [] }
        package var names: [String] { resources.compactMap { $0["userName"]?.text ?? $0["displayName"]?.text } }
        package var total: JSONValue? { body["totalResults"] }
        /// The status and the keyword of a refusal.
        package var refusal: String { "\(status) \(type ?? "")" }
    }

    package func ask(
        _ method: String, _ path: String, _ body: JSONValue? = nil, headers: [(String, String)] = []
    ) async throws -> Answer {
        var fields = HTTPHeaders()
        fields.add("Authorization", authorization)
        if body != nil { fields.add("Content-Type", "application/scim+json") }
        for (name, value) in headers { fields.add(name, value) }
        let target = "/scim/v2" + path
        let request = HTTPRequest(method, target, headers: fields, body: body?.bytes ?? [])
        let response =
            if let door { try await door.respond(to: request) } else { await service.respond(to: request) }
        guard case .bytes(let bytes) = response.body else {
            Issue.record("a stream")
            return Answer(status: response.status, headers: response.headers, body: .null)
        }
        if response.status >= 500 { Issue.record("\(method) \(path): \(String(decoding: bytes, as: UTF8.self))") }
        let json: JSONValue = bytes.isEmpty ? .null : try JSONValue(parsing: bytes)
        if response.status >= 400 {
            #expect(json["schemas"] == ["urn:ietf:params:scim:api:messages:2.0:Error"])
            #expect(json["status"] == .string(String(response.status)))
        }
        return Answer(status: response.status, headers: response.headers, body: json)
    }

    package func get(_ path: String) async throws -> Answer { try await ask("GET", path) }
    package func post(_ path: String, _ body: JSONValue) async throws -> Answer { try await ask("POST", path, body) }
    package func put(_ path: String, _ body: JSONValue) async throws -> Answer { try await ask("PUT", path, body) }
    package func delete(_ path: String) async throws -> Answer { try await ask("DELETE", path) }

    package func patch(_ path: String, _ operations: JSONValue..., headers: [(String, String)] = []) async throws
        -> Answer
    {
        try await ask(
            "PATCH", path,
            ["schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], "Operations": .array(operations)],
            headers: headers)
    }

    package func bulk(_ operations: [JSONValue], failOnErrors: JSONValue? = nil) async throws -> Answer {
        var body: JSONValue = [
            "schemas": ["urn:ietf:params:scim:api:messages:2.0:BulkRequest"], "Operations": .array(operations),
        ]
        if let failOnErrors { body["failOnErrors"] = failOnErrors }
        return try await post("/Bulk", body)
    }

    /// Who fits a filter: by `GET`, and by `POST` to `.search`, which must agree.
    package func find(_ filter: String, in endpoint: String = "Users", _ more: String = "") async throws -> Answer {
        let found = try await get("/\(endpoint)?filter=\(PercentEncoding.segment(filter))&count=500\(more)")
        if more.isEmpty {
            let searched = try await post(
                "/\(endpoint)/.search",
                ["schemas": [.string(Self.searchRequest)], "filter": .string(filter), "count": 500])
            #expect(searched.body == found.body)
        }
        #expect(found.status != 200 || found.total == .integer(Int64(found.resources.count)))
        return found
    }

    // MARK: What is there

    package func id(of user: String) throws -> String {
        try directory.unrestricted.users.user(.named(user)).id.description
    }
    package func id(ofGroup role: String) throws -> String {
        try directory.unrestricted.roles.role(.named(role)).id.description
    }

    /// A user of the least that there can be.
    package func create(_ name: String, _ more: (String, JSONValue)...) async throws -> String {
        var body: JSONValue = ["schemas": [.string(Self.user)], "userName": .string(name)]
        for (key, value) in more { body[key] = value }
        let answer = try await post("/Users", body)
        #expect(answer.status == 201, "\(answer.body)")
        return try #require(answer.body["id"]?.text)
    }

    package func createGroup(_ name: String, members: [String] = []) async throws -> String {
        let answer = try await post(
            "/Groups",
            [
                "schemas": [.string(Self.group)], "displayName": .string(name),
                "members": .array(members.map { ["value": .string($0)] }),
            ])
        #expect(answer.status == 201, "\(answer.body)")
        return try #require(answer.body["id"]?.text)
    }

    package func members(_ group: String) async throws -> Set<String> {
        Set((try await get("/Groups/\(group)").body["members"]?.elements ?? []).compactMap { $0["value"]?.text })
    }
}

extension JSONValue {
    /// The value at a path of names.
    package func at(_ names: String...) -> JSONValue? {
        names.reduce(self) { value, name in value?[name] }
    }
}

extension String {
    package var json: JSONValue { .string(self) }
    package var base64: String { Data(utf8).base64EncodedString() }
}
