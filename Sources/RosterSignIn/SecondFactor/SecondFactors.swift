package import Foundation
import Roster
package import RosterText

/// The second factors of a user as the user's helpers see them: nothing in them is secret.
package struct SecondFactors: Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        case app, questions

        /// How the change feed names the kind.
        var name: String { self == .app ? "authenticator app" : "challenge questions" }
    }

    package struct Factor: Sendable, Hashable {
        package let kind: Kind
        /// Nil for a factor that an earlier version set up.
        package let created: Date?
        package let used: Date?
        /// The recovery codes of an app that are left, or the number of questions.
        package let count: Int

        package var json: JSONValue {
            [
                "kind": .string(kind.rawValue), "created": .time(created), "used": .time(used),
                (kind == .app ? "recovery_codes" : "questions"): .integer(Int64(count)),
            ]
        }
    }

    package let all: [Factor]
    /// Whether the factors were lost with the directory's key file.
    package let isLost: Bool

    package var json: JSONValue { ["factors": .array(all.map(\.json)), "lost": .boolean(isLost)] }
}

extension StoredFactors {
    var shown: [SecondFactors.Factor] {
        let app = app.map {
            SecondFactors.Factor(kind: .app, created: $0.created, used: $0.used, count: $0.recovery.count)
        }
        let questions = questions.map {
            SecondFactors.Factor(kind: .questions, created: $0.created, used: $0.used, count: $0.texts.count)
        }
        return [app, questions].compactMap(\.self)
    }

    /// - Returns: Whether there was a factor of the kind.
    mutating func remove(_ kind: SecondFactors.Kind) -> Bool {
        let before = shown.count
        switch kind {
        case .app: app = nil
        case .questions: questions = nil
        }
        return shown.count < before
    }
}
