package import Foundation
package import Roster
import RosterCrypto
import RosterText

/// OAuth 2.1 and OpenID Connect on a directory, without HTTP: typed requests in, typed answers out.
///
/// The service makes its parts, such as ``tokenEndpoint``; each part has only what the part needs. The service is a class because each
/// request passes the service on.
package final class OAuthService: Sendable {
    /// `iss`: the address of the service, without a slash at the end. It is never derived from a request.
    package let issuer: String
    package let directory: Directory
    package let clients: ClientDirectory
    package let keys: KeyRing
    package let sessions: CookieSessions
    /// Writes to the change feed who signed in, and who was refused.
    package let audit: AuditTrail
    package let refusals = RefusalCounts()
    package let passwords: PasswordKeeper
    package let secondFactors: SecondFactorKeeper
    package let external: ExternalTokenChecker
    package let direct: SignIn.DirectAccess
    /// The settings that apply now.
    package let settings: SettingsKeeper
    /// Calls the addresses that apps register.
    package let registered: RegisteredAddresses
    package let relyingParty: RelyingParty
    package let clock: @Sendable () -> Date

    // MARK: Parts

    /// Checks the access tokens that the service has signed.
    package let accessTokens: AccessTokens
    /// The names of people in tokens, which can differ from app to app.
    package let subjects: Subjects
    /// What ID tokens and the userinfo endpoint say about a person.
    package let userClaims: UserClaims
    /// Tells who sent a credential: a token, a session, or the name and the secret of an app.
    package let credentials: CredentialChecker
    /// The sign-in of people, in one step or two.
    package let signingIn: SigningIn
    /// Makes and signs tokens.
    package let tokenIssuer: TokenIssuer
    /// The authentication of apps (RFC 6749, section 2.3).
    package let clientAuthentication: ClientAuthentication
    /// The registration of an app on a device, for mobile single sign-on.
    package let deviceRegistration: DeviceRegistration
    /// The device flow (RFC 8628).
    package let deviceFlow: DeviceFlow
    /// Tells apps that a session has ended (OpenID Connect Back-Channel Logout).
    package let signOutNotices: SignOutNotices
    /// The exchange of other issuers' tokens and assertions (RFC 8693, RFC 7521).
    package let tokenExchange: TokenExchange
    /// The token endpoint (RFC 6749, section 3.2).
    package let tokenEndpoint: TokenEndpoint
    /// Tells about tokens and ends them (RFC 7662, RFC 7009, OpenID Connect Core 5.3).
    package let introspection: Introspection
    /// The sign-in for apps behind a reverse proxy.
    package let guardedApps: GuardedApps
    /// The authorization requests that apps push (RFC 9126).
    package let pushedAuthorization: PushedAuthorization
    /// The registration of apps by themselves (RFC 7591) and by their documents.
    package let clientRegistration: ClientRegistration
    /// The links by which people set their passwords, and the mails about addresses.
    package let passwordLinks: PasswordLinks
    /// Who may use which interface of the service, by the settings of backends.
    package let apiRules: APIRules
    /// The codes that browsers bring to apps (RFC 6749, section 4.1).
    package let authorizationCodes: AuthorizationCodes

    /// The last uses of app passwords and of programs' tokens.
    package let lastUses: LastUses

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
        registered = RegisteredAddresses { [settings] in settings.current.allowsPrivateAddresses }
        sessions = CookieSessions(directory: directory)
        audit = AuditTrail(directory)
        lastUses = LastUses(directory)
        let deviceThrottle = AttemptThrottle("devices", directory, now: passwords.now)
        secondFactors = SecondFactorKeeper(
            directory, keys: keys, passwords: passwords, issuer: issuer, clock: clock)
        let fetcher = DocumentFetcher(authorities: trust.authorities)
        external = ExternalTokenChecker(
            IssuerTrust(trust, stored: settings, fetcher: fetcher, clock: clock), baseURL: issuer, clock: clock)
        relyingParty = RelyingParty(
            settings, directory: directory, keys: keys, sessions: sessions, audit: audit, fetcher: fetcher,
            clock: clock)
        let codes = PendingCodes<Authorization>("codes", keys, clock: clock)
        let begunSignIns = PendingCodes<BegunSignIn>("begun sign-ins", keys, clock: clock)
        let sentLinks = PendingCodes<Bool>("sent links", keys, capacity: 20_000, clock: clock)
        let devices = PendingCodes<DeviceRequest>("devices", keys, capacity: 100_000, clock: clock)
        let userCodes = PendingCodes<String>("user codes", keys, capacity: 100_000, clock: clock)
        let registrations = PendingCodes<Bool>("registrations", keys, capacity: 20_000, clock: clock)
        let fetchedDocuments = PendingCodes<Bool>("client documents", keys, capacity: 10_000, clock: clock)
        let pushedRequests = PendingCodes<PushedRequest>("pushed requests", keys, capacity: 100_000, clock: clock)
        accessTokens = AccessTokens(keys: keys, issuer: issuer, clock: clock, directory: directory, clients: clients)
        subjects = Subjects(keys: keys, clients: clients)
        userClaims = UserClaims(directory: directory, clock: clock, issuer: issuer, keys: keys)
        credentials = CredentialChecker(
            relyingParty: relyingParty, issuer: issuer, clients: clients, directory: directory, passwords: passwords,
            clock: clock, accessTokens: accessTokens, lastUses: lastUses)
        signingIn = SigningIn(
            directory: directory, refusals: refusals, clock: clock, passwords: passwords, secondFactors: secondFactors,
            sessions: sessions, audit: audit, begunSignIns: begunSignIns, credentials: credentials,
            appPasswords: AppPasswordChecker(directory: directory, keys: keys, lastUses: lastUses))
        tokenIssuer = TokenIssuer(
            clock: clock, directory: directory, keys: keys, issuer: issuer, signingIn: signingIn, subjects: subjects,
            userClaims: userClaims)
        clientAuthentication = ClientAuthentication(
            clients: clients, issuer: issuer, clock: clock, directory: directory, accessTokens: accessTokens)
        deviceRegistration = DeviceRegistration(
            clients: clients, clock: clock, directory: directory, audit: audit, accessTokens: accessTokens,
            clientAuthentication: clientAuthentication, signingIn: signingIn, tokenIssuer: tokenIssuer)
        deviceFlow = DeviceFlow(
            issuer: issuer, devices: devices, userCodes: userCodes, deviceThrottle: deviceThrottle, clients: clients,
            clock: clock, directory: directory, sessions: sessions, audit: audit,
            clientAuthentication: clientAuthentication, tokenIssuer: tokenIssuer)
        signOutNotices = SignOutNotices(
            directory: directory, clients: clients, registered: registered, clock: clock, issuer: issuer,
            subjects: subjects, tokenIssuer: tokenIssuer)
        tokenExchange = TokenExchange(
            issuer: issuer, external: external, audit: audit, directory: directory, clock: clock,
            clientAuthentication: clientAuthentication, credentials: credentials, tokenIssuer: tokenIssuer,
            accessTokens: accessTokens)
        tokenEndpoint = TokenEndpoint(
            audit: audit, issuer: issuer, clients: clients, directory: directory, clock: clock, codes: codes,
            sessions: sessions, keys: keys, tokenExchange: tokenExchange, clientAuthentication: clientAuthentication,
            credentials: credentials, deviceRegistration: deviceRegistration, deviceFlow: deviceFlow,
            tokenIssuer: tokenIssuer, signingIn: signingIn, signOutNotices: signOutNotices, accessTokens: accessTokens)
        introspection = Introspection(
            issuer: issuer, clients: clients, directory: directory, keys: keys, audit: audit,
            clientAuthentication: clientAuthentication, deviceRegistration: deviceRegistration,
            accessTokens: accessTokens, subjects: subjects, userClaims: userClaims)
        authorizationCodes = AuthorizationCodes(codes: codes, clock: clock)
        guardedApps = GuardedApps(
            clients: clients, codes: codes, clock: clock, audit: audit, sessions: sessions, directory: directory,
            subjects: subjects, userClaims: userClaims)
        pushedAuthorization = PushedAuthorization(
            clients: clients, issuer: issuer, pushedRequests: pushedRequests,
            clientAuthentication: clientAuthentication, credentials: credentials)
        clientRegistration = ClientRegistration(
            directory: directory, keys: keys, registrations: registrations, clients: clients, settings: settings,
            fetchedDocuments: fetchedDocuments, registered: registered)
        passwordLinks = PasswordLinks(directory: directory, issuer: issuer, sentLinks: sentLinks, passwords: passwords)
        apiRules = APIRules(directory: directory, direct: direct, clients: clients, accessTokens: accessTokens)
    }
}
