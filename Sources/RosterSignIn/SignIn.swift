public import Foundation
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
/// Make one value of this type for each directory, because the value counts failed attempts and remembers used codes. Any thread
/// may use the value. The change feed records who signed in, from where, and how.
public struct SignIn: Sendable {
    package let passwords: PasswordKeeper
    package let oauth: OAuthService
    package let testProvider: TestProvider?

    /// Makes the sign-in of a directory. Cost: one password's hash, about 0.15 s; the first time, the generation of keys.
    ///
    /// The keys are stored encrypted in the directory. The key that encrypts them is in a file beside it, `company.db-key`, which is
    /// made the first time. A directory whose key file was lost is refused and not changed. The keys of a directory in memory end
    /// with it.
    ///
    /// Codes, tokens, sessions and second factors use the directory's clock. The delays after failed attempts use the system's
    /// monotonic clock.
    ///
    /// - Parameters:
    ///   - directory: The directory with the users and the backends.
    ///   - issuer: `iss` of the tokens: the address at which others know the service, such as `https://id.example.com`,
    ///     without a slash at the end.
    ///   - trust: The other issuers and providers that are trusted.
    ///   - direct: The rules for calls that name no backend.
    ///   - tokenSettings: The token settings of backends without settings of their own.
    ///   - passwordCost: The cost of hashing a new password. A cheaper stored hash is replaced at the user's next sign-in.
    ///   - clock: A clock for tests, for codes, tokens, second factors and the delays after failed attempts. Pass the function
    ///     that is also the directory's clock, because sessions and refresh tokens use the directory's clock. With nil (the
    ///     default), the clocks above are used.
    /// - Throws: `DirectoryError` for a document that cannot be read, and for a setting that is out of its range; `unusableKey` for a
    ///   key file that is missing, damaged or of another directory.
    public init(
        _ directory: Directory, issuer: String, trust: Trust = Trust(), direct: DirectAccess = DirectAccess(),
        tokenSettings: TokenSettings = TokenSettings(), passwordCost: PasswordParameters = .standard,
        clock: (@Sendable () -> Date)? = nil
    ) throws {
        var issuer = issuer
        while issuer.hasSuffix("/") { issuer.removeLast() }
        let (issuers, providers) = try trust.read()
        var steadyTime = systemMonotonicTime()
        if let clock { steadyTime = { .seconds(clock().timeIntervalSince1970) } }
        try self.init(
            directory, issuer: issuer, passwordCost: passwordCost, trust: issuers, providers: providers,
            direct: direct, tokenSettings: tokenSettings, clock: clock, steadyTime: steadyTime)
    }

    /// Waits until the entries about all earlier events are in the change feed, and the last uses of programs' credentials are stored. Call
    /// this before the app ends. In a callback of the directory the call returns at once.
    public func flush() async {
        await oauth.audit.flush()
        await oauth.lastUses.flush()
    }

    /// Deletes expired grants, sessions and changes, and the roles from providers that are no longer configured. Call this
    /// regularly, for example every ten minutes. Expired grants and sessions are refused even before they are deleted.
    public func tidyUp() async throws {
        try await oauth.directory.spentTokens.forgetExpired()
        let providers = oauth.relyingParty.providers.providers.values.map(\.issuer)
        try await oauth.directory.holders.keepTokenRoles(ofIssuers: providers)
        try await oauth.directory.unrestricted.changes.prune()
    }

    /// The keys of a directory. The keys of a directory in memory end with the directory.
    package static func keys(of directory: Directory) throws -> KeyRing {
        try KeyRing(directory, master: MasterKey(of: directory))
    }

    /// Makes the sign-in of a directory with all its settings. Cost: one password's hash; the first time, the generation of keys.
    ///
    /// - Parameters:
    ///   - issuer: The address of the service, without a slash at the end.
    ///   - passwordCost: The cost of hashing a new password.
    ///   - trust: The issuers whose tokens are exchanged for ours.
    ///   - providers: The identity providers with which people can sign in.
    ///   - direct: The rules for calls that name no backend.
    ///   - hasTestProvider: Whether there is a provider for tests, with which anybody can sign in as anybody.
    ///   - tokenSettings: The token settings of backends without settings of their own.
    ///   - clock: The source of the time; nil for the directory's clock.
    ///   - steadyTime: The clock of the delays after failed attempts.
    package init(
        _ directory: Directory, issuer: String, passwordCost: PasswordParameters = .standard,
        trust: IssuerTrust.Source, providers: IdentityProviders = .none, direct: DirectAccess = DirectAccess(),
        hasTestProvider: Bool = false, tokenSettings: TokenSettings = TokenSettings(),
        clock: (@Sendable () -> Date)? = nil, steadyTime: @escaping MonotonicTime = systemMonotonicTime()
    ) throws {
        try direct.check()
        try tokenSettings.check()
        let clock = clock ?? { directory.now }
        passwords = try PasswordKeeper(directory, parameters: passwordCost, now: steadyTime)
        let keys = try Self.keys(of: directory)
        try keys.prepare(.es256)
        for backend in (try? directory.unrestricted.read { try $0.backends.all() }) ?? [] {
            try keys.prepare(for: backend.settings.signing)
        }
        testProvider = hasTestProvider ? try TestProvider(issuer: issuer, clock: clock) : nil
        let all = try testProvider.map { try providers.adding($0.entry, named: "test") } ?? providers
        oauth = OAuthService(
            directory, issuer: issuer, keys: keys, passwords: passwords, trust: trust, providers: all, direct: direct,
            tokenSettings: tokenSettings, clock: clock)
    }
}
