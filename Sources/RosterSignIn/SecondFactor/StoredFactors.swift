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
    }

    /// Questions to which only the user knows the answers.
    struct Questions: Sendable {
        var texts: [String]
        /// A password hash of all the answers together. All of them must be right, and a single one would be easy to guess.
        var hash: String
    }

    var app: App?
    var questions: Questions?

    init() {}

    init?(_ text: String) {
        guard let json = try? JSONValue(text: text) else { return nil }
        if let secret = json["secret"]?.text {
            guard let secret = Base64URL.bytes(secret), case .integer(let step)? = json["last_step"] else { return nil }
            app = App(secret: secret, lastStep: step, recovery: json["recovery"]?.texts ?? [])
        }
        if let texts = json["questions"]?.texts {
            guard let hash = json["answers"]?.text else { return nil }
            questions = Questions(texts: texts, hash: hash)
        }
    }

    var isEmpty: Bool { app == nil && questions == nil }

    var text: String {
        var members: [JSONValue.Member] = []
        if let app {
            members += [
                .init("secret", .string(Base64URL.text(app.secret))), .init("last_step", .integer(app.lastStep)),
                .init("recovery", .texts(app.recovery)),
            ]
        }
        if let questions {
            members += [
                .init("questions", .texts(questions.texts)),
                .init("answers", .string(questions.hash)),
            ]
        }
        return JSONValue.object(members).written
    }
}
