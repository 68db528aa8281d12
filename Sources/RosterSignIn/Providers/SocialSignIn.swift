import Foundation
import Roster
import RosterText
import RosterCrypto

/// Social login: the user of a social provider's access token is a virtual user under that provider and subject, and never a user
/// of the directory. The provider is asked once a minute for each token.
struct SocialSignIn: Sendable {
    private let directory: Directory
    private let audit: AuditTrail
    private let clock: @Sendable () -> Date
    private let known = IdentityMemory()
    private let throttle = AttemptThrottle()

    init(_ directory: Directory, _ audit: AuditTrail, _ clock: @escaping @Sendable () -> Date) {
        self.directory = directory
        self.audit = audit
        self.clock = clock
    }

    /// The user of an access token.
    ///
    /// - Throws: ``AuthenticationFailure``, ``DocumentFetcher/Problem``.
    func identity(_ provider: SocialProvider, _ token: String, from address: String) async throws -> Identity {
        guard (1...4_096).contains(token.utf8.count) else { throw AuthenticationFailure.wrong }
        let now = clock()
        let digest = try SHA256.digest(Array("\(provider.name)\n\(token)".utf8))
        if let found = known.identity(of: digest, now: now) { return found }
        // Each wrong token costs a request to the provider.
        if case .wait(let seconds) = throttle.check(account: "social " + address, address: address) {
            throw AuthenticationFailure.tooManyAttempts(seconds: seconds)
        }
        guard let profile = try await provider.profile(of: token, now: now) else {
            throttle.failed(account: "social " + address, address: address)
            audit.record(.refused, nil, nil, from: address, method: "social", reason: provider.name)
            throw AuthenticationFailure.wrong
        }
        throttle.succeeded(account: "social " + address, address: address)
        let user = try await directory.remember(
            issuer: provider.issuer, subject: profile.subject, name: profile.name, roles: [])
        if let person = try Person(.virtualUser(user.id), in: directory) {
            audit.record(.signedIn, person, nil, from: address, method: "social", reason: "from " + provider.issuer)
        }
        var identity = Identity(
            .virtualUser(issuer: user.issuer, subject: user.subject), name: user.shownName, scopes: ["profile"])
        identity.socialProvider = provider.name
        known.remember(identity, of: digest, now: now, end: profile.expires)
        return identity
    }
}
