public import Foundation
import RosterClient
import RosterCrypto
import RosterText

/// A request of another app, or of a browser, that the single sign-on agent signs the user in. Mirrors
/// `OMMobileSecurityService parseURL:fromApp:`, `isSSORequest:`, `createReturnURL:nativeSSO:inputParams:clientRegHandles:error:`
/// and `sendSSOResponseWithHandles:error:params:`.
///
/// The URL is `scheme://sso?oamsso=true&serviceDomain=…`, and then `urlScheme=…&state=…` from an app, or
/// `serverURL=…&resourceURL=…` from a browser, which the server's `/oic_rest/mobilesso` leads to the agent. The library opens
/// nothing: the app opens the URLs that this type makes, after it asked the user.
///
/// Any app can register any scheme (RFC 8252, section 8.1), so a response should hold nothing that is worth stealing: a code
/// that the server exchanges once, and no token.
///
/// ```swift
/// guard SingleSignOnRequest.isRequest(url) else { return }
/// let request = try SingleSignOnRequest(url)
/// open(try request.responseURL(["code": code]))
/// ```
public struct SingleSignOnRequest: Sendable, Hashable {
    /// Who asks.
    public enum Requester: Sendable, Hashable {
        /// An app, which takes the response in a URL with this scheme.
        case app(urlScheme: String)
        /// A browser, which goes on to a page of a server. The page has the scheme, host and port of the server.
        case browser(server: String, page: String)
    }

    private static let reserved: Set = [
        "oamsso", "oamssoresponse", "serviceDomain", "urlScheme", "state", "serverURL", "resourceURL", "error",
        "errorDescription",
    ]

    /// Who asks.
    public let requester: Requester
    /// The service domain whose apps share the sign-in.
    public let serviceDomain: String
    /// The text that the response repeats, by which the requester knows its own response; nil from a browser.
    public let state: String?
    /// The other parameters.
    public let parameters: [String: String]

    /// Whether a URL is a sign-on request. The request may still be wrong.
    ///
    /// - Parameter url: The URL that the app was opened with.
    public static func isRequest(_ url: URL) -> Bool { (try? AgentURL(url))?["oamsso"] == "true" }

    /// Reads a request, in the agent.
    ///
    /// - Parameters:
    ///   - url: The URL that the app was opened with.
    ///   - allowsUnencrypted: Whether a browser's server without TLS is accepted, for tests.
    /// - Throws: `ClientError`: `insecureServer`; `badURL`.
    public init(_ url: URL, allowsUnencrypted: Bool = false) throws {
        let parts = try AgentURL(url)
        guard parts["oamsso"] == "true" else { throw AgentURL.failure("is not a sign-on request") }
        guard let domain = parts["serviceDomain"], domain.unicodeScalars.count <= 128 else {
            throw AgentURL.failure("names no service domain")
        }
        serviceDomain = domain
        state = parts["state"]
        guard (state?.utf8.count ?? 0) <= 512 else { throw AgentURL.failure("has a state of more than 512 bytes") }
        parameters = Self.others(parts)
        switch (parts["urlScheme"], parts["serverURL"]) {
        case (let scheme?, nil):
            guard AgentURL.isAppScheme(scheme) else {
                throw AgentURL.failure("asks for a response to a scheme of the system")
            }
            guard scheme.lowercased() != parts.scheme else { throw AgentURL.failure("asks the agent to answer itself") }
            requester = .app(urlScheme: scheme.lowercased())
        case (nil, let server?):
            let origin = try Self.origin(server, allowsUnencrypted)
            let page = parts["resourceURL"] ?? server
            guard try Self.origin(page, allowsUnencrypted) == origin else {
                throw AgentURL.failure("leads to a page of another server than the one it names")
            }
            requester = .browser(server: server, page: page)
        case (nil, nil): throw AgentURL.failure("does not say who asks")
        case (.some, .some): throw AgentURL.failure("comes from an app and from a browser at once")
        }
    }

