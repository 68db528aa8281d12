import Foundation
import RosterREST
import Testing
import TestSupport

@testable import RosterServer

/// A server with its port, for the time of a test.
struct ServerUnderTest: Sendable {
    let server: HTTPServer
    let port: UInt16

    func client(from address: String? = nil) throws -> RawClient { try RawClient(port: port, from: address) }

    /// What a client that sends this gets.
    func ask(_ text: String) async throws -> Response { try await client().ask(text) }

    /// Waits until something holds, and fails where it does not within a while.
    func eventually(_ what: Comment, _ condition: @Sendable () -> Bool) async {
        let end = ContinuousClock.now + .seconds(60)
        while .now < end {
            // Looked at once: a moment later it may hold no more.
            if condition() { return }
            try? await Task.sleep(for: .milliseconds(5))
        }
        Issue.record(what)
    }
}

/// Serves while a test runs, and ends the server afterwards.
func serving(
    _ limits: HTTPServer.Limits = HTTPServer.Limits(), tls: HTTPServer.TLSFiles? = nil,
    trustedProxies: [String] = [], accept: @escaping Acceptor.Accept = Acceptor.systemAccept,
    handler: @escaping @Sendable (HTTPRequest) -> HTTPAnswer = { .now(describe($0)) },
    largeBody: @escaping @Sendable (HTTPRequest) -> LargeBody = { _ in .refused },
    _ body: (ServerUnderTest) async throws -> Void
) async throws {
    let server = try HTTPServer(
        listening: HTTPServer.Listener("127.0.0.1:0"), tls: tls, limits: limits,
        trustedProxies: TrustedProxies(trustedProxies), accept: accept, handler: handler, largeBody: largeBody,
        failure: { HTTPResponse($0, headers: ["Content-Type": "text/plain"], body: .bytes(Array($1.utf8))) })
    let port = try server.start()
    do {
        try await body(ServerUnderTest(server: server, port: port))
    } catch {
        await server.drain(timeout: .milliseconds(100))
        throw error
    }
    await server.drain(timeout: .milliseconds(100))
    #expect(server.statistics.connections == 0)
    #expect(server.statistics.requestsInFlight == 0)
}

/// A response that says what the handler was given.
func describe(_ request: HTTPRequest) -> HTTPResponse {
    let fields = request.headers.fields.map { "\($0.name)=\($0.value)" }.joined(separator: "|")
    let body = String(decoding: request.body, as: UTF8.self)
    return text("\(request.method) \(request.target) [\(fields)] \(body)")
}

func text(_ text: String, status: Int = 200) -> HTTPResponse {
    HTTPResponse(status, headers: ["Content-Type": "text/plain"], body: .bytes(Array(text.utf8)))
}

let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
