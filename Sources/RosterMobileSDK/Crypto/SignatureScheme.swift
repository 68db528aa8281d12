import RosterCrypto

/// How a key pair signs new data.
public enum SignatureScheme: Sendable, Hashable {
    /// RSASSA-PSS (RFC 8017, section 8.1). The salt is as long as the hash.
    case rsaPSS(HashAlgorithm)
    /// RSASSA-PKCS1-v1_5 (RFC 8017, section 8.2).
    case rsaPKCS1(HashAlgorithm)
    /// ECDSA (FIPS 186-5). The signature is in DER, as OpenSSL and Apple's systems have it.
    case ecdsa(HashAlgorithm)

    var scheme: KeyHandle.Scheme {
        switch self {
        case .rsaPSS(let algorithm): .init(digest: algorithm.digest, isProbabilistic: true)
        case .rsaPKCS1(let algorithm), .ecdsa(let algorithm): .init(digest: algorithm.digest)
        }
    }

    var isForRSA: Bool {
        if case .ecdsa = self { return false }
        return true
    }
}

/// An insecure way of signing, for checking signatures of old apps.
public enum InsecureSignatureScheme: Sendable, Hashable {
    /// RSASSA-PKCS1-v1_5 with SHA-1, which Oracle's SDK calls `OMPaddingPKCS1SHA1`.
    case rsaPKCS1SHA1

    var scheme: KeyHandle.Scheme { .init(digest: .sha1) }
}

/// How RSA encrypts a new key.
public enum WrapScheme: Sendable, Hashable {
    /// RSAES-OAEP (RFC 8017, section 7.1) with one hash function for the label and the mask.
    case oaep(HashAlgorithm)

    var padding: KeyHandle.WrapPadding {
        switch self {
        case .oaep(let algorithm): .oaep(algorithm.digest)
        }
    }
}

/// How RSA encrypted keys of old apps.
public enum InsecureWrapScheme: Sendable, Hashable {
    /// RSAES-OAEP with SHA-1, the only OAEP of Oracle's SDK.
    case oaepSHA1
    /// RSAES-PKCS1-v1_5. An attacker who learns often enough whether unwrapping fails can decrypt (Bleichenbacher 1998).
    case pkcs1

    var padding: KeyHandle.WrapPadding { self == .pkcs1 ? .pkcs1 : .oaep(.sha1) }
}
