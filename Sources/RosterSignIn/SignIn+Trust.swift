public import Foundation

extension SignIn {
    /// Whose word is taken, besides what the directory knows itself.
    public struct Trust: Sendable {
        /// The document of trusted issuers (`Security_AuthTokenConfiguration`), whose tokens are exchanged for ours; read
        /// again by the intervals that stand in it. nil where nobody's are.
        public var issuers: URL?
        /// The folder with the certificates, in PEM or DER, that the document names by their subjects.
        public var issuerCertificates: URL?
        /// The policy `Security_TokenExchangeTimeoutSecs`: how long an exchanged token lives where its issuer's entry says
        /// nothing, in seconds from 1 to 31,536,000; nil for 28,800.
        public var tokenExchangeTimeout: Int?
        /// The policy `Security_TokenExchangeTimeoutPolicy`; nil for `FromTimeoutSecs`.
        public var tokenExchangePolicy: String?
        /// The document of providers with whom people can sign in: `oidc` as Sync Gateway writes it, and `social`; or a whole
        /// configuration of Sync Gateway's. Read once. nil where there are none.
        public var providers: URL?

        /// The document of token settings, with Cloud Access Manager's names (`oauthtoken.access_token_expiry`, …): they hold
        /// for the tokens of backends that say nothing themselves. Read once. nil for the defaults.
        public var tokenSettings: URL?

        /// Told once when the document of issuers cannot be read any more, with what is wrong with it, and once when it can be
        /// again; meanwhile the last good one is in use. Must return at once.
        public var notice: (@Sendable (String) -> Void)?

        /// Trusts those that the documents name; without one, nobody.
        public init(issuers: URL? = nil, issuerCertificates: URL? = nil, providers: URL? = nil) {
            self.issuers = issuers
            self.issuerCertificates = issuerCertificates
            self.providers = providers
        }

        /// What the documents say; that of the issuers is read when somebody brings a token.
        package func read() throws -> (
            issuers: IssuerTrust.Source, providers: IdentityProviders, tokenSettings: TokenSettings
        ) {
            let policy = try TokenExchangePolicy(
                timeoutSeconds: tokenExchangeTimeout, timeoutPolicy: tokenExchangePolicy)
            var source = IssuerTrust.Source(document: issuers, certificates: issuerCertificates, policy: policy)
            if let notice { source.notice = notice }
            try source.check()
            return (
                source, try providers.map { try IdentityProviders(contentsOf: $0) } ?? .none,
                try tokenSettings.map { try TokenSettings(contentsOf: $0) } ?? TokenSettings()
            )
        }
    }
}
