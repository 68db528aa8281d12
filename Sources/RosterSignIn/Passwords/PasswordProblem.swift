package import RosterText

/// A reason to refuse a password at a sign-in, or as a new password. No case holds a part of the password.
package enum PasswordProblem: Error, Sendable, Hashable {
    /// The password has too many bytes. Sign-ins know only this problem.
    case tooLong(maximumBytes: Int)
    /// A new password has too few characters.
    case tooShort(minimumCharacters: Int)
    /// The password has a NUL character, which hash functions take for its end.
    case nul
    /// A new password has a character that RFC 8265 forbids.
    case forbidden(OpaqueString.Problem)
    case common
    /// The password is the user's own name or mail address.
    case sameAsName

    package var message: String {
        switch self {
        case .tooLong(let limit): "The password is longer than \(limit) bytes."
        case .tooShort(let limit): "The password is shorter than \(limit) characters."
        case .nul: "The password has a NUL character."
        case .forbidden(let problem): "The password has \(problem.rawValue)."
        case .common: "The password is one of the most common ones."
        case .sameAsName: "The password is the user's name or mail address."
        }
    }

    package var advice: String {
        switch self {
        case .tooLong: "Choose a shorter one."
        case .tooShort: "Choose a longer one; several words make a good one."
        case .nul, .forbidden: "Choose one that can be typed on every device."
        case .common: "Choose one that others do not think of; several words make a good one."
        case .sameAsName: "Choose one that has nothing to do with the name."
        }
    }
}

extension PasswordProblem: CustomStringConvertible {
    package var description: String { message + " " + advice }
}
