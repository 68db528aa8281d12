import Foundation
import RosterOpenID
import RosterText

/// The requests to providers: for their descriptions, for tokens in exchange for a code or a refresh token, and for keys.
struct ProviderClient: Sendable {
    /// The tokens that a provider gives for a code or a refresh token.
    struct Tokens: Sendable {
        let idToken: String?
        let accessToken: String?
        let refreshToken: String?
        let lifetime: Int64?
    }

    private let descriptions: FetchMemory<String, ProviderMetadata>
    private let keySets: KeySetCache
    private let clock: @Sendable () -> Date

    init(clock: @escaping @Sendable () -> Date) {
        self.clock = clock
        descriptions = FetchMemory(clock: clock)
        keySets = KeySetCache(clock: clock)
    }

    /// The provider's discovery document. It is fetched once a day; a provider that does not answer is asked once a second at most.
    func description(of provider: IdentityProvider) async throws -> ProviderMetadata {
        let rule = ReloadRule(minimumSeconds: 1, maximumSeconds: 86_400)
        let found = await descriptions.value(of: provider.name, by: rule) { try await Self.fetch(provider) }
        guard let description = found.value else {
            throw DocumentFetcher.Problem(description: found.problem ?? "The provider does not answer.")
        }
        return description
    }

    private static func fetch(_ provider: IdentityProvider) async throws -> ProviderMetadata {
        let document = try await DocumentFetcher().object(request(provider.discoveryURL, provider))
        do {
            return try ProviderMetadata(document, issuer: provider.issuer, allowsHTTP: provider.isLocal)
        } catch {
            throw DocumentFetcher.Problem(description: error.message)
        }
    }

    private static func request(_ url: String, _ provider: IdentityProvider) -> DocumentFetcher.Request {
        var request = DocumentFetcher.Request(url)
        request.allowsHTTP = provider.isLocal
        // A document must not send requests to other hosts in our own network.
        request.mustBePublic = !provider.isLocal && URL(string: url)?.host() != URL(string: provider.issuer)?.host()
        (request.connectTimeoutSeconds, request.readTimeoutSeconds) = (10, 20)
        return request
    }

    /// Asks for tokens (OpenID Connect Core, sections 3.1.3 and 12).
    func tokens(
        from provider: IdentityProvider, _ parameters: [(name: String, value: String)]
    ) async throws -> Tokens {
        let description = try await description(of: provider)
        var request = Self.request(description.tokenEndpoint, provider)
        let proof = description.proof(clientID: provider.clientID, secret: provider.secret)
        request.authorization = proof.authorization
        request.form = parameters + proof.form
        let answer = try await DocumentFetcher().object(request)
        let lifetime = answer["expires_in"].flatMap { if case .integer(let seconds) = $0 { seconds } else { nil } }
        return Tokens(
            idToken: answer["id_token"]?.text, accessToken: answer["access_token"]?.text,
            refreshToken: answer["refresh_token"]?.text, lifetime: lifetime)
    }

    /// The claims of a valid id token of a provider that is for this service (OpenID Connect Core, section 3.1.3.7); nil for any
    /// other token.
    ///
    /// - Parameter nonce: The nonce of the request; nil if the app asked for the token itself.
    func claims(of text: String, from provider: IdentityProvider, nonce: String?) async throws -> JSONValue? {
        let rules = IDTokenRules(
            issuer: provider.issuer, clientID: provider.clientID, nonce: nonce, skew: ExternalTokenChecker.skew)
        guard let token = try? JSONWebToken(text), rules.problem(with: token, now: clock()) == nil else { return nil }
        let isGenuine: Bool
        if provider.isSignedWithSecret {
            let keys = VerificationKeySet([VerificationKey(sharedSecret: Array((provider.secret ?? "").utf8))])
            isGenuine = try token.isSigned(by: keys, allowing: [.hs256])
        } else {
            isGenuine = try await isSigned(token, by: provider)
        }
        return isGenuine ? token.claims : nil
    }

    private func isSigned(_ token: JSONWebToken, by provider: IdentityProvider) async throws -> Bool {
        for isMissing in [false, true] {
            let found = await keySets.keys(from: provider.keySource, issuer: provider.issuer, isMissing: isMissing)
            guard let keys = found.keys else {
                throw DocumentFetcher.Problem(description: found.problem ?? "The provider publishes no keys.")
            }
            if token.candidates(keys).isEmpty { continue }
            return try token.isSigned(by: keys, allowing: SignatureAlgorithm.published)
        }
        return false
    }
}
