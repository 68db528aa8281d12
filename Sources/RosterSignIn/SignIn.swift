package import Foundation
public import Roster

/// Signing in to a directory, in a linked app and without a server: passwords and second factors, sessions, tokens for
/// backends, the exchange of other issuers' tokens. `RosterREST` and `RosterServer` do the same over HTTP.
///
/// ```swift
/// let signIn = try SignIn(directory, issuer: "https://id.example.com")
/// let ada = try await signIn.person(named: "ada", password: "…")
/// let mine = directory.acting(as: ada.caller)
/// ```
///
/// There is one for a directory: it counts failed attempts and knows which codes have been used. It may be used from any
/// thread. What happens by it is in the change feed, who, from where and by what.
public struct SignIn: Sendable {
    /// Hashes and verifies passwords.
    package let passwords: PasswordKeeper
    /// OAuth and OpenID Connect.
    package let oauth: OAuthService
    /// The provider for tests; nil where it was not asked for.
    package let testProvider: TestProvider?

    /// Makes what signs people in. Cost: one password's hash, about 0.15 s; the first time, the making of keys.
    ///
    /// The keys stand encrypted in the directory; what encrypts them is in a file beside it, `company.db-key`, which is made
    /// the first time. A directory whose key file is lost later is refused, and nothing is changed: `roster key reset` gives
    /// up what was encrypted. In memory the keys end with the directory.
    ///
    /// - Parameters:
    ///   - directory: Where people and backends are.
    ///   - issuer: `iss` of the tokens: the address at which others know the service, such as `https://id.example.com`,
    ///     without a slash at the end.
    ///   - trust: Whose word is taken besides.
    ///   - direct: What holds for calls that come by way of no backend.
    /// - Throws: `DirectoryError` for a document that cannot be read; `unusableKey` for a key file that is missing, damaged
    ///   or another directory's.
    public init(
        _ directory: Directory, issuer: String, trust: Trust = Trust(), direct: DirectAccess = DirectAccess()
    ) throws {
        var issuer = issuer
        while issuer.hasSuffix("/") { issuer.removeLast() }
        let (issuers, providers, tokenSettings) = try trust.read()
        try self.init(
            directory, issuer: issuer, trust: issuers, providers: providers, direct: try direct.read(),
            tokenSettings: tokenSettings)
    }

    /// Waits until everything that has happened is in the change feed: to be called before an app ends.
    public func flush() async { await oauth.audit.flush() }

    /// Forgets what has ended, and the roles that providers gave who are not configured any more. All of it is refused anyway, or, as
    /// the roles, from now on: to be called now and then, such as each ten minutes.
    public func tidyUp() async throws {
        try await oauth.directory.credentials.forgetExpired()
        let providers = oauth.relyingParty.providers.providers.values.map(\.issuer)
        try await oauth.directory.credentials.keepTokenRoles(ofIssuers: providers)
        try await oauth.directory.unrestricted.changes.prune()
    }

    /// The keys of a directory. In memory they end with it.
    package static func keys(of directory: Directory) throws -> KeyRing {
        try KeyRing(directory, master: MasterKey(of: directory))
    }

    /// Cost: one password's hash; the first time, the making of keys.
    ///
    /// - Parameters:
    ///   - issuer: Where the service is reached, without a slash at the end.
    ///   - trust: Whose tokens are exchanged for ours.
    ///   - providers: With whom people can sign in besides us.
    ///   - direct: What holds for calls that come by way of no backend.
    ///   - hasTestProvider: Whether there is a provider with whom anybody can sign in as anybody, for tests.
    ///   - tokenSettings: What holds for the tokens of backends that say nothing themselves.
    ///   - clock: What time it is.
    package init(
        _ directory: Directory, issuer: String, parameters: PasswordParameters = .standard,
        trust: IssuerTrust.Source = IssuerTrust.Source(), providers: IdentityProviders = .none,
        direct: DirectRules = DirectRules(), hasTestProvider: Bool = false,
        tokenSettings: TokenSettings = TokenSettings(),
        clock: @escaping @Sendable () -> Date = { Date() }
    ) throws {
        passwords = try PasswordKeeper(directory, parameters: parameters)
        let keys = try Self.keys(of: directory)
        try keys.prepare(.es256)
        for record in try directory.unrestricted.read({ try $0.backends() }) {
            if let backend = try? Backend(record) { try keys.prepare(for: backend.settings) }
        }
        testProvider = hasTestProvider ? try TestProvider(issuer: issuer, clock: clock) : nil
        let all = try testProvider.map { try providers.adding($0.entry, named: "test") } ?? providers
        oauth = OAuthService(
            directory, issuer: issuer, keys: keys, passwords: passwords, trust: trust, providers: all, direct: direct,
            tokenSettings: tokenSettings, clock: clock)
    }
}
