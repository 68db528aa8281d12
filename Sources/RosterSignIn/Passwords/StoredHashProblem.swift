import Foundation

/// Why a text is no password hash that can be stored. Never holds any of the text: it may be somebody's password.
package enum StoredHashProblem: Error, Sendable, Hashable {
    /// There is no scheme: most likely the password itself.
    case clearText
    /// The scheme is none that is known.
    case unknownScheme
    /// The scheme can be broken in hours, and is not taken; with its name.
    case weakScheme(String)
    /// The scheme is known, but nothing on this system can verify it; with its name.
    case unsupported(String)
    /// The scheme is known, and the rest is not what it writes; with its name.
    case malformed(String)
    /// Verifying it would take too long or too much memory, or so little that it protects nothing; with its name.
    case outOfBounds(String)

    /// What was wrong.
    package var message: String {
        switch self {
        case .clearText: "The text has no password scheme."
        case .unknownScheme: "The password scheme is unknown."
        case .weakScheme(let name): "Passwords hashed with \(name) are not taken."
        case .unsupported(let name): "Passwords hashed with \(name) cannot be verified on this system."
        case .malformed(let name): "The password hash is not a complete \(name) hash."
        case .outOfBounds(let name): "The cost of the \(name) hash is out of bounds."
        }
    }

    /// What to do next.
    package var advice: String {
        switch self {
        case .clearText: "Import hashes only; set a password in clear text as its owner would."
        case .unknownScheme, .weakScheme: "Leave the hash out and let the user set a new password."
        case .unsupported: "Run with OpenSSL 3.2 or later, or let the user set a new password."
        case .malformed: "Check that the export was not cut off or changed."
        case .outOfBounds: "Let the user set a new password."
        }
    }
}

extension StoredHashProblem: CustomStringConvertible, LocalizedError {
    package var description: String { message + " " + advice }
    package var errorDescription: String? { description }
}
