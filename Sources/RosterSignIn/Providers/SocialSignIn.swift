import Foundation
import Roster
import RosterCrypto
import RosterText

/// Social login: the user of a social provider's access token is a virtual user under that provider and subject, and never a user
/// of the directory. The provider is asked once a minute for each token.
extension RelyingParty {
    /// The user of a social provider's access token; nil if no provider has the name.
    ///
    /// - Parameter apps: The names of the entries whose tokens are accepted; nil for the entry with the provider's name.
    /// - Throws: ``AuthenticationFailure``, ``Refusal``.
    func socialIdentity(
        provider name: String, apps: [String]?, token: String, from origin: ClientOrigin
    ) async throws -> Identity? {
        let entries = (apps ?? [name]).lazy.compactMap { [providers] in providers.social[$0] }
        guard let provider = entries.first(where: { $0.provider == name }) else { return nil }
        guard (1...4_096).contains(token.utf8.count) else { throw AuthenticationFailure.wrong }
        let now = clock()
        let digest = try SHA256.digest(Array("\(provider.name)\n\(token)".utf8))
        if let found = known.identity(of: digest, now: now) { return found }
        // Each wrong token costs a request to the provider.
        let account = "social " + origin.address
        try throttle.admit(account: account, address: origin.address)
        guard
            let profile = try await asked(
                provider.name, { try await provider.profile(of: token, now: now, by: client.fetcher) })
        else {
            try throttle.failed(account: account, address: origin.address)
            audit.record(.refused, nil, nil, from: origin, method: "social", reason: provider.name)
            throw AuthenticationFailure.wrong
        }
        try throttle.succeeded(account: account, address: origin.address)
        let user = try await directory.holders.remember(
            issuer: provider.issuer, subject: profile.subject, name: profile.name, roles: [])
        if let person = try Person(.virtualUser(user.id), in: directory) {
            try directory.holders.countSignIn(.password, of: person.holder)
            audit.record(.signedIn, person, nil, from: origin, method: "social", reason: "from " + provider.issuer)
        }
        var identity = Identity(
            .virtualUser(issuer: user.issuer, subject: user.subject), name: user.shownName, scopes: [.profile])
        identity.socialProvider = provider.provider
        known.remember(identity, of: digest, now: now, end: profile.expires)
        return identity
    }
}