    /// The scheme, host and port of a web address, which must be written so that no two programs disagree about the host.
    private static func origin(_ text: String, _ allowsUnencrypted: Bool) throws -> String {
        let problem = AgentURL.failure("has a web address that is not a plain https address")
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }),
            let start = text.firstRange(of: "://")
        else { throw problem }
        let scheme = text[..<start.lowerBound].lowercased()
        guard scheme == "https" || scheme == "http" else { throw problem }
        guard scheme == "https" || allowsUnencrypted else {
            throw ClientError(
                .insecureServer, "The sign-on request comes from a server without TLS.",
                advice: "Ask the administrator for a server with TLS.")
        }
        let authority = text[start.upperBound...].prefix { !"/?#".contains($0) }
        let (host, port): (Substring, Int?)
        if let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") {
            let digits = authority[authority.index(after: colon)...]
            guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                throw problem
            }
            (host, port) = (authority[..<colon], Int(digits))
        } else {
            (host, port) = (authority, scheme == "https" ? 443 : 80)
        }
        guard let port,
            let settings = try? ServerSettings(host: String(host), port: port, isSecure: scheme == "https")
        else { throw problem }
        return settings.url.absoluteString
    }

    // MARK: Asking

    /// Makes a request, in the app that wants the sign-in, with a new random ``state``.
    ///
    /// - Parameters:
    ///   - urlScheme: The scheme in which this app takes the response.
    ///   - serviceDomain: The service domain, at most 128 characters.
    ///   - parameters: Further parameters for the agent.
    /// - Throws: `ClientError`: `invalidInput`, `cryptographyFailed`.
    public init(urlScheme: String, serviceDomain: String, parameters: [String: String] = [:]) throws {
        guard AgentURL.isAppScheme(urlScheme) else {
            throw ClientError.invalidInput(
                "The text is not a scheme of an app.", "Give the scheme that the app registers, without a colon.")
        }
        guard (1...128).contains(serviceDomain.unicodeScalars.count), AgentURL.isPlain(serviceDomain) else {
            throw ClientError.invalidInput(
                "The service domain is empty, too long, or has control characters.", "Give 1 to 128 characters.")
        }
        try Self.check(parameters)
        requester = .app(urlScheme: urlScheme.lowercased())
        self.serviceDomain = serviceDomain
        self.parameters = parameters
        state = try ClientError.wrapping { try SecureRandom.token(bytes: 16) }
    }

    /// The URL that the app opens to ask the agent.
    ///
    /// - Parameter agentScheme: The scheme of the agent.
    /// - Throws: `ClientError` `invalidInput` for another scheme than an app's, a URL that would be too long, or a request
    ///   of a browser.
    public func url(agentScheme: String) throws -> URL {
        guard AgentURL.isAppScheme(agentScheme), case .app(let scheme) = requester else {
            throw ClientError.invalidInput(
                "The text is not a scheme of an app, or the request is a browser's.", "Give the scheme of the agent.")
        }
        return try AgentURL.make(
            agentScheme.lowercased(),
            [("oamsso", "true"), ("serviceDomain", serviceDomain), ("urlScheme", scheme)] + stated
                + Self.sorted(parameters))
    }

    // MARK: Answering

    /// The URL that the agent opens when the user is signed in: the app's, or the browser's page.
    ///
    /// - Parameter result: What the app gets, such as a code; a browser gets nothing.
    /// - Throws: `ClientError` `invalidInput` for names that the library uses, control characters, or a URL that would be
    ///   too long.
    public func responseURL(_ result: [String: String] = [:]) throws -> URL {
        switch requester {
        case .app(let scheme):
            try Self.check(result)
            return try AgentURL.make(scheme, [("oamssoresponse", "true")] + stated + Self.sorted(result))
        case .browser(_, let page):
            guard let url = URL(string: page) else { throw AgentURL.failure("has a page that is not a URL") }
            return url
        }
    }

    /// The URL that the agent opens to tell the app that the sign-in failed.
    ///
    /// - Parameters:
    ///   - error: A short code for programs, such as `access_denied`.
    ///   - details: A sentence for people, without secrets.
    /// - Throws: `ClientError` `invalidInput` for an empty code, control characters, or a URL that would be too long; also
    ///   for a browser, which the page would only send to the agent again: the agent shows the error itself.
    public func responseURL(error: String, details: String? = nil) throws -> URL {
        guard case .app(let scheme) = requester else {
            throw ClientError.invalidInput("A browser takes no error.", "Show the error in the agent.")
        }
        guard !error.isEmpty, AgentURL.isPlain(error), AgentURL.isPlain(details ?? "") else {
            throw ClientError.invalidInput("The error is empty, or has control characters.", "Give a short code.")
        }
        return try AgentURL.make(
            scheme,
            [("oamssoresponse", "true")] + stated + [("error", error)]
                + (details.map { [("errorDescription", $0)] } ?? []))
    }

    private var stated: [(name: String, value: String)] { state.map { [("state", $0)] } ?? [] }

    private static func sorted(_ parameters: [String: String]) -> [(name: String, value: String)] {
        parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    private static func check(_ parameters: [String: String]) throws {
        for (name, value) in parameters {
            guard !name.isEmpty, !reserved.contains(name), AgentURL.isPlain(name), AgentURL.isPlain(value) else {
                throw ClientError.invalidInput(
                    "A parameter has no name, a name that the library uses, or control characters.",
                    "Choose other names, and encode values that are not text.")
            }
        }
        guard parameters.count <= 48 else {
            throw ClientError.invalidInput("There are more than 48 parameters.", "Send fewer parameters.")
        }
    }

    // MARK: Reading the response

    /// Reads the agent's response, in the app that asked. Read one response to each request: forget the request afterwards.
    ///
    /// - Parameter url: The URL that the app was opened with.
    /// - Returns: What the agent sent, such as a code.
    /// - Throws: `ClientError`: `refused` with the agent's code if the sign-in failed; `badURL` for a URL that is not a response,
    ///   or one to another request.
    public func result(from url: URL) throws -> [String: String] {
        let parts = try AgentURL(url)
        guard case .app(let scheme) = requester, parts.scheme == scheme, parts["oamssoresponse"] == "true" else {
            throw AgentURL.failure("is not a response of a sign-on agent")
        }
        guard let state, let given = parts["state"], constantTimeEqual(state, given) else {
            throw AgentURL.failure("belongs to another request")
        }
        if let error = parts["error"] {
            let details = parts["errorDescription"].map { ": " + ShownText.plain($0) } ?? ""
            throw ClientError(
                .refused, "The sign-on agent refused the request with '\(ShownText.plain(error))'\(details).",
                advice: "Tell the user, and ask the agent again when the user wants to sign in.")
        }
        return Self.others(parts)
    }

    /// The parameters that have no meaning for the library.
    private static func others(_ parts: AgentURL) -> [String: String] {
        let others = parts.parameters.filter { !reserved.contains($0.name) }.map { ($0.name, $0.value) }
        return Dictionary(others) { first, _ in first }
    }
}
