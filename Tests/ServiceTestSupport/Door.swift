import Foundation
package import Roster
package import RosterREST
package import RosterServer
package import RosterSignIn
package import Testing
import TestSupport

/// How the requests of a test reach the service.
package enum HTTPForm: String, Sendable, CaseIterable {
    /// The service is called directly.
    case inProcess
    /// A client that only knows HTTP sends them to a server on 127.0.0.1.
    case overSocket

    /// The form in which the test runs now.
    @TaskLocal package static var current = HTTPForm.inProcess
}

/// Runs each test of a suite twice: in process, and over a socket. On PostgreSQL, tests run in process only, but in both forms in a long
/// run, because the database knows nothing of the form.
package struct BothForms: SuiteTrait, TestTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil, !test.traits.contains(where: { $0 is InProcess }) else { return try await function() }
        let isLong = ProcessInfo.processInfo.environment["ROSTER_FAULTS"] == "all"
        let forms = PostgreSQLCluster.shared == nil || isLong ? HTTPForm.allCases : [.inProcess]
        for form in forms { try await HTTPForm.$current.withValue(form) { try await function() } }
    }
}

/// Keeps a test of a suite that runs in both forms in process.
package struct InProcess: TestTrait {
    /// Why the test says nothing over a socket.
    let reason: String
}

extension Trait where Self == InProcess {
    /// Keeps a test of a suite that runs in both forms in process, for a reason.
    package static func inProcess(_ reason: String) -> Self { InProcess(reason: reason) }
}

extension Trait where Self == BothForms {
    /// Runs each test of a suite in process and over a socket.
    package static var inBothForms: Self { BothForms() }
}

/// The server of a test that runs over a socket, and a plain client of it. The server ends with the test.
package final class SocketDoor: Sendable {
    private let server: DirectoryServer
    private let port: UInt16

    /// Where clients reach the server, as it knows it: it takes the word of a proxy on this machine for whom it asks.
    package static let publicURL = "https://id.example.com"

    package init(_ directory: Directory, _ change: (inout DirectoryServer.Configuration) -> Void) throws {
        var configuration = DirectoryServer.Configuration(listen: "127.0.0.1:0", publicURL: Self.publicURL)
        configuration.trustedProxies = ["127.0.0.1"]
        change(&configuration)
        server = try DirectoryServer(directory, configuration: configuration)
        try server.start()
        port = try #require(server.port)
    }

    deinit {
        let server = server
        Task.detached { await server.stop(timeout: .zero) }
    }

    /// What the server signs people in by.
    package func signIn() throws -> SignIn { try #require(server.signIn) }

    /// Sends a request as bytes over a connection of its own, and reads the response.
    package func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        var head = "\(request.method) \(request.target) HTTP/1.1\r\nConnection: close\r\n"
        var fields = request.headers.fields.map { ($0.name, $0.value) }
        if request.headers["Host"] == nil { fields.append(("Host", "id.example.com")) }
        if !request.clientAddress.isEmpty { fields.append(("X-Forwarded-For", request.clientAddress)) }
        if !request.body.isEmpty || ["POST", "PUT", "PATCH"].contains(request.method) {
            fields.append(("Content-Length", String(request.body.count)))
        }
        for (name, value) in fields { head += "\(name): \(value)\r\n" }
        let bytes = Array((head + "\r\n").utf8) + request.body
        let port = port
        let response = try await onThread {
            let client = try RawClient(port: port)
            client.sendNow(bytes)
            return try client.responseNow(toHead: request.method == "HEAD", within: 60)
        }
        var headers = HTTPHeaders()
        for line in response.head.components(separatedBy: "\r\n").dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers.add(String(line[..<colon]), line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces))
        }
        return HTTPResponse(response.status, headers: headers, body: .bytes(Array(response.body.utf8)))
    }
}
