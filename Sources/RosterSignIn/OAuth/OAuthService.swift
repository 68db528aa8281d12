package import Foundation
package import Roster
import RosterCrypto
import RosterText

/// OAuth 2.1 and OpenID Connect on a directory, without HTTP: what the endpoints do. A class, since each request hands it on.
package final class OAuthService: Sendable {
    /// `iss`: where the service is reached, without a slash at the end. Never derived from a request.
    package let issuer: String
    package let directory: Directory
    package let clients: ClientDirectory
    package let keys: KeyRing
    package let checker: TokenChecker
    package let sessions: SessionKeeper
    package let audit: AuditTrail
    package let passwords: PasswordKeeper
    package let secondFactors: SecondFactorKeeper
    package let tokens: TokenMaker
    /// Checks tokens of other issuers.
    package let external: ExternalTokenChecker
    /// What holds for calls that come by way of no backend.
    package let direct: DirectRules
    package let clock: @Sendable () -> Date
    let codes: PendingCodes<Authorization>
    let devices: PendingCodes<DeviceRequest>
    /// The device code of a user code.
    let userCodes: PendingCodes<String>
    /// Slows down who guesses user codes.
    let deviceThrottle = AttemptThrottle()
    /// What introspection tells of a user now, by the token, for as long as nothing is changed.
    let presentClaims = Locked(
        GenerationalMap<String, (changes: UInt64, claims: [JSONValue.Member])>(capacity: 2_000))

    package init(
        _ directory: Directory, issuer: String, keys: KeyRing, passwords: PasswordKeeper,
        trust: IssuerTrust.Source = IssuerTrust.Source(), direct: DirectRules = DirectRules(),
        tokenSettings: TokenSettings = TokenSettings(),
        clock: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.directory = directory
        self.issuer = issuer
        self.keys = keys
        self.passwords = passwords
        self.direct = direct
        self.clock = clock
        clients = ClientDirectory(directory, tokenSettings)
        checker = TokenChecker(directory, clients: clients, keys: keys, issuer: issuer, clock: clock)
        sessions = SessionKeeper(directory: directory)
        audit = AuditTrail(directory)
        secondFactors = SecondFactorKeeper(
            directory, keys: keys, passwords: passwords, issuer: issuer, clock: clock)
        external = ExternalTokenChecker(IssuerTrust(trust, clock: clock), baseURL: issuer, clock: clock)
        tokens = TokenMaker(directory: directory, keys: keys, issuer: issuer, clock: clock)
        codes = PendingCodes(clock: clock)
        devices = PendingCodes(clock: clock)
        userCodes = PendingCodes(clock: clock)
    }

    // MARK: Audit

    /// What happened to whom, for the change feed.
    package func tell(
        _ kind: Change.Kind, _ person: Person?, _ backend: Backend?, from peer: String, means: String,
        reason: String? = nil, name: String? = nil
    ) {
        // By bytes: one character may have very many.
        func cut(_ text: String) -> String { String(decoding: text.utf8.prefix(256), as: UTF8.self) }
        var detail: AttributeSet = ["from": .string(cut(peer)), "means": .string(cut(means))]
        if let reason { detail["reason"] = .string(cut(reason)) }
        if let backend { detail["backend"] = .string(backend.title) }
        let entity: Change.Entity
        let id: Int64
        switch person?.holder {
        case .user(let user): (entity, id) = (.user, user.rawValue)
        case .virtualUser(let user): (entity, id) = (.virtualUser, user.rawValue)
        case nil: (entity, id) = backend.map { (.backend, $0.record.id.rawValue) } ?? (.user, 0)
        }
        let shown = cut(name ?? person?.shownName ?? backend?.title ?? "")
        audit.tell(
            AuditEntry(
                kind, entity, id: id, name: shown, actor: backend.map { "backend \($0.title)" } ?? "sign-in",
                detail: detail))
    }

    // MARK: People

    /// Whom a grant is for, with the roles that go with it; nil where the account is gone or disabled.
    func person(of grant: GrantRecord) throws -> Person? {
        try Person(grant.holder, in: directory, granted: GrantDetail(grant.detail).roles)
    }

    /// Whom an access token stands for; nil for a program's own, and where the grant has ended.
    package func person(of token: AccessToken) throws -> Person? {
        guard case .holder(_, let number, _) = token.subject, let grant = try directory.grant(number) else {
            return nil
        }
        return try person(of: grant)
    }

    // MARK: Codes

    /// A code for a browser to bring to its client, good for once and for a minute at most.
    package func code(for request: AuthorizationRequest, _ session: SessionKeeper.Session) throws -> String {
        let code = try SecureRandom.token()
        var detail = GrantDetail(
            scopes: request.scopes, authenticationTime: session.authenticationTime, means: session.means)
        detail.audiences = request.audiences
        detail.isRefreshable = Self.isRefreshable(request.scopes, request.backend)
        codes.insert(
            Authorization(
                backend: request.backend.record.id, redirectURI: request.redirectURI, challenge: request.challenge,
                holder: session.holder, detail: detail, nonce: request.nonce, session: session.digest,
                expires: clock().addingTimeInterval(TimeInterval(request.backend.settings.codeLifetime))),
            for: code, lifetime: 600)
        return code
    }

    /// Whether there is to be a refresh token: where the backend uses them, and OpenID Connect's client asks for it or the
    /// backend says that it always gets one, as those of Cloud Access Manager do.
    static func isRefreshable(_ scopes: [String], _ backend: Backend) -> Bool {
        guard backend.settings.grants.contains(.refreshToken) else { return false }
        return backend.settings.usesRefreshTokens
            ?? (scopes.contains("offline_access") || !scopes.contains("openid"))
    }
}
