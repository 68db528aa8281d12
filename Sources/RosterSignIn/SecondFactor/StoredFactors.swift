import Foundation
import Roster
import RosterCrypto
import RosterStore
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

    /// The factors of a user from their encrypted form; none for nil.
    ///
    /// - Throws: `notPermitted` for factors that were lost with the key file; `damaged`.
    init(sealed: String?, of user: UserID, _ keys: KeyRing) throws {
        self.init()
        guard let sealed else { return }
        if sealed.isEmpty { throw Self.lost }
        guard let factors = StoredFactors(try keys.open(sealed, SealedSecret.Owner.secondFactor(user).context)) else {
            throw DirectoryError(
                .damaged, "A second factor cannot be read.", advice: "Have an administrator remove it.")
        }
        self = factors
    }

    /// The encrypted form; nil for no factor.
    func sealed(for user: UserID, _ keys: KeyRing) throws -> String? {
        isEmpty ? nil : try keys.seal(text, SealedSecret.Owner.secondFactor(user).context)
    }

    static let lost = DirectoryError(
        .notPermitted, "The second factor was lost with the directory's key file.",
        advice: "Have an administrator remove it, then set up a new one.")

    /// The encrypted factors of a user; empty if they were lost with the key file, nil for none.
    static func sealed(of user: UserID, on connection: Connection) throws -> String? {
        try connection.first(GrantStatements.secondFactor, [.integer(user.rawValue)]) { $0.text(0) }
    }

    /// Stores the encrypted factors of a user, or removes them for nil.
    static func store(_ sealed: String?, of user: UserID, on connection: Connection) throws {
        let id = Binding.integer(user.rawValue)
        if let sealed {
            try connection.run(GrantStatements.setSecondFactor, [id, .text(sealed)])
        } else {
            try connection.run(GrantStatements.clearSecondFactor, [id])
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
