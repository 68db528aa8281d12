public import Foundation
import Roster
import RosterCrypto
package import RosterText

/// An access token of ours that has been verified, and was alive when it was asked for.
public struct AccessToken: Sendable {
    /// `jti`.
    public let id: String
    /// A user by a grant, or the client itself.
    package enum Subject: Sendable, Hashable {
        case holder(Holder, grant: Int64, salt: String)
        /// The client, with the beginning of the digest of its secret, and the directory's sign-in epoch, both at the time of issue.
        case client(secret: String, epoch: Int64)
    }
    package let subject: Subject
    /// The client that got the token.
    public let clientID: String
    /// The scopes.
    public let scopes: Set<Scope>
    /// The audiences.
    public let audiences: [String]
    /// The end of the token, in seconds since 1970.
    package let expires: Int64
    package let claims: JSONValue

    /// The time of issue, in seconds since 1970.
    var issued: Int64 { if case .integer(let time)? = claims["iat"] { time } else { 0 } }

    /// The use that revokes it.
    var use: UseOnce {
        var number: Int64?
        if case .holder(_, let grant, _) = subject { number = grant }
        return UseOnce(
            "jti:" + id, issued: Date(timeIntervalSince1970: Double(issued)), until: expiration, grant: number)
    }

    /// The end of the token.
    public var expiration: Date { Date(timeIntervalSince1970: TimeInterval(expires)) }

    /// The user's sign-in by password; nil for another way to sign in.
    var personalSignIn: PersonalSignIn? {
        guard let seconds = claims["auth_time"]?.seconds else { return nil }
        return PersonalSignIn(
            time: Date(timeIntervalSince1970: seconds), amr: claims["amr"]?.texts ?? [])
    }

    /// The largest size of a token in bytes. It must fit into a header field.
    static let maximumLength = 16_384
    /// The number of characters of a grant's salt that its tokens name.
    static let saltLength = 8
    /// The claim of a client's own token that the client may present as a proof of itself, as in the mobile cloud.
    static let assertionClaim = "oracle_tk_context"

    /// Reads verified claims; nil for claims that no access token of ours has.
    init?(_ claims: JSONValue) {
        guard let id = claims["jti"]?.text, let clientID = claims["client_id"]?.text,
            case .integer(let expires)? = claims["exp"], let sub = claims["sub"]?.text
        else { return nil }
        (self.id, self.clientID, self.expires, self.claims) = (id, clientID, expires, claims)
        scopes = Set((claims["scope"]?.text ?? "").scopes)
        audiences = claims["aud"]?.texts ?? []
        let parts = id.split(separator: ".")
        if parts.count == 3, parts[0] == "c" {
            // Tokens of versions before 0010_epochs.sql name no epoch.
            subject = .client(secret: String(parts[1]), epoch: 0)
        } else if parts.count == 4, parts[0] == "c", let epoch = Int64(parts[2]) {
            subject = .client(secret: String(parts[1]), epoch: epoch)
        } else if parts.count == 4, let number = Int64(parts[1]), parts[2].utf8.count == Self.saltLength {
            switch parts[0] {
            case "u":
                guard let user = UserID(sub) else { return nil }
                subject = .holder(.user(user), grant: number, salt: String(parts[2]))
            case "v":
                guard let user = VirtualUserID(sub) else { return nil }
                subject = .holder(.virtualUser(user), grant: number, salt: String(parts[2]))
            default: return nil
            }
        } else {
            return nil
        }
    }

    /// The `jti` of a token of a client itself. With a new secret of the client, the token becomes invalid.
    static func id(of client: Backend, random: String) -> String {
        "c.\(client.secretDigest?.prefix(8) ?? "").\(client.epoch).\(random)"
    }

    /// The `jti` of a token of a grant, by which the grant is found.
    static func id(of grant: Grant, random: String) -> String {
        let kind = if case .user = grant.holder { "u" } else { "v" }
        return "\(kind).\(grant.number).\(grant.salt.prefix(saltLength)).\(random)"
    }
}

/// The check of this service's access tokens: the signature once, and at each use whether the grant or backend still exists.
extension OAuthService {
    /// The token, and the name of its user or program; nil for a token that is not ours, has expired or was ended.
    ///
    /// Cost: a signature to verify the first time, about 60 µs, and some microseconds afterwards.
    package func check(_ text: String) throws -> (token: AccessToken, name: String)? {
        guard text.utf8.count <= AccessToken.maximumLength else { return nil }
        let digest = try SHA256.digest(Array(text.utf8))
        let token: AccessToken
        if let known = verifiedTokens.withLock({ $0.value(digest) }) {
            token = known
        } else {
            guard let claims = try keys.verify(text, type: "at+jwt"), claims["iss"]?.text == issuer,
                let read = AccessToken(claims)
            else { return nil }
            token = read
            verifiedTokens.withLock { $0.set(read, for: digest) }
        }
        let now = clock().timeIntervalSince1970
        // A token that was issued while the clock was ahead would live too long.
        guard now < Double(token.expires), Double(token.issued) <= now + Directory.clockTolerance else { return nil }
        switch token.subject {
        case .client(let secret, let epoch):
            guard try !directory.isSpent(token.use),
                let backend = try clients.backend(.clientID(token.clientID)),
                backend.secretDigest?.hasPrefix(secret) == true, backend.epoch == epoch,
                backend.settings.grants.contains(.clientCredentials),
                case let issued = Double(token.issued),
                backend.created.timeIntervalSince1970 - 1 < issued, Double(backend.settings.disabled ?? 0) < issued
            else { return nil }
            return (token, backend.title)
        case .holder(_, let grant, let salt):
            guard let name = try directory.standing(ofGrant: grant, salt: salt, token: token.use.id) else {
                return nil
            }
            return (token, name)
        }
    }

    /// Forgets which tokens were verified, because a key was removed.
    package func forgetVerifiedTokens() { verifiedTokens.withLock { $0.removeAll() } }
}
