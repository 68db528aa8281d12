import Foundation
import RosterStore
import RosterText

/// The view of a directory that a server holds. It turns operations into requests, and answers into values.
package final class RemoteView: Sendable {
    /// A request to the server.
    package struct Request: Sendable {
        /// The last part of the path `/directory/v1/{name}`.
        package let name: String
        /// The operation as JSON.
        package let body: [UInt8]
        /// Whether the operation changes the directory, so that the server must not run the operation twice.
        package let isChange: Bool
    }

    package let caller: Caller
    /// Sends a request. Returns the body of the answer.
    ///
    /// Throws ``DirectoryError``, `CancellationError`.
    private let send: @Sendable (Request) async throws -> [UInt8]
    /// Sends a request on the calling thread, as ``send`` does.
    private let sendAndWait: @Sendable (Request) throws -> [UInt8]
    private let known = Locked(Vocabulary())

    package init(
        caller: Caller, send: @escaping @Sendable (Request) async throws -> [UInt8],
        sendAndWait: @escaping @Sendable (Request) throws -> [UInt8]
    ) {
        (self.caller, self.send, self.sendAndWait) = (caller, send, sendAndWait)
    }

    /// The same connection for a caller. The attributes that the server has told stay known.
    package func acting(as caller: Caller) -> RemoteView {
        let view = RemoteView(caller: caller, send: send, sendAndWait: sendAndWait)
        let vocabulary = vocabulary
        view.known.withLock { $0 = vocabulary }
        return view
    }

    /// The attributes that the server knew at its last answer.
    var vocabulary: Vocabulary { known.withLock { $0 } }

    package func ask<Operation: DirectoryOperation>(_ operation: Operation) async throws -> Operation.Answer {
        let answer = try await answer(operation)
        if answer.revision != vocabulary.revision, !(operation is ReadVocabulary) {
            let newer = try await self.answer(ReadVocabulary()).value
            known.withLock { $0 = newer }
        }
        return answer.value
    }

    package func askAndWait<Operation: DirectoryOperation>(_ operation: Operation) throws -> Operation.Answer {
        let answer = try answerAndWait(operation)
        if answer.revision != vocabulary.revision, !(operation is ReadVocabulary) {
            let newer = try answerAndWait(ReadVocabulary()).value
            known.withLock { $0 = newer }
        }
        return answer.value
    }

    private func answer<Operation: DirectoryOperation>(
        _ operation: Operation
    ) async throws -> WireAnswer<Operation.Answer> {
        try WireAnswer(reading: try await send(request(operation)), for: DirectoryView(self))
    }

    private func answerAndWait<Operation: DirectoryOperation>(
        _ operation: Operation
    ) throws -> WireAnswer<Operation.Answer> {
        try WireAnswer(reading: try sendAndWait(request(operation)), for: DirectoryView(self))
    }

    private func request<Operation: DirectoryOperation>(_ operation: Operation) throws -> Request {
        do {
            return Request(
                name: Operation.name, body: Array(try JSONEncoder().encode(operation)),
                isChange: operation is any ChangeOperation)
        } catch {
            // Only a number that is not finite has no form in JSON.
            throw DirectoryError(
                .invalidAttribute, "A value cannot be sent, because JSON has no form for the value.",
                advice: "Give finite numbers.")
        }
    }

    /// Waits until something is committed on the server after a known commit.
    ///
    /// - Parameter commit: The number of the known commit; nil for none, which returns the present number at once.
    /// - Returns: The number of the latest commit.
    func commit(after commit: String?) async throws -> String {
        try await answer(AwaitCommit(after: commit)).value
    }
}

/// Waits for a commit. The server answers when there is a newer one, or after some seconds.
package struct AwaitCommit: ReadOperation {
    package static let name = "awaitCommit"
    /// The number of the known commit, which is meaningful to the running server only; nil for none.
    package let after: String?
    package var isBrief: Bool { true }

    init(after: String?) { self.after = after }

    /// The number of the latest commit, without waiting.
    package func run(in transaction: Transaction) throws -> String { transaction.commitNumber }
}

extension Transaction {
    /// The number of the latest commit of this process, and the vocabulary's, which can be adopted after the commit.
    fileprivate var commitNumber: String { "\(core.startNumber).\(core.store.commitCount).\(core.vocabulary.revision)" }
}

/// An answer of the server, with the revision of its vocabulary.
package struct WireAnswer<Value: WireValue>: Sendable {
    let revision: Int64
    let value: Value

    /// The levels of arrays and objects that an answer may have.
    private static var maximumDepth: Int { 64 }

    /// Reads the answer.
    ///
    /// - Throws: ``DirectoryError`` `badAnswer`.
    init(reading body: [UInt8], for view: DirectoryView) throws {
        var revision: Int64?
        var value: Value?
        // Values are read by functions that call each other, and a deep answer would overflow the stack.
        guard body.depth <= Self.maximumDepth else { throw DirectoryError.badAnswer }
        do {
            try body.withUnsafeBufferPointer { bytes in
                var json = JSONScanner(bytes)
                try json.object { name, json in
                    switch name {
                    case "vocabulary": revision = try json.integer()
                    case "answer": value = try Value.read(&json, for: view)
                    default: try json.skipValue()
                    }
                }
                _ = json.peek()
                guard json.isAtEnd else { throw json.failure("something follows the answer") }
            }
        } catch {
            throw DirectoryError.badAnswer
        }
        guard let revision, let value else { throw DirectoryError.badAnswer }
        (self.revision, self.value) = (revision, value)
    }

    /// The body of an answer.
    package static func body(_ value: Value, vocabulary: Vocabulary) -> [UInt8] {
        var json: [UInt8] = []
        json.reserveCapacity(512)
        json.append(contentsOf: #"{"vocabulary":\#(vocabulary.revision),"answer":"#.utf8)
        value.write(to: &json)
        json.append(UInt8(ascii: "}"))
        return json
    }
}

extension DirectoryError {
    static let badAnswer = DirectoryError(
        .badAnswer, "The server's answer is not one of a directory server.",
        advice: "Check the server's address, and that the server's version is not older than the client's.")
}
