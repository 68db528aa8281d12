import Foundation

/// Why a password is not taken, as a new one or at all. Never holds any of the password.
package enum PasswordProblem: Error, Sendable, Hashable {
    /// It has more bytes than are hashed; with the limit. The only one that signing in knows.
    case tooLong(maximumBytes: Int)
    /// It has fewer characters than a new one must have; with the limit.
    case tooShort(minimumCharacters: Int)
    /// It has a NUL character, which the hash functions do not tell from the end.
    case nul
    case common
    /// It is the user's own name or mail address.
    case sameAsName

    /// What was wrong.
    package var message: String {
        switch self {
        case .tooLong(let limit): "The password is longer than \(limit) bytes."
        case .tooShort(let limit): "The password is shorter than \(limit) characters."
        case .nul: "The password has a NUL character."
        case .common: "The password is one of the most common ones."
        case .sameAsName: "The password is the user's name or mail address."
        }
    }

    /// What to do next.
    package var advice: String {
        switch self {
        case .tooLong: "Choose a shorter one."
        case .tooShort: "Choose a longer one; several words make a good one."
        case .nul: "Choose one that can be typed."
        case .common: "Choose one that others do not think of; several words make a good one."
        case .sameAsName: "Choose one that has nothing to do with the name."
        }
    }
}

extension PasswordProblem: CustomStringConvertible, LocalizedError {
    package var description: String { message + " " + advice }
    package var errorDescription: String? { description }
}
