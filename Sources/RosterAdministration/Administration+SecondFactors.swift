public import Foundation
import Roster
import RosterText

extension Administration {
    /// The second factors of a user, without their secrets.
    public struct SecondFactors: Sendable, Hashable {
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
            /// For an authenticator app, the number of recovery codes that the user has not used yet. For challenge questions, their
            /// number.
            public let count: Int

            init(_ json: AnswerObject) throws {
                kind = try json.choice("kind")
                guard case .integer(let count)? = json[kind == .app ? "recovery_codes" : "questions"] else {
                    throw DirectoryError.unread(kind == .app ? "recovery_codes" : "questions")
                }
                self.count = Int(clamping: count)
                (created, used) = (try json.optionalDate("created"), try json.optionalDate("used"))
            }
        }

        /// The factors.
        public let factors: [Factor]
        /// Whether the user's factors were lost with the server's key file. The user cannot sign in until the factors are removed.
        public let isLost: Bool

        init(_ json: AnswerObject) throws {
            (factors, isLost) = (try json.list("factors") { try Factor($0) }, try json.bool("lost"))
        }
    }
}

extension Administration.UserAccess {
    /// Lists the second factors of a user.
    public func secondFactors() async throws -> Administration.SecondFactors {
        try Administration.SecondFactors(try await administration.ask(ListSecondFactors(of: user)))
    }

    /// Removes a second factor of a user who has lost it. A second call changes nothing.
    ///
    /// - Parameter kind: The kind of the factor; nil to remove all factors, also those that were lost with the server's key file.
    /// - Returns: Whether the user had such a factor.
    @discardableResult
    public func removeSecondFactor(
        _ kind: Administration.SecondFactors.Kind? = nil
    ) async throws -> Bool {
        try await administration.ask(RemoveSecondFactors(of: user, kind: kind?.rawValue)).bool("removed")
    }
}
