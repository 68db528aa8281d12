import RosterStore

/// An operation as a value that a server runs with the caller's rights.
package protocol ServedOperation: Codable, Sendable {
    /// The result of the operation.
    associatedtype Answer: WireValue
    /// The name of the operation in the path `/directory/v1/{name}`.
    static var name: String { get }
    /// Whether a client may send the operation again after an answer was lost.
    static var repetition: Repetition { get }
}

/// Whether a client may send an operation again after an answer was lost.
package enum Repetition: Sendable {
    /// A client may, because the operation changes nothing.
    case free
    /// A client may with the same key, by which the server knows a change that is made already.
    case withKey
    /// A client may not: the answer may have a secret, which the server does not keep.
    case never
}

/// An operation of the directory as a value. An embedded directory runs the operation in a transaction; the view of a server
/// sends it, and the server runs it with the caller's rights.
package protocol DirectoryOperation: ServedOperation {
    associatedtype Answer
    /// Runs the operation with the rights of the transaction's caller.
    func run(in transaction: Transaction) throws -> Answer
}

/// An operation that changes nothing.
package protocol ReadOperation: DirectoryOperation {
    /// Whether the operation is a look-up of some microseconds. A longer read is a search, which waits for one of the readers
    /// reserved for searches.
    var isBrief: Bool { get }
    /// Whether the operation is expected to run one statement. On a server, the operation may run again if it runs several.
    var hasOneStatement: Bool { get }
    /// Whether reading programs may run the operation, because each read of the operation obeys their narrow view.
    static var isNarrow: Bool { get }
}

extension ReadOperation {
    package static var repetition: Repetition { .free }
    package var isBrief: Bool { false }
    package var hasOneStatement: Bool { false }
    package static var isNarrow: Bool { false }
}

/// An operation that changes the directory.
package protocol ChangeOperation: DirectoryOperation where Answer: ChangeAnswer {
    /// Whether the operation changes the vocabulary.
    static var changesVocabulary: Bool { get }
    /// Whether the operation removes values for good, so that what they have left in the file is overwritten afterwards.
    var isErasing: Bool { get }
    /// The users whose values the operation removes for good.
    var erased: [UserReference] { get }
    /// The reads that the operation is expected to make before its first change.
    var expectations: [Expectation] { get }
    /// The operation after the work that needs no transaction, which is done before others wait for the operation.
    ///
    /// - Throws: The error of an operation that could not be carried out whatever the directory has.
    func prepared() throws -> Self
}

extension ChangeOperation {
    package static var repetition: Repetition { .withKey }
    package var expectations: [Expectation] { [] }
    package func prepared() throws -> Self { self }
    package static var changesVocabulary: Bool { false }
    package var isErasing: Bool { false }
    package var erased: [UserReference] { [] }
}

extension DirectoryView {
    /// Reads.
    @inline(__always)
    func read<Operation: ReadOperation>(_ operation: Operation) throws -> Operation.Answer {
        if case .remote(let remote) = source { return try remote.askAndWait(operation) }
        return try read(isBrief: operation.isBrief, once: operation.hasOneStatement, isNarrow: Operation.isNarrow) {
            try operation.run(in: $0)
        }
    }

    /// Reads without blocking the caller's thread. Cancelling the task ends the read.
    func read<Operation: ReadOperation>(_ operation: Operation) async throws -> Operation.Answer {
        if case .remote(let remote) = source { return try await remote.ask(operation) }
        return try await awaitRead(
            isBrief: operation.isBrief, once: operation.hasOneStatement, isNarrow: Operation.isNarrow
        ) {
            try operation.run(in: $0)
        }
    }

    /// Runs a change, in a transaction of its own or within the view's transaction.
    package func change<Operation: ChangeOperation>(_ operation: Operation) throws -> Operation.Answer {
        if case .remote(let remote) = source { return try remote.askAndWait(operation) }
        let shared = try embedded()
        if operation.isErasing { try shared.checkMayErase() }
        let mark = VocabularyMark(shared.core, isSet: Operation.changesVocabulary)
        let operation = try operation.prepared()
        let found = try operation.isErasing ? foundEntries(of: operation.erased) : nil
        let made = try write(expecting: operation.expectations) { try operation.made(in: $0.knowing(found)) }
        if let vocabulary = made.vocabulary { shared.adopt(vocabulary) }
        withExtendedLifetime(mark) {}
        if made.isErasing {
            let isOnServer = shared.core.store.isOnServer
            while !isOnServer, try write({ try $0.erasure.mergeTextIndex(isFirst: false) }) {}
            try shared.core.store.overwriteDeleted()
        }
        return made.answer
    }

    /// Runs a change without blocking the caller's thread. Cancelling the task ends the change until its commit begins.
    package func change<Operation: ChangeOperation>(_ operation: Operation) async throws -> Operation.Answer {
        if case .remote(let remote) = source { return try await remote.ask(operation) }
        let prepared = try operation.prepared()
        return try await change(prepared) { try prepared.made(in: $0) }
    }

    /// Runs the change of a client, or gives the answer to the same key again.
    ///
    /// - Returns: The body of the answer.
    package func change<Operation>(_ change: IdempotentChange<Operation>) async throws -> [UInt8] {
        let prepared = try change.prepared()
        return try await self.change(prepared.change) { try prepared.made(in: $0) }
    }

    private func change<Operation: ChangeOperation, Answer>(
        _ operation: Operation, _ body: @escaping @Sendable (Transaction) throws -> MadeChange<Answer>
    ) async throws -> Answer {
        let shared = try embedded()
        if operation.isErasing { try shared.checkMayErase() }
        let mark = VocabularyMark(shared.core, isSet: Operation.changesVocabulary)
        let found = try await operation.isErasing ? awaitFoundEntries(of: operation.erased) : nil
        let made = try await awaitWrite(expecting: operation.expectations) { try body($0.knowing(found)) }
        if let vocabulary = made.vocabulary { shared.adopt(vocabulary) }
        withExtendedLifetime(mark) {}
        if made.isErasing {
            let isOnServer = shared.core.store.isOnServer
            while !isOnServer, try await awaitWrite({ try $0.erasure.mergeTextIndex(isFirst: false) }) {}
            try await shared.core.store.awaitOverwritingDeleted()
        }
        return made.answer
    }
}

/// A change that was made in a transaction, with the work that is left after the commit.
struct MadeChange<Answer: Sendable>: Sendable {
    let answer: Answer
    /// The new vocabulary, which the directory takes over; nil for the present one.
    let vocabulary: Vocabulary?
    /// Whether what deleted values have left in the file is to be overwritten, because values were removed for good.
    let isErasing: Bool
}

extension ChangeOperation {
    func made(in transaction: Transaction) throws -> MadeChange<Answer> {
        let answer = try run(in: transaction)
        let vocabulary =
            Self.changesVocabulary ? try AttributeManager.vocabulary(on: transaction.connection) : nil
        return MadeChange(answer: answer, vocabulary: vocabulary, isErasing: isErasing)
    }
}
