import Dispatch
import Foundation
import Synchronization
import RosterStore
import RosterText

extension UserManager {
    /// Creates many users in one transaction: all of them or, on an error, none.
    ///
    /// Whoever manages others in `people` must come before them. Into an empty directory this is many times faster
    /// than one by one, since the indexes are made at the end.
    ///
    /// - Parameters:
    ///   - people: The users to create. It is gone through once, or again where another change of the same commit was
    ///     interrupted; memory does not grow with its length. The sequence cannot call the directory that it is loaded
    ///     into: a change, and in memory any call, throws `reentrantCall`.
    ///   - progress: Told now and then how many are done. What holds for the sequence holds for it.
    /// - Returns: How many were created.
    /// - Throws: What ``create(_:attributes:manager:isActive:)-(String,_,_,_)`` throws.
    @discardableResult
    public func load(
        _ people: some Sequence<NewUser> & Sendable, progress: (@Sendable (Int) -> Void)? = nil
    ) throws -> Int {
        try view.write { try $0.load(people, progress) }
    }

    /// Creates many users in one transaction, as the synchronous form does.
    @discardableResult
    public func load(
        _ people: some Sequence<NewUser> & Sendable, progress: (@Sendable (Int) -> Void)? = nil
    ) async throws -> Int {
        try await view.awaitWrite { try $0.load(people, progress) }
    }
}

extension Session {
    func load(_ people: some Sequence<NewUser> & Sendable, _ progress: (@Sendable (Int) -> Void)?) throws -> Int {
        try rights.checkProvisioning(to: "create users")
        let isEmpty = try connection.first(UserStatements.afterID, [.integer(0)]) { _ in true } == nil
        let indexes = isEmpty ? try connection.all(UserStatements.indexDefinitions) { $0.text(0) } : []
        if isEmpty {
            for statement in UserStatements.dropIndexes { try connection.run(statement) }
            try connection.run(UserStatements.wideTextIndex)
            try connection.run(StoreStatements.bulkCache)
        }
        defer { if isEmpty { try? connection.run(StoreStatements.usualCache) } }

        let count = try insertAll(people, progress)

        for index in indexes { try connection.run(script: index) }
        if isEmpty { try connection.run(UserStatements.usualTextIndex) }
        return count
    }

    private func insertAll(_ people: some Sequence<NewUser> & Sendable, _ progress: (@Sendable (Int) -> Void)?) throws
        -> Int
    {
        let preparation = Preparation(people, vocabulary)
        defer { preparation.stop() }
        let time = now()
        let hasUnique = vocabulary.declared.contains(where: \.isUnique)
        var sequence = try lastSequence()
        var id = try nextID()
        var count = 0
        // Colleagues tend to stand together, and have one manager.
        var lastManager: (reference: UserReference, id: UserID)?
        while let chunk = try preparation.next(on: connection) {
            for user in chunk {
                if let reference = user.manager, reference != lastManager?.reference {
                    lastManager = (reference, try managerID(reference, of: user.name.text))
                }
                let manager = user.manager == nil ? nil : lastManager?.id
                do {
                    try insertRow(user, id: UserID(rawValue: id), manager: manager, at: time)
                } catch let error as DirectoryError where error.code == .alreadyExists {
                    throw nameTaken(user.name.text)
                }
                if hasUnique { try checkUnique(user.keys.values, of: UserID(rawValue: id)) }
                try rights.checkAddresses(user.keys.values, of: UserID(rawValue: id), in: self)
                sequence += 1
                try write(
                    sequence: sequence, .created, .user, id: id, name: user.name.text, before: nil,
                    after: user.history.text(manager: manager), at: time)
                id += 1
                count += 1
            }
            progress?(count)
        }
        try connection.run(DirectoryStatements.setLastID, [.integer(id)])
        return count
    }
}

/// Checks and folds users on another thread while the writer writes the ones before them.
private final class Preparation: Sendable {
    private struct State {
        var chunks: [Result<[PreparedUser], any Error>] = []
        var isStopped = false
    }
    private static let chunkSize = 500
    private let state = Locked(State())
    private let filled = DispatchSemaphore(value: 0)
    private let free = DispatchSemaphore(value: 0)

    init(_ people: some Sequence<NewUser> & Sendable, _ vocabulary: Vocabulary) {
        for _ in 0..<4 { free.signal() }
        let held = HeldWork.current
        DispatchQueue.global().async { [self] in
            HeldWork.$current.withValue(held) { prepare(people, vocabulary) }
        }
    }

    private func prepare(_ people: some Sequence<NewUser>, _ vocabulary: Vocabulary) {
        var iterator = people.makeIterator()
        var isOver = false
        while !isOver {
            let result = Result {
                var chunk: [PreparedUser] = []
                chunk.reserveCapacity(Self.chunkSize)
                while chunk.count < Self.chunkSize, !state.withLock({ $0.isStopped }), let user = iterator.next() {
                    chunk.append(try PreparedUser(user, vocabulary))
                }
                return chunk
            }
            free.wait()
            isOver = state.withLock { state in
                state.chunks.append(result)
                return state.isStopped || ((try? result.get().isEmpty) ?? true)
            }
            filled.signal()
        }
    }

    /// The next users; nil at the end. A sequence that gives none for long does not keep the work from being ended.
    func next(on connection: Connection) throws -> [PreparedUser]? {
        while filled.wait(timeout: .now() + .milliseconds(50)) == .timedOut {
            try connection.checkOpen()
            try connection.cancellation?.check()
        }
        let result = state.withLock { $0.chunks.removeFirst() }
        free.signal()
        let chunk = try result.get()
        return chunk.isEmpty ? nil : chunk
    }

    /// Lets the other thread end, wherever it is.
    func stop() {
        state.withLock { $0.isStopped = true }
        free.signal()
    }
}
