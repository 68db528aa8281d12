import Foundation
import Roster
import RosterCrypto

/// The proof of a second factor, which comes with a password.
public struct SecondFactorProof: Sendable, Hashable {
    /// A code of an authenticator app, or a recovery code.
    public var code: String?
    /// The answers to the challenge questions, by question (`kbaAnswers` of the mobile SDK).
    public var answers: [String: String]

    /// Makes a proof of a code or of answers, or an empty one.
    public init(code: String? = nil, answers: [String: String] = [:]) {
        self.code = code
        self.answers = answers
    }
}

/// Questions to which only the user knows the answers (knowledge-based authentication).
package enum ChallengeQuestions {
    /// The largest number of questions that a user may have.
    package static let most = 5

    /// Refuses questions that are too weak.
    static func check(_ pairs: [(question: String, answer: String)]) throws {
        func problem(_ text: String) -> any Error {
            DirectoryError(.invalidInput, text, advice: "Correct it and try again.")
        }
        guard (2...most).contains(pairs.count) else { throw problem("Give two to \(most) questions with answers.") }
        guard Set(pairs.map(\.question)).count == pairs.count, Set(pairs.map { plain($0.answer) }).count == pairs.count
        else { throw problem("Each question takes an answer of its own.") }
        for (question, answer) in pairs {
            guard (3...256).contains(question.count), !question.unicodeScalars.contains(where: { $0.value < 0x20 })
            else {
                throw problem("A question has 3 to 256 characters, on one line.")
            }
            guard (3...256).contains(plain(answer).count) else { throw problem("An answer has 3 to 256 characters.") }
            guard !plain(question).contains(plain(answer)) else { throw problem("An answer is part of its question.") }
        }
    }

    /// The text of the answers that is hashed, in the order of the questions; nil if an answer is missing. Capitals and spaces
    /// do not count, because nobody remembers how they wrote them.
    static func secret(_ answers: [String: String], to questions: [String]) -> String? {
        var lines: [String] = []
        for question in questions {
            guard let answer = answers[question], answer.utf8.count <= 1_024 else { return nil }
            lines.append(plain(answer))
        }
        // The answers may be longer than a password that can be verified, so their digest is hashed.
        return try? SHA256.hex(lines.joined(separator: "\n"))
    }

    private static func plain(_ text: String) -> String {
        text.precomposedStringWithCompatibilityMapping.lowercased().split(whereSeparator: \.isWhitespace)
            .joined(separator: " ")
    }
}
