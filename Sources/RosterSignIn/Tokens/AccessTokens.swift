import Foundation
import Roster
import RosterCrypto
import RosterText

/// The check of this service's access tokens: the signature once, and at each use whether the grant or backend still exists.
package struct AccessTokens: Sendable {
    let keys: KeyRing
    let issuer: String
    let clock: @Sendable () -> Date
    let directory: Directory
    let clients: ClientDirectory
    /// The access tokens whose signatures were verified, by their digests, with the generation of the keys.
    private let verifiedTokens = Locked(
        GenerationalMap<[UInt8], (token: AccessToken, generation: Int)>(capacity: 5_000))

    init(
        keys: KeyRing, issuer: String, clock: @escaping @Sendable () -> Date, directory: Directory,
        clients: ClientDirectory
    ) {
        (self.keys, self.issuer, self.clock) = (keys, issuer, clock)
        (self.directory, self.clients) = (directory, clients)
    }

    /// The token, and the name of its user or program; nil for a token that is not ours, has expired or was ended.
    ///
    /// Cost: a signature to verify the first time, about 60 µs, and some microseconds afterwards.
    package func check(_ text: String) throws -> (token: AccessToken, name: String)? {
        guard text.utf8.count <= AccessToken.maximumLength else { return nil }
        let digest = try SHA256.digest(Array(text.utf8))
        var token: AccessToken
        let generation = keys.generation
        // The key that signed a token may have been removed since.
        if let known = verifiedTokens.withLock({ $0.value(digest) }), known.generation == generation {
            token = known.token
        } else {
            guard let claims = try keys.verify(text, type: "at+jwt"), claims["iss"]?.text == issuer,
                let read = AccessToken(claims)
            else { return nil }
            token = read
            verifiedTokens.withLock { $0.set((read, generation), for: digest) }
        }
        let now = clock().timeIntervalSince1970
        // A token that was issued while the clock was ahead would live too long.
        guard now < Double(token.expires), Double(token.issued) <= now + SpentTokens.clockTolerance else { return nil }
        switch token.subject {
        case .client(let secret, let epoch):
            guard try !directory.spentTokens.isSpent(token.use),
                let backend = try clients.backend(.clientID(token.clientID)),
                try isSecret(secret, of: backend), backend.epoch == epoch,
                backend.settings.grants.contains(.clientCredentials),
                case let issued = Double(token.issued),
                backend.created.timeIntervalSince1970 - 1 < issued, Double(backend.settings.disabled ?? 0) < issued
            else { return nil }
            return (token, backend.title)
        case .holder(_, let grant, let salt):
            guard let name = try directory.grants.standing(ofGrant: grant, salt: salt, token: token.use.id) else {
                return nil
            }
            return (token, name)
        case .pairwise(let number, let salt):
            guard let name = try directory.grants.standing(ofGrant: number, salt: salt, token: token.use.id),
                let grant = try directory.grants.grant(number)
            else { return nil }
            token.subject = .holder(grant.holder, grant: number, salt: salt)
            return (token, name)
        }
    }

    /// Whether the digest of a backend's secret begins like this. A former secret counts until its end.
    private func isSecret(_ beginning: String, of backend: Backend) throws -> Bool {
        if backend.secretDigest?.hasPrefix(beginning) == true { return true }
        return try directory.signInRecords.formerSecrets(of: backend.id).contains { $0.digest.hasPrefix(beginning) }
    }

    /// The person of a grant, with the roles that the grant adds; nil if the account is deleted or disabled.
    func person(of grant: TokenGrant) throws -> Person? {
        try Person(grant.holder, in: directory, granted: grant.detail.roles)
    }

    /// The person of an access token; nil for a client-credentials token, and where the grant has ended.
    package func person(of token: AccessToken) throws -> Person? {
        guard case .holder(_, let number, _) = token.subject, let grant = try directory.grants.grant(number) else {
            return nil
        }
        return try person(of: grant)
    }
}
