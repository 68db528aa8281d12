package import RosterCrypto

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
}
