import Foundation
import RosterOpenID
import RosterSignIn
import RosterText
import RosterTransport

/// The documents of an issuer: discovery and keys. They are fetched when they are needed, by one caller at a time, and kept.
struct IssuerDocuments: Sendable {
    /// The reason why the issuer could not be asked. The text holds nothing of what was sent.
    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    struct Answer: Sendable {
        let status: Int
        /// The body if it is a JSON object.
        let json: JSONValue?
    }

    /// Keys, and the time when they were fetched.
    private struct Keys: Sendable {
        let set: VerificationKeySet
        let fetched: Date
    }

    private let issuer: String
    private let transport: Transport
    private let clock: @Sendable () -> Date
    private let keys: FetchMemory<String, Keys>
    private let descriptions: FetchMemory<String, JSONValue>

    /// The largest answer of an issuer in bytes.
    private static let maximumBytes = 256 << 10
    private static let deadline = Duration.seconds(10)
    /// Keys are fetched again after a quarter of an hour, and for an unknown key at most every ten seconds.
    private static let keyRule = ReloadRule(minimumSeconds: 10, maximumSeconds: 900)
    private static let descriptionRule = ReloadRule(minimumSeconds: 1, maximumSeconds: 3_600)
    /// Keys that could not be fetched again are used for a day, so that a removed key does not stay good.
    private static let longestUse: TimeInterval = 86_400

    init(_ issuer: String, _ transport: Transport, clock: @escaping @Sendable () -> Date) {
        (self.issuer, self.transport, self.clock) = (issuer, transport, clock)
        keys = FetchMemory(clock: clock)
        descriptions = FetchMemory(clock: clock)
    }

    /// The issuer's keys.
    ///
    /// - Parameter isMissing: Whether a key is needed that is not among the known ones.
    /// - Returns: The keys, and whether the last attempt to fetch them succeeded.
    /// - Throws: ``Problem`` if there are no keys.
    func keys(isMissing: Bool) async throws(Problem) -> (keys: VerificationKeySet, areFresh: Bool) {
        let found = await keys.value(of: issuer, by: Self.keyRule, isMissing: isMissing) {
            let document = try await description()
            guard let url = document["jwks_uri"]?.text, isEndpoint(url) else {
                throw Problem(description: "The issuer's description names no 'jwks_uri' with an https URL.")
            }
            let answer = try await send(TransportRequest("GET", url))
            guard answer.status == 200, let json = answer.json, let set = VerificationKeySet(json) else {
                throw Problem(
                    description: "The issuer's 'jwks_uri' answers with status \(answer.status) and no key set.")
            }
            return Keys(set: set, fetched: clock())
        }
        guard let known = found.value, clock().timeIntervalSince(known.fetched) < Self.longestUse else {
            throw Problem(description: found.problem ?? "The issuer's keys are too old, and it does not answer.")
        }
        return (known.set, found.problem == nil)
    }

    /// The URL of an endpoint in the discovery document.
    func endpoint(_ name: String) async throws -> String {
        let found = await descriptions.value(of: issuer, by: Self.descriptionRule) { try await description() }
        guard let url = found.value?[name]?.text, isEndpoint(url) else {
            throw Problem(
                description: found.value == nil
                    ? found.problem ?? "The issuer does not answer."
                    : "The issuer's description names no '\(name)' with an https URL.")
        }
        return url
    }

    /// The discovery document (OpenID Connect Discovery, section 4), which must be of the issuer itself.
    private func description() async throws -> JSONValue {
        let place = (issuer.hasSuffix("/") ? issuer : issuer + "/") + ".well-known/openid-configuration"
        let answer = try await send(TransportRequest("GET", place))
        guard answer.status == 200, let document = answer.json else {
            throw Problem(
                description: "The issuer's description is answered with status \(answer.status), or is no JSON.")
        }
        guard document["issuer"]?.text?.hasSameBytes(as: issuer) == true else {
            throw Problem(description: "The issuer's description is of another issuer.")
        }
        return document
    }

    /// Sends a request to the issuer, within bounds of time and size.
    func send(_ request: TransportRequest) async throws -> Answer {
        var request = request
        request.headers["Accept"] = "application/json"
        request.deadline = Self.deadline
        request.connectTimeout = .seconds(5)
        request.maximumBodyBytes = Self.maximumBytes
        do {
            let answer = try await transport.send(request)
            let json = try? JSONValue(parsing: answer.body)
            if case .object? = json { return Answer(status: answer.status, json: json) }
            return Answer(status: answer.status, json: nil)
        } catch let error as TransportError {
            throw Problem(description: error.message)
        }
    }

    /// Whether an issuer may name an endpoint: `http` only if the issuer itself is on this machine without TLS.
    private func isEndpoint(_ text: String) -> Bool {
        Self.isEndpoint(text, allowsHTTP: issuer.hasPrefix("http:"))
    }

    static func isEndpoint(_ text: String, allowsHTTP: Bool) -> Bool {
        guard text.utf8.allSatisfy({ 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }),
            let url = URL(string: text), let host = url.host(), !host.isEmpty, url.fragment == nil, url.user() == nil
        else { return false }
        return url.scheme == "https" || url.scheme == "http" && allowsHTTP
    }
}
