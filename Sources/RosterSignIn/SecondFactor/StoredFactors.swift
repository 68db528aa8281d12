import Foundation
import Roster
import RosterCrypto
import RosterText

/// The second factors of a user as they are stored, encrypted.
struct StoredFactors: Sendable {
    struct App: Sendable {
        var secret: [UInt8]
        /// The time step of the last code that was used.
        var lastStep: Int64
        /// SHA-256 of each recovery code. They are random enough that no slower hash is needed.
        var recovery: [String]
        /// Nil for an app that an earlier version set up.
        var created: Date?
        /// The last use of a code or of a recovery code; nil if an earlier version has stored the factor last.
        var used: Date?
    }

    /// Questions to which only the user knows the answers.
    struct Questions: Sendable {
        var texts: [String]
        /// A password hash of all the answers together. All of them must be right, and a single one would be easy to guess.
        var hash: String
        /// Nil for questions that an earlier version set up.
        var created: Date?
        var used: Date?
    }

    var app: App?
    var questions: Questions?

    init() {}

    init?(_ text: String) {
        guard let json = try? JSONValue(text: text) else { return nil }
        if let secret = json["secret"]?.text {
            guard let secret = Base64URL.bytes(secret), case .integer(let step)? = json["last_step"] else { return nil }
            app = App(
                secret: secret, lastStep: step, recovery: json["recovery"]?.texts ?? [],
                created: Self.time(json["created"]), used: Self.time(json["used"]))
        }
        if let texts = json["questions"]?.texts {
            guard let hash = json["answers"]?.text else { return nil }
            questions = Questions(
                texts: texts, hash: hash, created: Self.time(json["questions_created"]),
                used: Self.time(json["questions_used"]))
        }
    }

    private static func time(_ value: JSONValue?) -> Date? {
        if case .integer(let milliseconds)? = value { Date(milliseconds: milliseconds) } else { nil }
    }

    private static func members(_ times: (name: String, time: Date?)...) -> [JSONValue.Member] {
        times.compactMap { name, time in time.map { .init(name, .integer($0.milliseconds)) } }
    }

    var isEmpty: Bool { app == nil && questions == nil }

    var text: String {
        var members: [JSONValue.Member] = []
        if let app {
            members +=
                [
                    .init("secret", .string(Base64URL.text(app.secret))), .init("last_step", .integer(app.lastStep)),
                    .init("recovery", .texts(app.recovery)),
                ] + Self.members(("created", app.created), ("used", app.used))
        }
        if let questions {
            members +=
                [
                    .init("questions", .texts(questions.texts)),
                    .init("answers", .string(questions.hash)),
                ] + Self.members(("questions_created", questions.created), ("questions_used", questions.used))
        }
        return JSONValue.object(members).written
    }
}
