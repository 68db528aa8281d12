import Dispatch
import Foundation
import RosterText
import Synchronization

extension Store {
    // MARK: Writing

    /// Changes the directory, waiting on the caller's thread until the change is on the disk.
    package func write<Value: Sendable>(
        for requester: Requester? = nil, _ body: @escaping @Sendable (Connection) throws -> Value
    ) throws -> Value {
        let done = DispatchSemaphore(value: 0)
        let outcome = Outcome<Value>()
        submit(body, for: requester, cancellation: Cancellation(), outcome) { _ in done.signal() }
        done.wait()
        return try translated { try outcome.get() }
    }

    /// Changes the directory without occupying the caller's thread, cancellable by its task until the commit begins.
    package func awaitWrite<Value: Sendable>(
        for requester: Requester? = nil, _ body: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        let cancellation = Cancellation()
        let outcome = Outcome<Value>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                submit(body, for: requester, cancellation: cancellation, outcome) { _ in continuation.resume() }
            }
            return try translated { try outcome.get() }
        } onCancel: {
            cancellation.cancel()
        }
    }

    private func submit<Value: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Value, for requester: Requester?, cancellation: Cancellation,
        _ outcome: Outcome<Value>, finish: @escaping @Sendable ((any Error)?) -> Void
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
                requester: requester,
                body: { [ending] connection in
                    outcome.set(.success(try HeldWork.holding(ending) { try connection.work(body) }))
                }, cancellation: cancellation,
                finish: { [self] error in
                    if let error { outcome.set(.failure(error)) } else { tellFollowers() }
                    finish(error)
                }))
    }

    /// Writes the file anew, so that nothing that was deleted is left in it.
    package func rewrite() throws {
        let done = DispatchSemaphore(value: 0)
        let outcome = Outcome<Void>()
        rewrite(outcome) { done.signal() }
        done.wait()
        try translated { try outcome.get() }
    }

    /// Writes the file anew without occupying the caller's thread. Once begun it is not cancelled.
    package func awaitRewrite() async throws {
        let outcome = Outcome<Void>()
        await withCheckedContinuation { continuation in rewrite(outcome) { continuation.resume() } }
        try translated { try outcome.get() }
    }

    private func rewrite(_ outcome: Outcome<Void>, finish: @escaping @Sendable () -> Void) {
        guard let writer else { return finish() }
        do {
            try HeldWork.checkMayWait(for: ending)
        } catch {
            outcome.set(.failure(error))
            return finish()
        }
        writer.rewrite { error in
            outcome.set(error.map { .failure($0) } ?? .success(()))
            finish()
        }
    }

    // MARK: Following

    /// Has `wake` called after each change. Ends with ``unfollow(_:)``.
    package func follow(_ wake: @escaping @Sendable () -> Void) -> UInt64 {
        let number = nextFollower.add(1, ordering: .relaxed).newValue
        followers.withLock { $0[number] = wake }
        return number
    }

    package func unfollow(_ number: UInt64) {
        followers.withLock { _ = $0.removeValue(forKey: number) }
    }

    private func tellFollowers() {
        let wakes = followers.withLock { $0.isEmpty ? [] : Array($0.values) }
        for wake in wakes { wake() }
    }

    /// Ends what runs and what waits with `closed`, and closes the file. A change whose commit has begun is finished.
    package func close() {
        ending.come()
        readers.close()
        // Whoever closes the directory from within a change cannot wait for its end.
        writer?.close(waits: !HeldWork.holds(ending))
        let wakes = followers.withLock { followers in
            defer { followers.removeAll() }
            return Array(followers.values)
        }
        for wake in wakes { wake() }
    }
}
