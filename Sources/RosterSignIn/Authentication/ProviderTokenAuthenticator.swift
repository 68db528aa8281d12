import Foundation
import Roster
import RosterText
import RosterCrypto

/// Bearer tokens (RFC 6750) that are id tokens of providers, as Sync Gateway takes them from apps that got one themselves.
struct ProviderTokenAuthenticator: Authenticator {
    let relyingParty: RelyingParty
    /// Who a token was found to be of, by its digest: it is checked again each minute.
    private let known = Locked(GenerationalMap<[UInt8], (identity: Identity, until: Date)>(capacity: 5_000))
    private let directory: Directory
    private let clock: @Sendable () -> Date

    init(_ relyingParty: RelyingParty, _ oauth: OAuthService) {
        self.relyingParty = relyingParty
        directory = oauth.directory
        clock = oauth.clock
    }

    func authenticate(scheme: String, credentials: String, from peer: String) -> Authentication {
        guard scheme == "bearer", credentials.utf8.count <= JSONWebToken.maximumLength,
            credentials.utf8.count(where: { $0 == UInt8(ascii: ".") }) == 2, relyingParty.isProviders(credentials)
        else { return .notMine }
        return .later {
            let digest = try SHA256.digest(Array(credentials.utf8))
            let now = clock()
            // A clock that went back does not let it be known for longer.
            if let found = known.withLock({ $0.value(digest) }), now < found.until,
                found.until <= now.addingTimeInterval(60), case .user(let id) = found.identity.caller,
                try Person(.user(id), in: directory) != nil
            {
                return found.identity
            }
            do {
                let (person, lifetime) = try await relyingParty.signIn(idToken: credentials, from: peer)
                let identity = Identity(person.caller, name: person.name)
                let until = clock().addingTimeInterval(min(lifetime, 60))
                known.withLock { $0.set((identity, until), for: digest) }
                return identity
            } catch is RelyingParty.Refusal {
                throw AuthenticationFailure.wrong
            }
        }
    }
}
