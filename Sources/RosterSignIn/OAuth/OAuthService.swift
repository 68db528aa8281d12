package import Foundation
package import Roster
import RosterCrypto
import RosterText

/// OAuth 2.1 and OpenID Connect on a directory, without HTTP: typed requests in, typed answers out. It is a class because each
/// request passes it on.
package final class OAuthService: Sendable {
    /// `iss`: the address of the service, without a slash at the end. It is never derived from a request.
    package let issuer: String
    package let directory: Directory
    package let clients: ClientDirectory
    package let keys: KeyRing
    package let sessions: SessionKeeper
    /// Writes to the change feed who signed in, and who was refused.
    package let audit: AuditTrail
    package let refusals = RefusalCounts()
    package let passwords: PasswordKeeper
    package let secondFactors: SecondFactorKeeper
    package let external: ExternalTokenChecker
    package let direct: SignIn.DirectAccess
    /// The settings that apply now.
    package let settings: SettingsKeeper
    package let relyingParty: RelyingParty
    package let clock: @Sendable () -> Date
    /// The authorizations that clients have not redeemed yet, by their codes.
    let codes: PendingCodes<Authorization>
    /// The sign-ins that wait for the second factor, by their codes.
    let begunSignIns: PendingCodes<BegunSignIn>
    /// The password links that were sent within the last half hour, by network and by user.
    let sentLinks: PendingCodes<Bool>
    /// The devices that wait for a user's approval, by their device codes.
    let devices: PendingCodes<DeviceRequest>
    let userCodes: PendingCodes<String>
    /// Delays guesses of user codes.
    let deviceThrottle: AttemptThrottle
    /// The access tokens whose signatures were verified, by their digests.
    let verifiedTokens = Locked(GenerationalMap<[UInt8], AccessToken>(capacity: 5_000))
    /// The claims that introspection returned for a token. They are valid until the directory changes.
    let presentClaims = Locked(
        GenerationalMap<String, (changes: UInt64, claims: [JSONValue.Member])>(capacity: 2_000))

    package init(
        _ directory: Directory, issuer: String, keys: KeyRing, passwords: PasswordKeeper,
        trust: IssuerTrust.Source = IssuerTrust.Source(), providers: IdentityProviders = .none,
        direct: SignIn.DirectAccess = SignIn.DirectAccess(),
        tokenSettings: TokenSettings = TokenSettings(),
        clock: @escaping @Sendable () -> Date = { Date() }
    ) {
        (self.directory, self.issuer, self.keys) = (directory, issuer, keys)
        (self.passwords, self.direct, self.clock) = (passwords, direct, clock)
        settings = SettingsKeeper(
            directory, keys: keys,
            given: .init(
                issuers: trust, providers: providers, tokens: tokenSettings, allowsBareBasic: direct.allowsBasic))
        clients = ClientDirectory(directory, settings)
        sessions = SessionKeeper(directory: directory)
        audit = AuditTrail(directory)
        deviceThrottle = AttemptThrottle("devices", directory, now: passwords.now)
        secondFactors = SecondFactorKeeper(
            directory, keys: keys, passwords: passwords, issuer: issuer, clock: clock)
        let fetcher = DocumentFetcher(authorities: trust.authorities)
        external = ExternalTokenChecker(
            IssuerTrust(trust, stored: settings, fetcher: fetcher, clock: clock), baseURL: issuer, clock: clock)
        relyingParty = RelyingParty(
            settings, directory: directory, keys: keys, sessions: sessions, audit: audit, fetcher: fetcher,
            clock: clock)
        codes = PendingCodes("codes", keys, clock: clock)
        begunSignIns = PendingCodes("begun sign-ins", keys, clock: clock)
        sentLinks = PendingCodes("sent links", keys, capacity: 20_000, clock: clock)
        devices = PendingCodes("devices", keys, capacity: 100_000, clock: clock)
        userCodes = PendingCodes("user codes", keys, capacity: 100_000, clock: clock)
    }

    // MARK: People

    /// The person of a grant, with the roles that the grant adds; nil if the account is deleted or disabled.
    func person(of grant: Grant) throws -> Person? {
        try Person(grant.holder, in: directory, granted: grant.detail.roles)
    }

    /// The person of an access token; nil for a client-credentials token, and where the grant has ended.
    package func person(of token: AccessToken) throws -> Person? {
        guard case .holder(_, let number, _) = token.subject, let grant = try directory.grant(number) else {
            return nil
        }
        return try person(of: grant)
    }

    // MARK: Codes

    /// Makes a code that the browser brings to the client. The client can redeem it once.
    package func code(
        for request: AuthorizationRequest, _ session: Session, from origin: ClientOrigin
    ) throws -> String {
        let code = try SecureRandom.token()
        let detail = GrantDetail(
            scopes: request.scopes, authenticationTime: session.authenticationTime, amr: session.amr,
            audiences: request.audiences, isRefreshable: Self.isRefreshable(request.scopes, request.backend))
        try codes.insert(
            Authorization(
                backend: request.backend.id, redirectURI: request.redirectURI, challenge: request.challenge,
                holder: session.holder, detail: detail, nonce: request.nonce, session: session.digest,
                expires: clock().addingTimeInterval(TimeInterval(request.backend.settings.codeLifetime))),
            for: code, lifetime: 600, of: CodeOwner(session.holder, at: origin.address))
        return code
    }

    /// Whether a grant has a refresh token. The backend's setting decides. Without one, an OpenID Connect client gets a refresh
    /// token if it asks for `offline_access`, and any other client always.
    static func isRefreshable(_ scopes: [Scope], _ backend: Backend) -> Bool {
        guard backend.settings.grants.contains(.refreshToken) else { return false }
        return backend.settings.usesRefreshTokens
            ?? (scopes.contains(.offlineAccess) || !scopes.contains(.openID))
    }
}
