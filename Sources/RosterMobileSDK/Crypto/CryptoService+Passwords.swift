import RosterClient
import RosterCrypto
import RosterSecrets
import RosterText

/// Hashes of passwords, which cost an attacker memory and time for each guess.
extension CryptoService {
    /// The longest password in bytes.
    static let longestPassword = 4_096

    /// The hash of a password with scrypt (RFC 7914) and a new salt, as a text such as `$scrypt$ln=14,r=8,p=5$…$…`.
    ///
    /// Each hash needs 16 MiB of memory.
    ///
    /// - Parameter password: The password, at most 4,096 bytes of UTF-8.
    /// - Throws: `ClientError`: `invalidInput`, `cryptographyFailed`.
    public static func passwordHash(_ password: String) throws -> String {
        let hash = ScryptHash(costs: .new, salt: try ClientError.wrapping { try SecureRandom.bytes(16) })
        return hash.text(try hash.key(password))
    }

    /// Checks a password against a hash: one of ``passwordHash(_:)``, or one of the schemes of Oracle's SDK, such as
    /// `{SaltedSHA-512}…`. The comparison takes the same time for all wrong passwords.
    ///
    /// - Parameters:
    ///   - password: The password, at most 4,096 bytes of UTF-8.
    ///   - hash: The hash.
    /// - Returns: Whether the hash is that of the password.
    /// - Throws: `ClientError`: `invalidInput` if the text is not such a hash, `cryptographyFailed`.
    public static func verify(password: String, hash: String) throws -> Bool {
        guard hash.hasPrefix("$") else { return try verify(Array(password.utf8), hashText: hash) }
        guard let (parts, key) = ScryptHash.read(hash) else {
            throw ClientError.invalidInput(
                "The stored hash is not a hash of scrypt, or its costs are out of bounds.",
                "Give the hash exactly as the hash was written.")
        }
        return constantTimeEqual(try parts.key(password), key)
    }
}

/// The costs and the salt of a hash with scrypt.
private struct ScryptHash {
    let costs: StoreHeader.Costs
    let salt: [UInt8]

    func key(_ password: String) throws -> [UInt8] {
        guard (0...CryptoService.longestPassword).contains(password.utf8.count) else {
            throw ClientError.invalidInput("The password is too long.", "Give at most 4,096 bytes.")
        }
        return try ClientError.wrapping {
            try password.withUTF8Bytes {
                try Scrypt.key(password: $0, salt: salt, logN: costs.logN, r: costs.r, p: costs.p, length: 32)
            }
        }
    }

    func text(_ key: [UInt8]) -> String {
        "$scrypt$ln=\(costs.logN),r=\(costs.r),p=\(costs.p)$\(Base64.text(salt, isPadded: false))"
            + "$\(Base64.text(key, isPadded: false))"
    }

    /// Reads a hash; nil for other texts, and for costs that would take up memory or time.
    static func read(_ text: String) -> (ScryptHash, key: [UInt8])? {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard text.utf8.count <= 256, parts.count == 5, parts[0].isEmpty, parts[1] == "scrypt",
            let match = parts[2].wholeMatch(of: /ln=([0-9]{1,2}),r=([0-9]{1,2}),p=([0-9]{1,2})/),
            let logN = Int(match.1), let r = Int(match.2), let p = Int(match.3),
            let salt = Base64.bytes(parts[3], padding: .absent), (8...64).contains(salt.count),
            let key = Base64.bytes(parts[4], padding: .absent), key.count == 32
        else { return nil }
        let costs = StoreHeader.Costs(logN: logN, r: r, p: p)
        return costs.areBounded ? (ScryptHash(costs: costs, salt: salt), key) : nil
    }
}
