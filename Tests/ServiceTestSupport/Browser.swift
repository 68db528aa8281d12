package import Foundation
import RosterText
package import RosterTransport
import Testing
import TestSupport

/// A browser that keeps cookies, types a name and a password, and decides as its user wants.
package final class Browser: Sendable {
    private let transport = Transport()
    private let cookies = Locked<[String: String]>([:])
    private let decision: String

    package init(decision: String = "allow") { self.decision = decision }

    /// Goes from the sign-in page to the URL that begins with the app's redirect URL.
    package func signIn(at url: URL, redirectURL: URL) async throws -> URL {
        try #require(try await goThrough(url, redirectURL))
    }

    /// Signs in and decides on all pages from a URL on, to a page that asks for nothing.
    package func decide(at url: URL) async throws { #expect(try await goThrough(url, nil) == nil) }

    private func goThrough(_ url: URL, _ redirectURL: URL?) async throws -> URL? {
        var answer = try await send("GET", url.absoluteString)
        let page = url.absoluteString.prefix { $0 != "?" }
        for _ in 0..<5 {
            if let redirectURL, let location = answer.headers["Location"],
                location.hasPrefix(redirectURL.absoluteString)
            {
                return URL(string: location)
            }
            let text = String(decoding: answer.body, as: UTF8.self)
            guard let sealed = text.firstMatch(of: #/name="request" value="([^"]*)"/#) else { return nil }
            let entries =
                text.contains("name=\"password\"")
                ? [("username", ServiceUnderTest.engineer), ("password", ServiceUnderTest.password)]
                : [("decision", decision)]
            answer = try await send("POST", String(page), [("request", String(sealed.1))] + entries)
        }
        throw CocoaError(.featureUnsupported)
    }

    /// Opens a URL of the app, as the last redirect does, and returns the page.
    @discardableResult
    package func open(_ url: URL) async throws -> TransportResponse {
        try await transport.send(TransportRequest("GET", url.absoluteString))
    }

    private func send(_ method: String, _ url: String, _ form: [(String, String)]? = nil) async throws
        -> TransportResponse
    {
        var request = TransportRequest(method, url)
        let jar = cookies.withLock { $0 }
        if !jar.isEmpty { request.headers["Cookie"] = jar.map { "\($0)=\($1)" }.joined(separator: "; ") }
        if let form {
            request.headers["Content-Type"] = "application/x-www-form-urlencoded"
            request.body = Array(App.encoded(form).utf8)
        }
        let answer = try await transport.send(request)
        for field in answer.headers.values(of: "Set-Cookie") {
            let pair = field.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1).map(String.init)
            cookies.withLock { $0[pair[0]] = pair.count == 2 ? pair[1] : nil }
        }
        return answer
    }
}
