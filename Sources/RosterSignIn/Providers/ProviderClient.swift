import Foundation
import RosterOpenID
import RosterText

/// The requests to providers: for their documents, and for tokens in exchange for a code or a refresh token.
struct ProviderClient: Sendable {
    /// The tokens that a provider gives for a code or a refresh token.
    struct Tokens: Sendable {
        let idToken: String?
        let accessToken: String?
        let refreshToken: String?
        let lifetime: Int64?
    }

    /// The discovery document and the key set of each provider, by the issuer and the address of its discovery document.
    private let documents = Locked<[[String]: ProviderDocuments]>([:])
    private let clock: @Sendable () -> Date

    let fetcher: DocumentFetcher

    init(by fetcher: DocumentFetcher, clock: @escaping @Sendable () -> Date) {
        (self.fetcher, self.clock) = (fetcher, clock)
    }

    /// The provider's discovery document. It is fetched once a day; a provider that does not answer is asked once a second at most.
    func description(of provider: IdentityProvider) async throws -> ProviderMetadata {
        try await Self.fetching { try await documents(of: provider).metadata() }
    }

    private func documents(of provider: IdentityProvider) -> ProviderDocuments {
        let key = [provider.issuer, provider.discoveryURL]
        return documents.withLock { documents in
            if let known = documents[key] { return known }
            let made = ProviderDocuments(
                of: provider.issuer, at: provider.discoveryURL,
                discoveryRule: ReloadRule(minimumSeconds: 1, maximumSeconds: 86_400),
                keyRule: ReloadRule(minimumSeconds: 10, maximumSeconds: 43_200), clock: clock
            ) { [self] url, _ in try await document(url, of: provider) }
            documents[key] = made
            return made
        }
    }

    /// Fetches a document of a provider anew.
    func document(_ url: String, of provider: IdentityProvider) async throws -> JSONValue {
        try await fetcher.object(Self.request(url, provider))
    }

    /// Turns a problem with a document into the problem of a fetch.
    private static func fetching<Value>(_ work: () async throws -> Value) async throws -> Value {
        do { return try await work() } catch let problem as ProviderDocuments.Problem {
            throw DocumentFetcher.Problem(description: problem.description)
        }
    }

    private static func request(_ url: String, _ provider: IdentityProvider) -> DocumentFetcher.Request {
        var request = DocumentFetcher.Request(url)
        request.allowsHTTP = provider.isLocal
        // A provider's document could name a host in the server's own network. Requests go there only if the administrator has
        // named the host.
        let hosts = [provider.issuer, provider.discoveryURL].map { URL(string: $0)?.host() }
        request.mustBePublic = !provider.isLocal && !hosts.contains(URL(string: url)?.host())
        (request.connectTimeoutSeconds, request.readTimeoutSeconds) = (10, 20)
        return request
    }

    /// Asks for tokens (OpenID Connect Core, sections 3.1.3 and 12).
    func tokens(
        from provider: IdentityProvider, _ parameters: [(name: String, value: String)]
    ) async throws -> Tokens {
        let description = try await description(of: provider)
        guard let endpoint = description.tokenEndpoint else {
            throw DocumentFetcher.Problem(description: "The provider's discovery document names no 'token_endpoint'.")
        }
        var request = Self.request(endpoint, provider)
        let proof = description.proof(clientID: provider.clientID, secret: provider.secret)
        request.authorization = proof.authorization
        request.form = parameters + proof.form
        let answer = try await fetcher.object(request)
        let lifetime = answer["expires_in"].flatMap { if case .integer(let seconds) = $0 { seconds } else { nil } }
        return Tokens(
            idToken: answer["id_token"]?.text, accessToken: answer["access_token"]?.text,
            refreshToken: answer["refresh_token"]?.text, lifetime: lifetime)
    }

    /// The claims of a valid id token of a provider that is for this service (OpenID Connect Core, section 3.1.3.7); nil for any
    /// other token.
    ///
    /// - Parameters:
    ///   - nonce: The nonce of the request; nil if the app asked for the token itself.
    ///   - accessToken: The access token that came with the id token; nil for none.
    func claims(
        of text: String, from provider: IdentityProvider, nonce: String?, accessToken: String?
    ) async throws -> JSONValue? {
        let rules = IDTokenRules(
            issuer: provider.issuer, clientID: provider.clientID, nonce: nonce, accessToken: accessToken,
            skew: ExternalTokenChecker.skew)
        guard let token = try? JSONWebToken(text), rules.problem(with: token, now: clock()) == nil else { return nil }
        let isGenuine: Bool
        if provider.isSignedWithSecret {
            let keys = VerificationKeySet([VerificationKey(sharedSecret: Array((provider.secret ?? "").utf8))])
            isGenuine = try token.isSigned(by: keys, allowing: [.hs256])
        } else {
            isGenuine = try await Self.fetching {
                try await documents(of: provider).isSigned(token, allowing: SignatureAlgorithm.published)
            }
        }
        return isGenuine ? token.claims : nil
    }
}
