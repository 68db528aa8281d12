package import Foundation
package import Roster
import RosterFixtures
import RosterDialects
package import RosterREST
import RosterServer
package import RosterSignIn
package import RosterText
import Testing
package import TestSupport

/// Who sends a request.
package enum Client: Sendable, Hashable, CaseIterable, CustomStringConvertible {
    case administrator, provisioning, tokenAdministrator, monitoring
    /// A program that reads the names, the mail addresses and the roles of all users.
    case reading
    /// An engineer, and somebody above the engineer.
    case person, manager
    /// Somebody whose account is disabled, with the right password.
    case disabled
    case unknownName, wrongPassword, revoked, expired, nobody

    package static let signedIn: [Client] = [.administrator, .provisioning, .tokenAdministrator, .person, .manager]
    package static let notLetIn: [Client] = [.disabled, .unknownName, .wrongPassword, .revoked, .expired, .nobody]

    package var description: String { "as \(label)" }
    private var label: String {
        switch self {
        case .administrator: "administrator"
        case .provisioning: "provisioning token"
        case .tokenAdministrator: "administrator's token"
        case .monitoring: "monitoring token"
        case .reading: "reading token"
        case .person: "person"
        case .manager: "manager"
        case .disabled: "disabled user"
        case .unknownName: "unknown name"
        case .wrongPassword: "wrong password"
        case .revoked: "revoked token"
        case .expired: "expired token"
        case .nobody: "nobody"
        }
    }
}

