package import RosterOpenID

/// The algorithms with which the service's own keys sign tokens (RFC 7518; RFC 8037).
public enum SigningAlgorithm: String, Sendable, Hashable, CaseIterable {
    /// ECDSA with P-256 and SHA-256: short and fast, and the default.
    case es256 = "ES256"
    /// RSA with SHA-256 (PKCS #1 v1.5), which every OpenID Connect client can verify.
    case rs256 = "RS256"
    /// Ed25519.
    case edDSA = "EdDSA"

    /// The same algorithm among those that can be verified.
    package var algorithm: SignatureAlgorithm {
        switch self {
        case .es256: .es256
        case .rs256: .rs256
        case .edDSA: .edDSA
        }
    }
}

/// The signature of a backend's tokens.
public enum TokenSignature: RawRepresentable, Sendable, Hashable, CaseIterable {
    /// A key of the service signs all tokens. Everybody can verify them with the public keys of the service.
    case key(SigningAlgorithm)
    /// The backend's secret signs its ID tokens (HS256). Only a confidential backend can have this signature. Access tokens
    /// have an ES256 signature even then, because other services must be able to verify them.
    case clientSecret

    /// All signatures.
    public static var allCases: [TokenSignature] { SigningAlgorithm.allCases.map(Self.key) + [.clientSecret] }

    /// Finds the signature with a registered name: `ES256`, `RS256`, `EdDSA` or `HS256`.
    public init?(rawValue: String) {
        if rawValue == "HS256" {
            self = .clientSecret
        } else if let algorithm = SigningAlgorithm(rawValue: rawValue) {
            self = .key(algorithm)
        } else {
            return nil
        }
    }

    /// The registered name of the algorithm that signs ID tokens.
    public var rawValue: String {
        switch self {
        case .key(let algorithm): algorithm.rawValue
        case .clientSecret: "HS256"
        }
    }

    /// The algorithm that signs id tokens.
    var algorithm: SignatureAlgorithm {
        switch self {
        case .key(let algorithm): algorithm.algorithm
        case .clientSecret: .hs256
        }
    }

    /// The algorithm of the service's key, which signs access tokens.
    var keyAlgorithm: SigningAlgorithm {
        switch self {
        case .key(let algorithm): algorithm
        case .clientSecret: .es256
        }
    }
}
