import Foundation
import RosterOpenID
import RosterText

/// The requests to providers: for their descriptions, for tokens in exchange for a code or a refresh token, and for keys.
struct ProviderClient: Sendable {
    /// A provider's discovery document (OpenID Connect Discovery, section 3).
    struct Description: Sendable {
        let authorizationEndpoint: String
        let tokenEndpoint: String
        /// Whether the provider names itself in each answer (RFC 9207).
        let namesItself: Bool
        /// Whether the provider accepts the client's secret in the `Authorization` field.
        let takesBasic: Bool
    }

    /// The tokens that a provider gives for a code or a refresh token.
    struct Tokens: Sendable {
        let idToken: String?
        let accessToken: String?
        let refreshToken: String?
        let lifetime: Int64?
    }

    private let descriptions: FetchMemory<String, Description>
    private let keySets: KeySetCache
    private let clock: @Sendable () -> Date

    init(clock: @escaping @Sendable () -> Date) {
        self.clock = clock
        descriptions = FetchMemory(clock: clock)
        keySets = KeySetCache(clock: clock)
    }

    /// The provider's discovery document. It is fetched once a day; a provider that does not answer is asked once a second at most.
    func description(of provider: IdentityProvider) async throws -> Description {
        let rule = ReloadRule(minimumSeconds: 1, maximumSeconds: 86_400)
        let found = await descriptions.value(of: provider.name, by: rule) { try await Self.fetch(provider) }
        guard let description = found.value else {
            throw DocumentFetcher.Problem(description: found.problem ?? "The provider does not answer.")
        }
        return description
    }

    private static func fetch(_ provider: IdentityProvider) async throws -> Description {
        let document = try await DocumentFetcher().object(request(provider.discoveryURL, provider))
        guard document["issuer"]?.text == provider.issuer else {
            throw DocumentFetcher.Problem(description: "The provider's description is of another issuer.")
        }
        guard let authorization = document["authorization_endpoint"]?.text, isAddress(authorization, provider),
            let token = document["token_endpoint"]?.text, isAddress(token, provider)
        else { throw DocumentFetcher.Problem(description: "The provider's description names no endpoints.") }
        let methods = document["token_endpoint_auth_methods_supported"]?.texts
        return Description(
            authorizationEndpoint: authorization, tokenEndpoint: token,
            namesItself: document["authorization_response_iss_parameter_supported"] == true,
            takesBasic: methods?.contains("client_secret_basic") ?? true)
    }

    private static func isAddress(_ text: String, _ provider: IdentityProvider) -> Bool {
        // The address is sent in a header field, in quotes.
        guard
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
            ),
            let url = URL(string: text), let scheme = url.scheme, url.host() != nil, url.fragment == nil
        else {
            return false
        }
        return scheme == "https" || scheme == "http" && provider.isLocal
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
        var form = parameters
        if let secret = provider.secret, description.takesBasic {
            let text = "\(PercentEncoding.text(provider.clientID)):\(PercentEncoding.text(secret))"
            request.authorization = "Basic " + Base64.text(text.utf8)
        } else {
            form.append(("client_id", provider.clientID))
            if let secret = provider.secret { form.append(("client_secret", secret)) }
        }
        request.form = form
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
        guard let token = try? JSONWebToken(text), token.claims["iss"]?.text == provider.issuer,
            token.kind(otherThan: []) == nil
        else { return nil }
        let isGenuine: Bool
        if provider.isSignedWithSecret {
            let keys = VerificationKeySet([VerificationKey(sharedSecret: Array((provider.secret ?? "").utf8))])
            isGenuine = try token.isSigned(by: keys, allowing: [.hs256])
        } else {
            isGenuine = try await isSigned(token, by: provider)
        }
        guard isGenuine else { return nil }
        let claims = token.claims
        let audiences = claims["aud"]?.texts ?? []
        guard audiences.contains(provider.clientID),
            claims["azp"].map({ $0.text == provider.clientID }) ?? (audiences.count == 1),
            let subject = claims["sub"]?.text, (1...255).contains(subject.utf8.count),
            TokenTimes.problem(with: claims, now: clock(), skew: ExternalTokenChecker.skew) == nil,
            claims["iat"] != nil, nonce.map({ claims["nonce"]?.text == $0 }) ?? true
        else { return nil }
        return claims
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
