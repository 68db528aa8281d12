import Foundation
import RosterText

/// The rules for new passwords, after NIST SP 800-63B and OWASP ASVS 5.0 (6.2): a password must be long enough and not a common one.
/// There are no rules about kinds of characters and no expiry, because both make people choose worse passwords.
package enum PasswordPolicy {
    /// The fewest characters (Unicode scalars) of a new password in its prepared form: 8.
    package static let minimumCharacters = 8

    /// Refuses a bad new password, and one with a character that OpaqueString forbids. Cost: about 5 µs, and no hash.
    ///
    /// Comparisons with the list, the name and the addresses ignore case and compatibility forms. An address is also compared
    /// without the part after the `@`.
    package static func check(_ password: String, name: String, mails: [String] = []) throws(PasswordProblem) {
        try PasswordHash.check(password)
        let password = OpaqueString.prepared(password)
        guard password.utf8.count <= PasswordHash.maximumPasswordBytes else {
            throw .tooLong(maximumBytes: PasswordHash.maximumPasswordBytes)
        }
        do { try OpaqueString.check(password) } catch { throw .forbidden(error) }
        guard password.unicodeScalars.count >= minimumCharacters else {
            throw .tooShort(minimumCharacters: minimumCharacters)
        }
        let folded = Self.folded(password)
        guard !CommonPasswords.all.contains(folded) else { throw .common }
        let own = [name] + mails + mails.map { String($0.prefix { $0 != "@" }) }
        guard !own.contains(where: { Self.folded($0) == folded }) else { throw .sameAsName }
    }

    private static func folded(_ text: String) -> String { text.precomposedStringWithCompatibilityMapping.lowercased() }
}
