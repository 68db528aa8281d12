package import RosterCrypto
import RosterText

/// The signature algorithms (RFC 7518, section 3.1; RFC 8037). `none` is not supported.
package enum SignatureAlgorithm: String, Sendable, Hashable, CaseIterable {
    case rs256 = "RS256"
    case rs384 = "RS384"
    case rs512 = "RS512"
    case ps256 = "PS256"
    case ps384 = "PS384"
    case ps512 = "PS512"
    case es256 = "ES256"
    case es384 = "ES384"
    case es512 = "ES512"
    case edDSA = "EdDSA"
    case hs256 = "HS256"

    /// The algorithm with a name in a header or a key. RFC 9864 calls EdDSA with an Ed25519 key `Ed25519`.
    package init?(named name: String) { self.init(rawValue: name == "Ed25519" ? "EdDSA" : name) }

    /// The algorithms whose keys can be published: all but HS256.
    package static let published = Set(allCases).subtracting([.hs256])

    /// The kind of its keys and the signature scheme; nil for a shared secret.
    package var asymmetric: (kind: KeyHandle.Kind, scheme: KeyHandle.Scheme)? {
        switch self {
        case .rs256: (.rsa, .init(digest: .sha256))
        case .rs384: (.rsa, .init(digest: .sha384))
        case .rs512: (.rsa, .init(digest: .sha512))
        case .ps256: (.rsa, .init(digest: .sha256, isProbabilistic: true))
        case .ps384: (.rsa, .init(digest: .sha384, isProbabilistic: true))
        case .ps512: (.rsa, .init(digest: .sha512, isProbabilistic: true))
        case .es256: (.p256, .init(digest: .sha256))
        case .es384: (.p384, .init(digest: .sha384))
        case .es512: (.p521, .init(digest: .sha512))
        case .edDSA: (.ed25519, .init(digest: nil))
        case .hs256: nil
        }
    }

    /// The left half of a token's hash, by which an id token names the access token that came with it (`at_hash`; OpenID Connect Core,
    /// section 3.1.3.6). The hash function is that of the algorithm; for EdDSA with Ed25519 it is SHA-512.
    package func halfHash(of token: String) throws -> String {
        let digest: DigestAlgorithm =
            switch self {
            case .rs256, .ps256, .es256, .hs256: .sha256
            case .rs384, .ps384, .es384: .sha384
            case .rs512, .ps512, .es512, .edDSA: .sha512
            }
        let hash = try Array(token.utf8).withUnsafeBytes {
            try digest.digest($0, UnsafeRawBufferPointer(start: nil, count: 0))
        }
        return Base64URL.text(Array(hash.prefix(digest.length / 2)))
    }
}
