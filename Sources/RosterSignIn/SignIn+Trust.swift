public import Foundation

extension SignIn {
    /// The other issuers and providers that are trusted.
    public struct Trust: Sendable {
        /// The document of issuers whose tokens are exchanged for ours (`Security_AuthTokenConfiguration`). It is read again at
        /// the intervals that it sets. nil if no tokens are exchanged.
        public var issuers: URL?
        /// The folder with certificates in PEM or DER. The document names them by their subjects.
        public var issuerCertificates: URL?
        /// The lifetimes of exchanged tokens, for issuers without settings of their own. Values other than the standard ones take
        /// precedence over those that administrators store.
        public var tokenExchange = TokenExchangePolicy.standard
        /// The document of identity providers: `oidc` as Sync Gateway writes it, and `social`; or a whole configuration of Sync
        /// Gateway. It is read once. nil if there are none.
        public var providers: URL?
        /// The PEM file with further certificate authorities, such as a company's own. The hosts of issuers and providers may have
        /// certificates of these authorities or of the system's. Each connection reads the file. Nil means the system's
        /// authorities only.
        public var authorities: URL?

        /// Called once when the document of issuers cannot be read any more, with the reason, and once when it can be read again.
        /// Meanwhile the last valid document is in use. The function must return at once.
        public var notice: (@Sendable (String) -> Void)?

        /// Trusts the issuers and providers in these documents.
        public init(issuers: URL? = nil, issuerCertificates: URL? = nil, providers: URL? = nil) {
            (self.issuers, self.issuerCertificates, self.providers) = (issuers, issuerCertificates, providers)
        }

        /// Reads the documents. The document of issuers is read later, when a token has to be checked.
        package func read() throws -> (issuers: IssuerTrust.Source, providers: IdentityProviders) {
            try tokenExchange.check()
            var source = IssuerTrust.Source(
                document: issuers, certificates: issuerCertificates, policy: tokenExchange)
            source.authorities = authorities
            if let notice { source.notice = notice }
            try source.check()
            return (source, try providers.map { try IdentityProviders(contentsOf: $0) } ?? .none)
        }
    }
}
