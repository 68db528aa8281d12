import Foundation
import Roster
import RosterText
import RosterCrypto

/// Social login: whoever sends a social provider's access token is known under that provider and subject, as a virtual user,
/// and never one of the directory's own. Asked of the provider once a minute for each token.
struct SocialSignIn: Sendable {
    private let oauth: OAuthService
    private let known = Locked(GenerationalMap<[UInt8], (identity: Identity, until: Date)>(capacity: 5_000))
    private let throttle = AttemptThrottle()

    init(_ oauth: OAuthService) { self.oauth = oauth }

    /// - Throws: ``AuthenticationFailure``, ``DocumentFetcher/Problem``.
    func identity(_ provider: SocialProvider, _ token: String, from peer: String) async throws -> Identity {
        guard (1...4_096).contains(token.utf8.count) else { throw AuthenticationFailure.wrong }
        let now = oauth.clock()
        let digest = try SHA256.digest(Array("\(provider.name)\n\(token)".utf8))
        if let found = known.withLock({ $0.value(digest) }), now < found.until,
            // A clock that went back does not let it be known for longer.
            found.until <= now.addingTimeInterval(60)
        {
            return found.identity
        }
        // Each wrong token is a request of ours to the provider.
        if case .wait(let seconds) = throttle.check(account: "social " + peer, address: peer) {
            throw AuthenticationFailure.tooManyAttempts(seconds: seconds)
        }
        guard let profile = try await provider.profile(of: token, now: now) else {
            throttle.failed(account: "social " + peer, address: peer)
            oauth.tell(.refused, nil, nil, from: peer, means: "social", reason: provider.name)
            throw AuthenticationFailure.wrong
        }
        throttle.succeeded(account: "social " + peer, address: peer)
        let user = try await oauth.directory.remember(
            issuer: provider.issuer, subject: profile.subject, name: profile.name, roles: [])
        if let person = try Person(.virtualUser(user.id), in: oauth.directory) {
            oauth.tell(.signedIn, person, nil, from: peer, means: "social", reason: "from " + provider.issuer)
        }
        var identity = Identity(
            .virtualUser(issuer: user.issuer, subject: user.subject), name: user.shownName, scopes: ["profile"])
        identity.socialProvider = provider.name
        known.withLock { $0.set((identity, min(profile.expires, now.addingTimeInterval(60))), for: digest) }
        return identity
    }
}