/// The small company behind a service, with people who can sign in.
package struct ServiceUnderTest: Sendable {
    package static let base = "/oic_rest/rest/userprofile"
    package static let password = "correct horse battery"
    package static let engineer = "ren.watanabe"
    package static let lead = "haruka.ito"
    package static let disabled = "matthias.schmidt"

    package let directory: Directory
    package let signIn: SignIn
    /// The service itself, without a server.
    package let service: RESTService
    /// The server of a test that runs over a socket.
    private let door: SocketDoor?
    private let company: CompanyDirectory
    package let clock: SettableClock
    package let log: Gathered<RequestRecord>
    private let tokens: [Client: String]

    package init(
        hosts: Set<String> = [], allowsPlainCredentials: Bool = false, at start: Date = Fixtures.moment,
        keepAliveInterval: Duration = .seconds(15), parameters: PasswordParameters? = nil,
        providers: IdentityProviders = .none, direct: SignIn.DirectAccess = SignIn.DirectAccess()
    ) async throws {
        let clock = SettableClock(start)
        let log = Gathered<RequestRecord>()
        company = try CompanyDirectory(clock: { clock.now })
        directory = company.directory
        self.clock = clock
        self.log = log
        let parameters = parameters ?? .forTests
        let hash = try PasswordHash.make(Self.password, parameters).text
        try await directory.unrestricted.awaitWrite { session in
            let role = try session.asPresentAdministrator(to: "test").powers.administratorsRole()
            let root = try session.asEditor(to: "test").users.create(
                NewUser("root", attributes: ["password": .string(hash)]))
            try session.asRoleOwner(of: .id(role.id), changing: .member).add([.user(.id(root.id))])
            for name in [Self.engineer, Self.lead, Self.disabled] {
                _ = try session.users.modify(.named(name), [.set("password", .string(hash))], ifVersion: nil)
            }
        }
        let view = directory.unrestricted
        tokens = [
            .provisioning: try await APIToken.create(named: "hr", role: .provisioning, expires: nil, in: view).text,
            .tokenAdministrator: try await APIToken.create(named: "ops", role: .administrator, expires: nil, in: view)
                .text,
            .monitoring: try await APIToken.create(named: "watch", role: .monitoring, expires: nil, in: view).text,
            .reading: try await APIToken.create(
                named: "wiki", role: .reading, expires: nil, reading: GivenView(["uid", "mail", "memberOf"]), in: view
            ).text,
            .revoked: try await APIToken.create(named: "gone", role: .administrator, expires: nil, in: view).text,
            .expired: try await APIToken.create(named: "old", role: .administrator, expires: start, in: view).text,
        ]
        try await view.awaitWrite { try $0.asPresentAdministrator(to: "test").apiTokens.revoke(named: "gone") }
        if HTTPForm.current == .overSocket {
            let door = try SocketDoor(directory) {
                $0.allowsPlainHTTP = allowsPlainCredentials
                $0.passwordCost = parameters
                $0.clock = { clock.now }
            }
            self.door = door
            signIn = try door.signIn()
        } else {
            door = nil
            signIn = try SignIn(
                directory, issuer: SocketDoor.publicURL, passwordCost: parameters, trust: .init(), providers: providers,
                direct: direct, clock: { clock.now })
        }
        service = RESTService(
            try ServiceContext(
                directory: directory, baseURL: SocketDoor.publicURL, hosts: hosts,
                allowsPlainCredentials: allowsPlainCredentials, signIn: signIn, keepAliveInterval: keepAliveInterval,
                log: { log.append($0) }, interfaces: .dialects))
    }

    /// All that is stored.
    package func storedBytes() throws -> Data {
        guard let database = company.database, let cluster = PostgreSQLCluster.shared else {
            return try directory.memoryImage()
        }
        return try cluster.dump(database)
    }

    package static func basic(_ name: String, _ password: String = Self.password) -> String {
        "Basic " + Data("\(name):\(password)".utf8).base64EncodedString()
    }

    package func authorization(_ client: Client) -> String? {
        switch client {
        case .administrator: Self.basic("root")
        case .person: Self.basic(Self.engineer)
        case .manager: Self.basic(Self.lead)
        case .disabled: Self.basic(Self.disabled)
        case .unknownName: Self.basic("nobody.of.that.name")
        case .wrongPassword: Self.basic(Self.engineer, "something else entirely")
        case .nobody: nil
        default: tokens[client].map { "Bearer \($0)" }
        }
    }

    /// The number of the last change to somebody or something; sign-ins and refusals are told a moment later and are none.
    package func lastChange() async throws -> Int64 {
        try await directory.unrestricted.changes.since(0, limit: 10_000)
            .last { [.created, .modified, .deleted].contains($0.kind) }?.sequence ?? 0
    }

    /// Sends a request. A path that begins with no slash is one of the profile service.
    package func request(
        _ method: String, _ path: String, as client: Client = .administrator, _ body: JSONValue? = nil,
        headers: [(String, String)] = [], clientAddress: String = "192.0.2.1"
    ) async -> Answer {
        await send(method, path, authorization(client), body?.bytes, headers: headers, clientAddress: clientAddress)
    }

    /// Sends a request with bytes for a body, JSON unless the headers say otherwise.
    package func send(
        _ method: String, _ path: String, _ authorization: String?, _ body: [UInt8]? = nil,
        headers: [(String, String)] = [], clientAddress: String = "192.0.2.1", isConfidential: Bool = true
    ) async -> Answer {
        var fields = HTTPHeaders()
        if let authorization { fields.add("Authorization", authorization) }
        if body != nil, !headers.contains(where: { $0.0 == "Content-Type" }) {
            fields.add("Content-Type", "application/json")
        }
        for (name, value) in headers { fields.add(name, value) }
        let target = path.hasPrefix("/") ? path : "\(Self.base)/\(path)"
        return Answer(
            await respond(
                to: HTTPRequest(
                    method, target, headers: fields, body: body ?? [], clientAddress: clientAddress,
                    isConfidential: isConfidential)))
    }

    /// Sends a request as it is.
    package func respond(to request: HTTPRequest) async -> HTTPResponse {
        guard let door else { return await service.respond(to: request) }
        do {
            return try await door.respond(to: request)
        } catch {
            Issue.record(error, "\(request.method) \(request.target) over a socket")
            return HTTPResponse(599)
        }
    }

    /// Every page of a list from a path on, by the links `next`.
    package func pages(
        _ path: String, as client: Client = .administrator, between: (Int) async throws -> Void = { _ in }
    ) async throws -> [[JSONValue]] {
        var pages: [[JSONValue]] = []
        var next: String? = path
        while let path = next, pages.count < 1_000 {
            let answer = await request("GET", path, as: client)
            try #require(answer.status == 200, "\(path): \(answer.text)")
            pages.append(answer.elements)
            next = answer.body["next"]?.text
            try await between(pages.count)
        }
        return pages
    }
}

/// What came back.
package struct Answer: Sendable {
    package let response: HTTPResponse
    package let bytes: [UInt8]
    /// The body where it is JSON, else null.
    package let body: JSONValue

    package init(_ response: HTTPResponse) {
        self.response = response
        if case .bytes(let bytes) = response.body { self.bytes = bytes } else { bytes = [] }
        body = (try? JSONValue(parsing: bytes)) ?? .null
    }

    package var status: Int { response.status }
    package var text: String { String(decoding: bytes, as: UTF8.self) }
    package var elements: [JSONValue] { body["elements"]?.elements ?? [] }
    package var names: [String] { elements.compactMap { ($0["uid"] ?? $0["commonname"])?.text } }
    package subscript(name: String) -> JSONValue? { body[name] }
    package func header(_ name: String) -> String? { response.headers[name] }

    /// Whether it is an error in the form of the profile service, and nothing else.
    package var isProfileError: Bool {
        header("Content-Type") == "application/json" && body.members.map(\.name) == ["message", "oicErrorCode"]
            && body["message"]?.text?.isEmpty == false && body["oicErrorCode"]?.text?.hasPrefix("IDAAS-") == true
    }
}

extension JSONValue {
    package var names: [String] { members.map(\.name) }
}
