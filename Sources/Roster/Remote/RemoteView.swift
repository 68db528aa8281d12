import Foundation
import RosterText

/// The view of a directory that a server holds. It turns operations into requests, and answers into values.
package final class RemoteView: Sendable {
    /// A request to the server.
    package struct Request: Sendable {
        /// The last part of the path `/directory/v1/{name}`.
        package let name: String
        /// The operation as JSON.
        package let body: [UInt8]
        package let repetition: Repetition
        /// The revision of the vocabulary that the view knows.
        package let knownRevision: Int64
        /// The number of the batch to which the changes belong; nil for none.
        package let batch: Int64?

        /// Whether the operation changes something, so that the server must not run the operation twice.
        package var isChange: Bool { repetition != .free }
    }

    /// Takes the body of an answer.
    ///
    /// Throws ``DirectoryError`` `badAnswer`.
    package typealias Receiver = @Sendable (_ body: [UInt8]) throws -> Void

    package let caller: Caller
    /// Sends a request, and passes the answer on.
    ///
    /// Throws ``DirectoryError``, `CancellationError`.
    private let send: @Sendable (Request, Receiver) async throws -> Void
    /// Sends a request on the calling thread, as ``send`` does.
    private let sendAndWait: @Sendable (Request, Receiver) throws -> Void
    private let known: Locked<Vocabulary>
    /// The view gives this delegate to its managers, users and roles. Nil means that they have no delegate.
    let delegateReference: DelegateReference?
    /// The number of the batch to which the view's changes belong; nil for none.
    private let batch: Int64?

    package init(
        send: @escaping @Sendable (Request, Receiver) async throws -> Void,
        sendAndWait: @escaping @Sendable (Request, Receiver) throws -> Void
    ) {
        (caller, self.send, self.sendAndWait, known) = (.nobody, send, sendAndWait, Locked(Vocabulary()))
        (delegateReference, batch) = (nil, nil)
    }

    private init(
        _ view: RemoteView, _ caller: Caller, _ known: Locked<Vocabulary>, _ delegateReference: DelegateReference?,
        batch: Int64? = nil
    ) {
        (self.caller, send, sendAndWait) = (caller, view.send, view.sendAndWait)
        (self.known, self.delegateReference, self.batch) = (known, delegateReference, batch)
    }

    /// Returns a view of another caller over the same connection. The new view keeps the vocabulary.
    package func acting(as caller: Caller) -> RemoteView { RemoteView(self, caller, Locked(vocabulary), nil) }

    /// Returns a copy of this view that gives a delegate to the view's managers, users and roles.
    func reporting(to delegate: DelegateReference?) -> RemoteView {
        RemoteView(self, caller, known, delegate, batch: batch)
    }

    /// Returns a copy of this view whose changes carry the number of a batch.
    func batched(_ number: Int64) -> RemoteView {
        RemoteView(self, caller, known, delegateReference, batch: number)
    }

    /// The vocabulary of the server's last answer.
    var vocabulary: Vocabulary { known.withLock { $0 } }

    package func ask<Operation: ServedOperation>(_ operation: Operation) async throws -> Operation.Answer {
        let answer = Locked<WireAnswer<Operation.Answer>?>(nil)
        let request = try request(operation)
        try await send(request) { try self.receive($0, answer) }
        return try taken(answer, request)
    }

    package func askAndWait<Operation: ServedOperation>(_ operation: Operation) throws -> Operation.Answer {
        let answer = Locked<WireAnswer<Operation.Answer>?>(nil)
        let request = try request(operation)
        try sendAndWait(request) { try self.receive($0, answer) }
        return try taken(answer, request)
    }

    private func receive<Value>(_ body: [UInt8], _ answer: Locked<WireAnswer<Value>?>) throws {
        let received = try WireAnswer<Value>(reading: body, for: DirectoryView(self))
        answer.withLock { $0 = received }
    }

    private func taken<Value>(_ answer: Locked<WireAnswer<Value>?>, _ request: Request) throws -> Value {
        guard let answer = answer.withLock({ $0 }) else { throw DirectoryError.badAnswer }
        if let vocabulary = answer.vocabulary {
            known.withLock { known in
                // Answers can arrive in another order than the server sent them, so an older revision does not replace a newer one.
                // An older revision counts if the request named the present one: the server's file was restored from a backup.
                if vocabulary.revision > known.revision || known.revision == request.knownRevision {
                    known = vocabulary
                }
            }
        }
        return answer.value
    }

    /// The largest request in bytes. A server refuses a larger one, perhaps by closing the connection.
    private static let largestRequest = 1 << 20

    private func request<Operation: ServedOperation>(_ operation: Operation) throws -> Request {
        let body: [UInt8]
        do {
            body = Array(try JSONEncoder().encode(operation))
        } catch {
            // Only a number that is not finite has no form in JSON.
            throw DirectoryError(
                .invalidAttribute, "A value cannot be sent, because JSON has no form for the value.",
                advice: "Give finite numbers.")
        }
        guard body.count <= Self.largestRequest else {
            throw DirectoryError(
                .limitExceeded, "A server takes requests of up to 1 MiB, and this one has \(body.count) bytes.",
                advice: "Send less at a time.")
        }
        return Request(
            name: Operation.name, body: body, repetition: Operation.repetition,
            knownRevision: vocabulary.revision, batch: batch)
    }

    /// Waits until something is committed on the server after a known commit.
    ///
    /// - Parameter commit: The number of the known commit; nil for none, which returns the present number at once.
    /// - Returns: The number of the latest commit.
    func latestCommit(after commit: String?) async throws -> String { try await ask(AwaitCommit(after: commit)) }
}
