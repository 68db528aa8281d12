package import Foundation
package import Roster

/// Everything by which somebody can sign in to a directory.
package struct SignIn: Sendable {
    /// Hashes and verifies passwords.
    package let passwords: PasswordKeeper
    /// OAuth and OpenID Connect.
    package let oauth: OAuthService
    /// Signing in with other providers.
    package let relyingParty: RelyingParty
    /// The provider for tests; nil where it was not asked for.
    package let testProvider: TestProvider?
    /// In the order in which they are asked.
    package let authenticators: [any Authenticator]

    /// Forgets what has ended, and the roles that issuers gave who are not trusted any more. All of it is refused anyway, or, as
    /// the roles, from now on: to be called now and then.
    package func tidyUp() async throws {
        try await oauth.directory.credentials.forgetExpired()
        guard let issuers = await oauth.external.trust.issuerNames() else { return }
        let providers = relyingParty.providers.providers.values.map(\.issuer)
        try await oauth.directory.credentials.keepTokenRoles(ofIssuers: issuers + providers)
    }

    /// The keys of a directory. In memory they end with it.
    package static func keys(of directory: Directory) throws -> KeyRing {
        try KeyRing(
            directory, master: directory.keyFile.map { try MasterKey(at: $0) } ?? MasterKey(inMemory: directory))
    }

    /// Cost: one password's hash; the first time, the making of keys.
    ///
    /// - Parameters:
    ///   - issuer: Where the service is reached, without a slash at the end.
    ///   - trust: Whose tokens are exchanged for ours.
    ///   - providers: With whom people can sign in besides us.
    ///   - hasTestProvider: Whether there is a provider with whom anybody can sign in as anybody, for tests.
    ///   - clock: What time it is.
    package init(
        _ directory: Directory, issuer: String, parameters: PasswordParameters = .standard,
        trust: IssuerTrust.Source = IssuerTrust.Source(), providers: IdentityProviders = .none,
        hasTestProvider: Bool = false, clock: @escaping @Sendable () -> Date = { Date() }
    ) throws {
        passwords = try PasswordKeeper(directory, parameters: parameters)
        let keys = try Self.keys(of: directory)
        try keys.prepare(.es256)
        oauth = OAuthService(directory, issuer: issuer, keys: keys, passwords: passwords, trust: trust, clock: clock)
        testProvider = hasTestProvider ? try TestProvider(issuer: issuer, clock: clock) : nil
        let all = try testProvider.map { try providers.adding($0.entry, named: "test") } ?? providers
        relyingParty = RelyingParty(all, oauth)
        authenticators = [
            PasswordAuthenticator(keeper: passwords), AccessTokenAuthenticator(oauth: oauth),
            ProviderTokenAuthenticator(relyingParty, oauth), TokenAuthenticator(directory: directory),
        ]
    }
}
