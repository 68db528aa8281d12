import Foundation

/// What a new password must be, after NIST SP 800-63B and OWASP ASVS 5.0 (6.2): long enough, and nothing that everybody
/// tries first. No rules about kinds of characters, and no expiry: both make people choose worse ones.
package enum PasswordPolicy {
    /// The fewest characters (Unicode scalars) of a new password: 8.
    package static let minimumCharacters = 8

    /// Refuses a password that should not be taken as a new one. Costs about 5 µs, hashes nothing.
    ///
    /// Case and compatibility forms do not count where it is compared with the list, the name or the addresses. An
    /// address is also compared without what follows the `@`.
    /// - Throws: ``PasswordProblem``; what is too long is told first, so that nothing else looks at it.
    package static func check(_ password: String, name: String, mails: [String] = []) throws(PasswordProblem) {
        try PasswordHash.check(password)
        guard password.unicodeScalars.count >= minimumCharacters else {
            throw .tooShort(minimumCharacters: minimumCharacters)
        }
        let folded = Self.folded(password)
        guard !CommonPasswords.contains(folded) else { throw .common }
        let own = [name] + mails + mails.map { String($0.prefix { $0 != "@" }) }
        guard !own.contains(where: { Self.folded($0) == folded }) else { throw .sameAsName }
    }

    private static func folded(_ text: String) -> String { text.precomposedStringWithCompatibilityMapping.lowercased() }
}
