import Foundation
import RosterStore
import RosterText

/// The answer to a change. A server can give the answer again without storing values of people.
package protocol ChangeAnswer: WireValue {
    /// The identifiers and numbers in the answer.
    associatedtype Kept: Codable
    var kept: Kept { get }
    /// The answer to a change that was made before, with the present values.
    static func again(_ kept: Kept, in transaction: Transaction) throws -> Self
}

extension ChangeAnswer where Self: Codable {
    package var kept: Self { self }
    package static func again(_ kept: Self, in transaction: Transaction) throws -> Self { kept }
}

extension Nothing: ChangeAnswer {}
extension Int: ChangeAnswer {}
extension Int64: ChangeAnswer {}
extension PruneChanges.Answer: ChangeAnswer {}

extension User: ChangeAnswer {
    package var kept: UserID { id }
    package static func again(_ kept: UserID, in transaction: Transaction) throws -> User {
        try transaction.foundAgain(try transaction.users.found(.id(kept), .usual, []), "user")
    }
}

extension Role: ChangeAnswer {
    package var kept: RoleID { id }
    package static func again(_ kept: RoleID, in transaction: Transaction) throws -> Role {
        try transaction.foundAgain(try transaction.roles.found(.id(kept), .usual), "role")
    }
}

extension UpsertUser.Answer: ChangeAnswer {
    struct Kept: Codable {
        let user: UserID
        let wasCreated: Bool
    }
    var kept: Kept { Kept(user: user.id, wasCreated: wasCreated) }
    static func again(_ kept: Kept, in transaction: Transaction) throws -> Self {
        Self(user: try .again(kept.user, in: transaction), wasCreated: kept.wasCreated)
    }
}

extension Batch.Outcome: ChangeAnswer {
    package enum Kept: Codable {
        case user(UserID)
        case role(RoleID)
        case none
    }
    package var kept: Kept {
        switch self {
        case .user(let user): .user(user.id)
        case .role(let role): .role(role.id)
        case .none: .none
        }
    }
    package static func again(_ kept: Kept, in transaction: Transaction) throws -> Self {
        switch kept {
        // A user or role that is gone since must not hide the outcomes of the other operations.
        case .user(let id): try transaction.users.found(.id(id), .usual, []).map { .user($0) } ?? .none
        case .role(let id): try transaction.roles.found(.id(id), .usual).map { .role($0) } ?? .none
        case .none: .none
        }
    }
}

extension Array: ChangeAnswer where Element: ChangeAnswer {
    package var kept: [Element.Kept] { map(\.kept) }
    package static func again(_ kept: [Element.Kept], in transaction: Transaction) throws -> Self {
        try kept.map { try .again($0, in: transaction) }
    }
}

/// A change that a client has sent, with the key by which the client may send the change again.
package struct IdempotentChange<Change: ChangeOperation>: Sendable {
    let change: Change
    /// The client's name for the change; nil if the client will not send the change again.
    private let key: String?
    /// The revision of the vocabulary that the client knows; nil if the client wants no vocabulary.
    private let knownRevision: Int64?
    /// A hash of the change as it was sent. The hash is not cryptographic: callers could only deceive themselves.
    private let digest: String

    /// - Parameter body: The change as the client has sent it.
    /// - Throws: ``DirectoryError`` `invalidInput`.
    package init(body: [UInt8], key: String?, knownRevision: Int64?) throws {
        change = try Change(body: body)
        (self.key, self.knownRevision) = (key, knownRevision)
        digest = String(FNV1a(Change.name.utf8 + body).value, radix: 16)
    }

    private init(_ change: Change, like other: Self) {
        self.change = change
        (key, knownRevision, digest) = (other.key, other.knownRevision, other.digest)
    }

    /// The change after the work that needs no transaction.
    func prepared() throws -> Self { Self(try change.prepared(), like: self) }

    /// Runs the change, or gives the answer to the same key again. The answer is the body for the client.
    func made(in transaction: Transaction) throws -> MadeChange<[UInt8]> {
        let transaction = transaction.forClient()
        if let key, let answer = try answerAgain(key, in: transaction) {
            let body = try WireAnswer.body(answer, vocabulary: transaction.vocabulary, knownRevision: knownRevision)
            return MadeChange(answer: body, vocabulary: nil, isErasing: false)
        }
        let engine = transaction.connection.engine
        let rows = engine.totalChangedRows
        let made = try change.made(in: transaction)
        let body = try WireAnswer.body(
            made.answer, vocabulary: made.vocabulary ?? transaction.vocabulary, knownRevision: knownRevision)
        // A change without an effect is not kept, since anybody could fill the disk with such changes.
        if let key, engine.totalChangedRows > rows { try keep(made.answer, key, in: transaction) }
        return MadeChange(answer: body, vocabulary: made.vocabulary, isErasing: made.isErasing)
    }

    private func answerAgain(_ key: String, in transaction: Transaction) throws -> Change.Answer? {
        let caller = transaction.shared.caller.description
        let kept = try transaction.connection.first(
            IdempotentChangeStatements.find, [.text(caller), .text(key)]
        ) { ($0.text(0), $0.text(1)) }
        guard let kept else { return nil }
        guard kept.0 == digest else {
            throw DirectoryError(
                .invalidInput, "The Idempotency-Key was already used for another change.",
                advice: "Give each change a new key.")
        }
        return try .again(
            try JSONDecoder().decode(Change.Answer.Kept.self, from: Data(kept.1.utf8)), in: transaction)
    }

    private func keep(_ answer: Change.Answer, _ key: String, in transaction: Transaction) throws {
        try transaction.removeOldIdempotentChanges()
        let kept = try JSONEncoder().encode(answer.kept)
        try transaction.connection.run(
            IdempotentChangeStatements.insert,
            [
                .text(transaction.shared.caller.description), .text(key), .text(digest),
                .text(String(decoding: kept, as: UTF8.self)), .integer(transaction.now().milliseconds),
            ])
    }
}

extension Transaction {
    /// The milliseconds for which a change can be sent again. A client stops much earlier.
    private static let repetitionTime: Int64 = 600_000

    /// Forgets the changes that are too old to be sent again.
    func removeOldIdempotentChanges() throws {
        try connection.run(
            IdempotentChangeStatements.removeOld, [.integer(now().milliseconds - Self.repetitionTime)])
    }

    fileprivate func foundAgain<Entity>(_ entity: Entity?, _ kind: String) throws -> Entity {
        guard let entity else {
            throw DirectoryError(
                .notFound, "The change was made, but its \(kind) was deleted since.",
                advice: "Do not repeat the change.")
        }
        return entity
    }
}
