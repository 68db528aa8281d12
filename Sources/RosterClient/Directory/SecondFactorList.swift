public import Foundation
import Roster
import RosterText

/// The second factors of a user, without their secrets.
public struct SecondFactorList: Sendable, Hashable {
    /// The kind of a second factor.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// An authenticator app, with recovery codes.
        case app
        /// Challenge questions.
        case questions
    }

    /// A second factor.
    public struct Factor: Sendable, Hashable {
        /// The kind of the factor.
        public let kind: Kind
        /// The time when the user set the factor up; nil for a factor that an earlier version of the server set up.
        public let created: Date?
        /// The last use; nil if there was none.
        public let used: Date?
        /// For an authenticator app, the number of recovery codes that the user has not used yet. For challenge questions, their number.
        public let count: Int
    }

    /// The factors.
    public let factors: [Factor]
    /// Whether the user's factors were lost with the server's key file. The user cannot sign in until the factors are removed.
    public let isLost: Bool

    /// - Throws: `DirectoryError` `badAnswer`.
    init(_ json: JSONValue) throws {
        guard let elements = json["factors"]?.elements, case .boolean(let isLost)? = json["lost"] else {
            throw DirectoryError.unread("second factors")
        }
        factors = try elements.map { try Factor($0) }
        self.isLost = isLost
    }
}

extension SecondFactorList.Factor {
    fileprivate init(_ json: JSONValue) throws {
        guard let kind = json["kind"]?.text.flatMap(SecondFactorList.Kind.init),
            case .integer(let count)? = json["recovery_codes"] ?? json["questions"]
        else { throw DirectoryError.unread("second factors") }
        self.init(
            kind: kind, created: json["created"]?.text.flatMap { Timestamp.date($0) },
            used: json["used"]?.text.flatMap { Timestamp.date($0) }, count: Int(clamping: count))
    }
}

extension DirectoryError {
    /// The error for an answer with members that are missing or of another kind.
    static func unread(_ what: String) -> DirectoryError {
        DirectoryError(.badAnswer, "The server's answer has no \(what) that can be read.", advice: "Check its version.")
    }
}
