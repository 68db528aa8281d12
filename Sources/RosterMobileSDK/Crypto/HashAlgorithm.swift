import RosterCrypto

/// A hash function for new data (FIPS 180-4).
public enum HashAlgorithm: String, Sendable, Hashable, CaseIterable {
    /// SHA-224, with 28 bytes.
    case sha224 = "SHA224"
    /// SHA-256, with 32 bytes.
    case sha256 = "SHA256"
    /// SHA-384, with 48 bytes.
    case sha384 = "SHA384"
    /// SHA-512, with 64 bytes.
    case sha512 = "SHA512"

    var digest: DigestAlgorithm {
        switch self {
        case .sha224: .sha224
        case .sha256: .sha256
        case .sha384: .sha384
        case .sha512: .sha512
        }
    }
}

/// A hash function without collision resistance, for checking data of old apps. Functions that write with these are deprecated.
public enum InsecureHashAlgorithm: String, Sendable, Hashable, CaseIterable {
    /// MD5, with 16 bytes.
    case md5 = "MD5"
    /// SHA-1, with 20 bytes.
    case sha1 = "SHA"

    var digest: DigestAlgorithm { self == .md5 ? .md5 : .sha1 }
}

/// The name of a hash function before a hash, such as `{SSHA256}`.
struct HashPrefix {
    let digest: DigestAlgorithm
    let isSalted: Bool

    /// Reads a name as LDAP servers (`SSHA`, `SHA256`) and Oracle's mobile SDK (`SaltedSHA-256`, `SHA-1`) write it.
    init?(_ name: some StringProtocol) {
        guard name.utf8.count <= 16 else { return nil }
        var rest = name.uppercased().replacing("-", with: "")[...]
        if rest.hasPrefix("SALTED") {
            rest = rest.dropFirst(6)
            isSalted = true
        } else {
            isSalted = rest.hasPrefix("SS") || rest.hasPrefix("SM")
            if isSalted { rest = rest.dropFirst() }
        }
        switch rest {
        case "MD5": digest = .md5
        case "SHA", "SHA1": digest = .sha1
        case "SHA224": digest = .sha224
        case "SHA256": digest = .sha256
        case "SHA384": digest = .sha384
        case "SHA512": digest = .sha512
        default: return nil
        }
    }
}
