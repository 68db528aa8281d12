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
/// A directory needs one value of this type, because it counts failed attempts and knows which codes have been used. It may be used
/// from any thread. The change feed says who signed in, from where, and how.
public struct SignIn: Sendable {
    package let passwords: PasswordKeeper
    package let oauth: OAuthService
    package let testProvider: TestProvider?

    /// Makes the sign-in of a directory. Cost: one password's hash, about 0.15 s; the first time, the generation of keys.
    ///
    /// The keys are stored encrypted in the directory. The key that encrypts them is in a file beside it, `company.db-key`, which is
    /// made the first time. A directory whose key file was lost is refused and not changed; `roster key reset` gives up what was
    /// encrypted. The keys of a directory in memory end with it.
    ///
    /// - Parameters:
    ///   - directory: The directory with the users and the backends.
    ///   - issuer: `iss` of the tokens: the address at which others know the service, such as `https://id.example.com`,
    ///     without a slash at the end.
    ///   - trust: The other issuers and providers that are trusted.
    ///   - direct: The rules for calls that name no backend.
    /// - Throws: `DirectoryError` for a document that cannot be read; `unusableKey` for a key file that is missing, damaged or of
    ///   another directory.
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

    /// Waits until everything that has happened is in the change feed. Call it before the app ends.
    public func flush() async { await oauth.audit.flush() }

    /// Forgets what has ended, and the roles that providers gave who are not configured any more. All of it is refused anyway, or, as
    /// the roles, from now on: to be called now and then, such as each ten minutes.
    public func tidyUp() async throws {
        try await oauth.directory.forgetExpired()
        let providers = oauth.relyingParty.providers.providers.values.map(\.issuer)
        try await oauth.directory.keepTokenRoles(ofIssuers: providers)
        try await oauth.directory.unrestricted.changes.prune()
    }

    /// The keys of a directory. Those of a directory in memory end with it.
    package static func keys(of directory: Directory) throws -> KeyRing {
        try KeyRing(directory, master: MasterKey(of: directory))
    }

    /// Makes the sign-in of a directory with all its settings. Cost: one password's hash; the first time, the generation of keys.
    ///
    /// - Parameters:
    ///   - issuer: The address of the service, without a slash at the end.
    ///   - trust: The issuers whose tokens are exchanged for ours.
    ///   - providers: The identity providers with which people can sign in.
    ///   - direct: The rules for calls that name no backend.
    ///   - hasTestProvider: Whether there is a provider for tests, with which anybody can sign in as anybody.
    ///   - tokenSettings: The token settings of backends without settings of their own.
    ///   - clock: Tells the time.
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
        for backend in (try? directory.unrestricted.read { try $0.backends() }) ?? [] {
            try keys.prepare(for: backend.settings)
        }
        testProvider = hasTestProvider ? try TestProvider(issuer: issuer, clock: clock) : nil
        let all = try testProvider.map { try providers.adding($0.entry, named: "test") } ?? providers
        oauth = OAuthService(
            directory, issuer: issuer, keys: keys, passwords: passwords, trust: trust, providers: all, direct: direct,
            tokenSettings: tokenSettings, clock: clock)
    }
}
