import Foundation
import Roster
import RosterCrypto
package import RosterText

/// What somebody brings beside the password.
public struct SecondFactorProof: Sendable, Hashable {
    /// A code of an authenticator app, or a recovery code.
    public var code: String?
    /// The answers to the challenge questions, by question (`kbaAnswers` of the mobile SDK).
    public var answers: [String: String]

    /// Brings a code or answers; nothing, where a password is all there is.
    public init(code: String? = nil, answers: [String: String] = [:]) {
        self.code = code
        self.answers = answers
    }

    /// Reads `otp` and `kba_answers` of a form, the latter a JSON object.
    package init(_ form: Form) throws {
        code = form["otp"]
        answers = [:]
        guard let text = form["kba_answers"] else { return }
        guard let json = try? JSONValue(strictly: Array(text.utf8)), let answers = Self.answers(json) else {
            throw OAuthError(.invalidRequest, "'kba_answers' takes a JSON object of questions and answers.")
        }
        self.answers = answers
    }

    /// The answers of a JSON object; nil for anything else.
    package static func answers(_ json: JSONValue) -> [String: String]? {
        guard case .object(let members) = json, members.count <= ChallengeQuestions.most else { return nil }
        var answers: [String: String] = [:]
        for member in members {
            guard let text = member.value.text else { return nil }
            answers[member.name] = text
        }
        return answers
    }
}

/// Questions to which a user alone knows the answers (knowledge-based authentication).
enum ChallengeQuestions {
    /// How many somebody may have.
    static let most = 5

    /// Refuses questions that protect nothing.
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
            guard !plain(question).contains(plain(answer)) else { throw problem("An answer stands in its question.") }
        }
    }

    /// The answers as they are hashed, in the order of the questions; nil where one is missing. Nobody remembers how they wrote
    /// capitals and spaces.
    static func secret(_ answers: [String: String], to questions: [String]) -> String? {
        var lines: [String] = []
        for question in questions {
            guard let answer = answers[question], answer.utf8.count <= 1_024 else { return nil }
            lines.append(plain(answer))
        }
        // A password to be verified has no more bytes than that; the digest stands for them.
        return try? SHA256.hex(lines.joined(separator: "\n"))
    }

    private static func plain(_ text: String) -> String {
        text.precomposedStringWithCompatibilityMapping.lowercased().split(whereSeparator: \.isWhitespace)
            .joined(separator: " ")
    }
}
