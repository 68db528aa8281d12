import RosterCrypto

/// The hash functions of one-time passwords (RFC 6238, section 1.2).
///
/// In HMAC, SHA-1 is not broken; most authenticator apps know nothing else.
public enum OneTimeHash: String, Sendable, Hashable, CaseIterable {
    /// SHA-1.
    case sha1 = "SHA1"
    /// SHA-256.
    case sha256 = "SHA256"
    /// SHA-512.
    case sha512 = "SHA512"

    var digest: DigestAlgorithm {
        switch self {
        case .sha1: .sha1
        case .sha256: .sha256
        case .sha512: .sha512
        }
    }
}

/// What both kinds of one-time passwords share.
struct OneTimeSettings: Sendable, Hashable {
    let secret: [UInt8]
    let hash: OneTimeHash
    let digits: Int
    let hasChecksum: Bool

    init(secret: [UInt8], hash: OneTimeHash, digits: Int, hasChecksum: Bool) throws {
        guard (1...1_024).contains(secret.count) else {
            throw ClientError.invalidInput(
                "The shared secret has \(secret.count) bytes.", "Give the secret as bytes; RFC 4226 wants 16 at least.")
        }
        guard (6...8).contains(digits) else {
            throw ClientError.invalidInput("A password of \(digits) digits was asked for.", "Ask for 6 to 8 digits.")
        }
        self.secret = secret
        self.hash = hash
        self.digits = digits
        self.hasChecksum = hasChecksum
    }

    func password(_ counter: UInt64) throws -> String {
        try ClientError.wrapping {
            try OneTimeCode.password(
                counter: counter, secret: secret, algorithm: hash.digest, digits: digits, hasChecksum: hasChecksum)
        }
    }

    func password(for data: [UInt8]) throws -> String {
        try CryptoService.bounded(data)
        return try ClientError.wrapping {
            try OneTimeCode.password(
                for: data, secret: secret, algorithm: hash.digest, digits: digits, hasChecksum: hasChecksum)
        }
    }
}
