public import Foundation
package import Roster
import RosterCrypto
package import RosterText

/// An access token of ours that has been verified, and was alive when it was asked for.
public struct AccessToken: Sendable {
    /// `jti`.
    public let id: String
    /// Whom it stands for: a user by the grant, or the client itself.
    package enum Subject: Sendable, Hashable {
        case holder(Holder, grant: Int64, salt: String)
        /// With the beginning of the digest of the secret that it had then, and the directory's sign-in epoch.
        case client(secret: String, epoch: Int64)
    }
    /// Whom it stands for.
    package let subject: Subject
    /// The client that it was given to.
    public let clientID: String
    /// What it allows.
    public let scopes: Set<String>
    /// For whom it is.
    public let audiences: [String]
    /// When it ends, in seconds since 1970.
    package let expires: Int64
    /// Its claims.
    package let claims: JSONValue

    /// When it was issued, in seconds since 1970.
    var issued: Int64 { if case .integer(let time)? = claims["iat"] { time } else { 0 } }

    /// The use that ends it.
    var use: UseOnce {
        var number: Int64?
        if case .holder(_, let grant, _) = subject { number = grant }
        return UseOnce(
            "jti:" + id, issued: Date(timeIntervalSince1970: Double(issued)), until: expiration, grant: number)
    }

    /// When it ends.
    public var expiration: Date { Date(timeIntervalSince1970: TimeInterval(expires)) }

    /// How the user signed in whom the token stands for; nil where it was not with a password of ours.
    var personalSignIn: PersonalSignIn? {
        guard let seconds = claims["auth_time"]?.seconds else { return nil }
        return PersonalSignIn(
            time: Date(timeIntervalSince1970: seconds), amr: claims["amr"]?.elements.compactMap(\.text) ?? [])
    }

    /// How much of a grant's salt its tokens name.
    private static let saltLength = 8
    /// Says of a client's own token that it proves who the client is, as in the mobile cloud.
    static let assertionClaim = "oracle_tk_context"

    /// Reads verified claims; nil where they are not what an access token of ours has.
    init?(_ claims: JSONValue) {
        guard let id = claims["jti"]?.text, let clientID = claims["client_id"]?.text,
            case .integer(let expires)? = claims["exp"], let sub = claims["sub"]?.text
        else { return nil }
        self.id = id
        self.clientID = clientID
        self.expires = expires
        self.claims = claims
        scopes = Set((claims["scope"]?.text ?? "").split(separator: " ").map(String.init))
        audiences = claims["aud"]?.text.map { [$0] } ?? claims["aud"]?.elements.compactMap(\.text) ?? []
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

    /// The `jti` of a token of a client itself: with a new secret it is no longer one of the client's.
    static func id(of client: BackendRecord, random: String) -> String {
        "c.\(client.secretDigest?.prefix(8) ?? "").\(client.epoch).\(random)"
    }

    /// The `jti` of a token of a grant: the grant can be found by it, and nobody needs to look into another claim.
    static func id(of grant: GrantRecord, random: String) -> String {
        let kind = if case .user = grant.holder { "u" } else { "v" }
        return "\(kind).\(grant.number).\(grant.salt.prefix(saltLength)).\(random)"
    }
}

/// Verifies access tokens of ours: the signature once, and at each use whether what they stand for is still there.
package final class TokenChecker: Sendable {
    /// How long a token may be, in bytes: it must fit into a header field.
    static let maximumLength = 16_384

    private let directory: Directory
    private let clients: ClientDirectory
    private let keys: KeyRing
    private let issuer: String
    private let clock: @Sendable () -> Date
    /// What was verified, by the digest of the token.
    private let verified = Locked(GenerationalMap<[UInt8], AccessToken>(capacity: 5_000))

    package init(
        _ directory: Directory, clients: ClientDirectory, keys: KeyRing, issuer: String,
        clock: @escaping @Sendable () -> Date
    ) {
        self.directory = directory
        self.clients = clients
        self.keys = keys
        self.issuer = issuer
        self.clock = clock
    }

    /// The token, and the name of whom it stands for, of a virtual user issuer and subject; nil where it is none of ours, has expired or was ended.
    ///
    /// Cost: a signature to verify the first time, about 60 µs, and some microseconds afterwards.
    package func check(_ text: String) throws -> (token: AccessToken, name: String)? {
        guard text.utf8.count <= Self.maximumLength else { return nil }
        let digest = try SHA256.digest(Array(text.utf8))
        let token: AccessToken
        if let known = verified.withLock({ $0.value(digest) }) {
            token = known
        } else {
            guard let claims = try keys.verify(text, type: "at+jwt"), claims["iss"]?.text == issuer,
                let read = AccessToken(claims)
            else { return nil }
            token = read
            verified.withLock { $0.set(read, for: digest) }
        }
        let now = clock().timeIntervalSince1970
        // One that was issued while the clock was ahead would live too long.
        guard now < Double(token.expires), Double(token.issued) <= now + Directory.clockTolerance else { return nil }
        switch token.subject {
        case .client(let secret, let epoch):
            guard try !directory.isSpent(token.use),
                let backend = try clients.backend(.clientID(token.clientID)),
                case let record = backend.record, record.secretDigest?.hasPrefix(secret) == true, record.epoch == epoch,
                backend.settings.grants.contains(.clientCredentials),
                case let issued = Double(token.issued),
                record.created.timeIntervalSince1970 - 1 < issued, Double(backend.settings.disabled ?? 0) < issued
            else { return nil }
            return (token, "\(record.name) \(record.version)")
        case .holder(_, let grant, let salt):
            guard let name = try directory.standing(ofGrant: grant, salt: salt, token: token.use.id) else {
                return nil
            }
            return (token, name)
        }
    }

    /// Forgets what was verified: a key has been taken away.
    package func forget() { verified.withLock { $0.removeAll() } }
}

extension JSONValue {
    /// A NumericDate as we write it.
    var seconds: Double? {
        if case .integer(let number) = self { return Double(number) }
        return nil
    }
}
