import Dispatch

/// The result of one piece of work that several tasks wait for. A task that is cancelled stops waiting; the work goes on.
package final class SharedResult<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, any Error>?
        var waiters: [Int: CheckedContinuation<Value, any Error>] = [:]
        var threads: [DispatchSemaphore] = []
        var number = 0
    }

    private let state = Locked(State())

    package init() {}

    /// Gives the result to all waiting tasks and to later ones. Only the first result counts.
    package func finish(_ result: Result<Value, any Error>) {
        let (waiters, threads) = state.withLock { state in
            let woken = state.result == nil ? (state.waiters, state.threads) : ([:], [])
            if state.result == nil { state.result = result }
            (state.waiters, state.threads) = ([:], [])
            return woken
        }
        for thread in threads { thread.signal() }
        for waiter in waiters.values { waiter.resume(with: result) }
    }

    /// Waits for the result on the calling thread.
    ///
    /// - Throws: The error of the result.
    package func valueAndWait() throws -> Value {
        let isDone = DispatchSemaphore(value: 0)
        let isFinished = state.withLock { state in
            if state.result == nil { state.threads.append(isDone) }
            return state.result != nil
        }
        if !isFinished { isDone.wait() }
        guard let result = state.withLock({ $0.result }) else { throw CancellationError() }
        return try result.get()
    }

    /// Waits for the result.
    ///
    /// - Throws: `CancellationError` if the calling task is cancelled; the error of the result.
    package func value() async throws -> Value {
        let number = state.withLock { state in
            state.number += 1
            return state.number
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result: Result<Value, any Error>? = state.withLock { state in
                    if let result = state.result { return result }
                    // A later cancellation finds the waiter in the table.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    state.waiters[number] = continuation
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.resume(throwing: CancellationError())
        }
    }
}
