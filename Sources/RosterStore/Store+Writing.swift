import Dispatch
import Foundation
import RosterText
import Synchronization

extension Store {
    // MARK: Writing

    /// Runs a change, and blocks the caller's thread until it is on the disk.
    ///
    /// - Parameter reads: The reads that `body` is expected to make before its first change.
    package func write<Value: Sendable>(
        for requester: Requester? = nil, expecting reads: [ExpectedRead] = [],
        _ body: @escaping @Sendable (Connection) throws -> Value
    ) throws -> Value {
        let done = DispatchSemaphore(value: 0)
        let outcome = Outcome<Value>()
        let cancellation = Cancellation()
        submit(body, for: requester, reads, cancellation: cancellation, outcome, mayBlock: true) { _ in done.signal() }
        done.wait()
        // The old snapshot would hide the change from the thread's next read.
        if isOnServer { readers.endKeptSnapshot() }
        return try translated { try outcome.get() }
    }

    /// Runs a change without blocking the caller's thread. Cancelling the task stops it until its commit begins.
    ///
    /// - Parameter isLong: Whether the change shares a commit with no other, because it takes long.
    package func awaitWrite<Value: Sendable>(
        for requester: Requester? = nil, expecting reads: [ExpectedRead] = [], isLong: Bool = false,
        _ body: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        let cancellation = Cancellation()
        let outcome = Outcome<Value>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                submit(body, for: requester, reads, cancellation: cancellation, outcome, isLong: isLong) { _ in
                    continuation.resume()
                }
            }
            return try translated { try outcome.get() }
        } onCancel: {
            cancellation.cancel()
        }
    }

    /// Whether the caller runs within a callback of this store, so that waiting for a change would never end.
    package var isHeldByCaller: Bool { HeldWork.holds(ending) }

    private func submit<Value: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Value, for requester: Requester?, _ reads: [ExpectedRead],
        cancellation: Cancellation, _ outcome: Outcome<Value>, mayBlock: Bool = false, isLong: Bool = false,
        finish: @escaping @Sendable ((any Error)?) -> Void
    ) {
        guard let writer else {
            outcome.set(
                .failure(
                    StoreError(
                        .readOnly, "The directory was opened for reading only.", advice: "Open it for writing.")))
            return finish(nil)
        }
        do {
            try HeldWork.checkMayWait(for: ending)
        } catch {
            outcome.set(.failure(error))
            return finish(nil)
        }
        writer.submit(
            WriteJob(
                requester: requester, reads: reads, isLong: isLong,
                body: { [ending] connection in
                    let value = try HeldWork.holding(ending) {
                        try connection.work { connection in
                            let value = try body(connection)
                            // A callback of the body may have closed the store.
                            try connection.checkOpen()
                            return value
                        }
                    }
                    outcome.set(.success(value))
                }, cancellation: cancellation,
                finish: { [self] error in
                    if let error { outcome.set(.failure(error)) } else { wakeFollowersOfCommit() }
                    finish(error)
                }), mayBlock: mayBlock)
    }

    /// Overwrites what deleted rows have left in the file, in steps between which others make changes.
    package func overwriteDeleted() throws {
        let done = DispatchSemaphore(value: 0)
        let outcome = Outcome<Void>()
        overwriteDeleted(outcome) { done.signal() }
        done.wait()
        try translated { try outcome.get() }
    }

    /// Overwrites what deleted rows have left in the file, without blocking the caller's thread. This cannot be cancelled.
    package func awaitOverwritingDeleted() async throws {
        let outcome = Outcome<Void>()
        await withCheckedContinuation { continuation in overwriteDeleted(outcome) { continuation.resume() } }
        try translated { try outcome.get() }
    }

    private func overwriteDeleted(_ outcome: Outcome<Void>, finish: @escaping @Sendable () -> Void) {
        guard let writer else { return finish() }
        do {
            try HeldWork.checkMayWait(for: ending)
        } catch {
            outcome.set(.failure(error))
            return finish()
        }
        if isInMemory {
            outcome.set(.success(()))
            return finish()
        }
        let space = ErasedSpace()
        let isOnServer = isOnServer
        let maintenance = Maintenance { connection, aroundCheckpoint in
            guard isOnServer else { return try space.step(connection, aroundCheckpoint: aroundCheckpoint) }
            try connection.run(StoreStatements.rewrite)
            return .nothing
        } finish: { error in
            outcome.set(error.map { .failure($0) } ?? .success(()))
            finish()
        }
        writer.maintain(maintenance)
    }

    // MARK: Following

    /// Calls `wake` after each commit, until ``unfollow(_:)``.
    package func follow(_ wake: @escaping @Sendable () -> Void) -> UInt64 {
        let number = nextFollower.add(1, ordering: .relaxed).newValue
        followers.withLock { $0[number] = wake }
        if isOnServer { watch.start(self) }
        return number
    }

    /// The number of followers.
    package var followerCount: Int { followers.withLock { $0.count } }

    package func unfollow(_ number: UInt64) {
        followers.withLock { followers in
            _ = followers.removeValue(forKey: number)
            if followers.isEmpty { watch.stop() }
        }
    }

    /// Wakes the followers once for all changes of a commit.
    private func wakeFollowersOfCommit() {
        let commit = commits.value
        guard lastWoken.exchange(commit, ordering: .sequentiallyConsistent) != commit else { return }
        wakeFollowers()
    }

    /// Wakes the followers.
    package func wakeFollowers() {
        let wakes = followers.withLock { $0.isEmpty ? [] : Array($0.values) }
        for wake in wakes { wake() }
    }

    /// Fails running and waiting work with `closed`, and closes the file. A change whose commit has begun is completed.
    ///
    /// - Parameter waits: Whether to return when the file is closed.
    package func close(waits: Bool = true) {
        ending.come()
        watch.stop()
        readers.close()
        replica?.close()
        // A change that closes the directory cannot wait for its own end.
        writer?.close(waits: waits && !HeldWork.holds(ending))
        server?.close()
        let wakes = followers.withLock { followers in
            defer { followers.removeAll() }
            return Array(followers.values)
        }
        for wake in wakes { wake() }
    }
}
