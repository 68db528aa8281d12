/// The reason why a text cannot be stored as a password hash. It holds no part of the text, which may be a password.
package enum StoredHashProblem: Error, Sendable, Hashable {
    /// The text has no scheme, and is most likely the password itself.
    case clearText
    /// The scheme is not known.
    case unknownScheme
    /// The scheme with this name can be broken in hours.
    case weakScheme(String)
    /// The scheme with this name cannot be verified on this system.
    case unsupported(String)
    /// The text is not a complete hash of the scheme with this name.
    case malformed(String)
    /// The cost of the hash, of the scheme with this name, is too high or too low.
    case outOfBounds(String)

    package var message: String {
        switch self {
        case .clearText: "The text has no password scheme."
        case .unknownScheme: "The password scheme is unknown."
        case .weakScheme(let name): "Passwords hashed with \(name) are not accepted."
        case .unsupported(let name): "Passwords hashed with \(name) cannot be verified on this system."
        case .malformed(let name): "The password hash is not a complete \(name) hash."
        case .outOfBounds(let name): "The cost of the \(name) hash is out of bounds."
        }
    }

    package var advice: String {
        switch self {
        case .clearText: "Import hashes only; set a password in clear text as its owner would."
        case .unknownScheme, .weakScheme: "Leave the hash out and let the user set a new password."
        case .unsupported: "Run with libargon2, or with OpenSSL 3.2 or later, or let the user set a new password."
        case .malformed: "Check that the export was not cut off or changed."
        case .outOfBounds: "Let the user set a new password."
        }
    }
}

extension StoredHashProblem: CustomStringConvertible {
    package var description: String { message + " " + advice }
}
