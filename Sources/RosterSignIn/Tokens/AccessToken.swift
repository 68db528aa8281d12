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
        /// A user by a grant, whom the token does not name. ``OAuthService`` finds the user before it returns the token.
        case pairwise(grant: Int64, salt: String)
    }
    package internal(set) var subject: Subject
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
        if case .pairwise(let grant, _) = subject { number = grant }
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
            case "p": subject = .pairwise(grant: number, salt: String(parts[2]))
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
    ///
    /// - Parameter isPairwise: Whether the token names its user by a name of the backend's own.
    static func id(of grant: TokenGrant, isPairwise: Bool, random: String) -> String {
        let kind = if isPairwise { "p" } else if case .user = grant.holder { "u" } else { "v" }
        return "\(kind).\(grant.number).\(grant.salt.prefix(saltLength)).\(random)"
    }
}
