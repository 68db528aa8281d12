import Dispatch
import Foundation
import Roster

/// Runs password hashes on threads of their own, a few at a time, so that sign-ins never take all processors, all memory
/// or the threads that everything else runs on.
package final class HashSlots: Sendable {
    private struct State {
        var running = 0
        /// Who waits, in the order in which they came. As short as the queue limit, so that it may be searched.
        var waiting: [(ticket: UInt64, continuation: CheckedContinuation<Void, any Error>)] = []
        var tickets: UInt64 = 0
    }

    private let state = Locked(State())
    private let threads = DispatchQueue(label: "roster.passwords", attributes: .concurrent)
    /// How many hashes run at a time.
    package let slots: Int
    /// How many more may wait.
    package let queueLimit: Int

    /// - Parameters:
    ///   - slots: How many hashes run at a time, at least 1; the number of processors by default. Each takes the memory
    ///     of one hash (32 MiB for ``PasswordParameters/standard``).
    ///   - queueLimit: How many more may wait, at least 0. With 64 and 2 slots the last one waits for about 5 s.
    package init(slots: Int = ProcessInfo.processInfo.activeProcessorCount, queueLimit: Int = 64) {
        self.slots = max(slots, 1)
        self.queueLimit = max(queueLimit, 0)
    }

    /// How many run and how many wait at this moment.
    package var load: (running: Int, waiting: Int) { state.withLock { ($0.running, $0.waiting.count) } }

    /// Runs the body when its turn comes, first come, first served.
    ///
    /// A body that has begun runs to its end: no hash can be stopped.
    /// - Throws: What the body throws; ``DirectoryError`` with `overloaded` at once where too many wait already;
    ///   `CancellationError` where the task was cancelled before its turn came.
    package func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await enter()
        guard !Task.isCancelled else {
            leave()
            throw CancellationError()
        }
        return try await withCheckedThrowingContinuation { continuation in
            threads.async {
                let result = Result { try body() }
                self.leave()
                continuation.resume(with: result)
            }
        }
    }

    /// Takes a slot, or waits for one.
    private func enter() async throws {
        let ticket = state.withLock { state in
            state.tickets += 1
            return state.tickets
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // Nobody overtakes: while others wait, all slots are taken, because each that becomes free is handed on.
                let answer: Result<Void, any Error>? = state.withLock { state in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.running < slots {
                        state.running += 1
                        return .success(())
                    }
                    guard state.waiting.count < queueLimit else { return .failure(Self.overloaded) }
                    state.waiting.append((ticket, continuation))
                    return nil
                }
                if let answer { continuation.resume(with: answer) }
            }
        } onCancel: {
            // Before the ticket waits, this finds nothing, and the task sees that it is cancelled when it comes to wait.
            let waiter: CheckedContinuation<Void, any Error>? = state.withLock { state in
                guard let index = state.waiting.firstIndex(where: { $0.ticket == ticket }) else { return nil }
                return state.waiting.remove(at: index).continuation
            }
            waiter?.resume(throwing: CancellationError())
        }
    }

    private static var overloaded: DirectoryError {
        DirectoryError(.overloaded, "Too many passwords are being checked.", advice: "Try again in a few seconds.")
    }

    /// Hands the slot to who has waited longest, or gives it back.
    private func leave() {
        let heir: CheckedContinuation<Void, any Error>? = state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.running -= 1
                return nil
            }
            return state.waiting.removeFirst().continuation
        }
        heir?.resume()
    }
}
