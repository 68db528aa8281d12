/// The computation of one-time passwords (RFC 4226, section 5.3), with the hash functions of RFC 6238.
package enum OneTimeCode {
    /// The password for a message, which is a counter or a step of time.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - secret: The shared secret.
    ///   - algorithm: SHA-1, SHA-256 or SHA-512.
    ///   - digits: The number of digits, 1 to 9, without the checksum.
    ///   - hasChecksum: Whether a digit follows that shows mistyped passwords (RFC 4226, section E.1).
    /// - Throws: ``CryptoFailure``.
    package static func password(
        for message: [UInt8], secret: [UInt8], algorithm: DigestAlgorithm = .sha1, digits: Int = 6,
        hasChecksum: Bool = false
    ) throws -> String {
        let hash = try HMACCode.code(for: message, key: secret, with: algorithm)
        // Shorter hashes have no four bytes at each offset.
        guard hash.count >= 20, (1...9).contains(digits), let last = hash.last else {
            throw CryptoFailure(operation: "HMAC")
        }
        let offset = Int(last & 15)
        let number = hash[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) } & 0x7FFF_FFFF
        let modulus = (0..<digits).reduce(1) { product, _ in product * 10 }
        let text = String(number % modulus)
        let password = String(repeating: "0", count: max(digits - text.utf8.count, 0)) + text
        return hasChecksum ? password + checksum(password) : password
    }

    /// The password for a counter.
    /// - Throws: ``CryptoFailure``.
    package static func password(
        counter: UInt64, secret: [UInt8], algorithm: DigestAlgorithm = .sha1, digits: Int = 6, hasChecksum: Bool = false
    ) throws -> String {
        try password(
            for: withUnsafeBytes(of: counter.bigEndian) { Array($0) }, secret: secret, algorithm: algorithm,
            digits: digits, hasChecksum: hasChecksum)
    }

    /// The checksum digit, computed as for the numbers of credit cards.
    private static func checksum(_ password: String) -> String {
        var total = 0
        for (index, digit) in password.utf8.reversed().enumerated() {
            let value = Int(digit) - 0x30
            let doubled = index % 2 == 0 ? value * 2 : value
            total += doubled > 9 ? doubled - 9 : doubled
        }
        return String((10 - total % 10) % 10)
    }
}
