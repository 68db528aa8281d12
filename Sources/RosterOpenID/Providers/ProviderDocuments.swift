package import Foundation
package import RosterText

/// The documents of an issuer: the discovery document and the keys. They are fetched when they are needed, by one caller at a time, and
/// kept. Copies share what is kept.
///
/// Clients, the server as a client of identity providers, and APIs that check tokens use the same documents; each fetches them in its
/// own way.
package struct ProviderDocuments: Sendable {
    /// A document of an issuer.
    package enum Document: String, Sendable {
        case discovery = "discovery document"
        case keySet = "key set"
    }

    /// The reason why a document that was fetched cannot be used. The text holds nothing of the document.
    package enum Problem: Error, Sendable, Hashable, CustomStringConvertible {
        case otherIssuer
        case noKeySet
        case badKeySet

        package var description: String {
            switch self {
            case .otherIssuer: "The issuer's discovery document is of another issuer."
            case .noKeySet: "The issuer's discovery document names no 'jwks_uri' with an https URL."
            case .badKeySet: "What is at the issuer's 'jwks_uri' is not a key set."
            }
        }
    }

    /// Keys, and the time when they were fetched.
    private struct Keys: Sendable {
        let set: VerificationKeySet
        let fetched: Date
    }

    private let issuer: String
    private let discoveryURL: String
    private let rules: (discovery: ReloadRule, keys: ReloadRule)
    private let clock: @Sendable () -> Date
    private let fetch: @Sendable (_ url: String, Document) async throws -> JSONValue
    private let descriptions: FetchMemory<String, ProviderMetadata>
    private let keySets: FetchMemory<String, Keys>

    /// Keys that cannot be fetched again are used for a day at most, so that a removed key does not stay good.
    private static let longestUse: TimeInterval = 86_400

    /// - Parameters:
    ///   - issuer: The issuer that the discovery document must name, byte for byte.
    ///   - discoveryURL: The address of the discovery document; nil for that of the standard.
    ///   - discoveryRule: When the discovery document is fetched again.
    ///   - keyRule: When keys are fetched again. The minimum also bounds the requests that tokens with unknown keys cause.
    ///   - fetchesKeysAtFirstMiss: Whether the first token with an unknown key fetches the keys at once, whatever the rule says.
    ///   - clock: The time.
    ///   - fetch: Fetches a JSON object. The errors are passed on.
    package init(
        of issuer: String, at discoveryURL: String? = nil, discoveryRule: ReloadRule, keyRule: ReloadRule,
        fetchesKeysAtFirstMiss: Bool = false, clock: @escaping @Sendable () -> Date,
        fetch: @escaping @Sendable (_ url: String, Document) async throws -> JSONValue
    ) {
        (self.issuer, self.clock, self.fetch) = (issuer, clock, fetch)
        self.discoveryURL = discoveryURL ?? ProviderMetadata.discoveryURL(of: issuer)
        rules = (discoveryRule, keyRule)
        descriptions = FetchMemory(clock: clock)
        keySets = FetchMemory(fetchesAtFirstMiss: fetchesKeysAtFirstMiss, clock: clock)
    }

    /// The content of the discovery document, also of an old one that cannot be fetched again.
    ///
    /// - Throws: ``Problem``, the errors of fetching, `CancellationError`.
    package func metadata() async throws -> ProviderMetadata {
        let found = try await descriptions.value(of: issuer, by: rules.discovery) {
            let document = try await fetch(discoveryURL, .discovery)
            guard let metadata = ProviderMetadata(document, issuer: issuer) else { throw Problem.otherIssuer }
            return metadata
        }
        guard let metadata = found.value else { throw found.problem ?? Problem.otherIssuer }
        return metadata
    }

    /// Whether a key of the issuer made the signature of a token. The keys are fetched once more if the key that the token names is
    /// not among the known ones under that name, or if the token names no key and none fits; then not before the rule for keys allows.
    ///
    /// - Throws: ``Problem``, the errors of fetching, `CancellationError`, if that cannot be known now.
    package func isSigned(_ token: JSONWebToken, allowing algorithms: Set<SignatureAlgorithm>) async throws -> Bool {
        let known = try await keys(isMissing: false).set
        if try token.isSigned(by: known, allowing: algorithms) { return true }
        if let name = token.keyID, known.keys.contains(where: { $0.id == name }) { return false }
        let renewed = try await keys(isMissing: true)
        if try token.isSigned(by: renewed.set, allowing: algorithms) { return true }
        if let problem = renewed.problem { throw problem }
        return false
    }

    /// The issuer's keys, and the error of the last attempt to fetch them.
    private func keys(isMissing: Bool) async throws -> (set: VerificationKeySet, problem: (any Error)?) {
        // Keys are kept under their address, since another server's are at another address.
        guard let url = try await metadata().keySetURL else { throw Problem.noKeySet }
        let found = try await keySets.value(of: url, by: rules.keys, isMissing: isMissing) {
            guard let set = VerificationKeySet(try await fetch(url, .keySet)) else { throw Problem.badKeySet }
            return Keys(set: set, fetched: clock())
        }
        guard let known = found.value, clock().timeIntervalSince(known.fetched) < Self.longestUse else {
            throw found.problem ?? Problem.badKeySet
        }
        return (known.set, found.problem)
    }
}
