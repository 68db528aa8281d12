import Dispatch
import Foundation
import Roster
import RosterStore
import RosterText

/// Runs a few password hashes at a time, on threads of their own, so that sign-ins never take all processors, all memory or the
/// threads of other work.
///
/// Waiting hashes take turns by shares, such as the addresses of clients. A share with many waiting hashes delays another share by
/// one turn only. Every second turn is for the shares with a kept place.
package final class HashSlots: Sendable {
    /// The group of hashes that take turns with other groups.
    package struct Share: Sendable, Hashable {
        fileprivate let key: String
        fileprivate let isKept: Bool

        /// - Parameters:
        ///   - key: The name of the share, such as an address.
        ///   - isKept: Whether a place is kept for the share, which others cannot take.
        package init(_ key: String, isKept: Bool = false) {
            self.key = key
            self.isKept = isKept
        }
    }

    private typealias Waiter = (ticket: UInt64, continuation: CheckedContinuation<Void, any Error>)

    /// The waiting shares of one kind in the order of their turns, each with its waiting hashes, the oldest first.
    private struct Turns {
        private(set) var shares: [(key: String, waiting: [Waiter])] = []
        var count: Int { shares.reduce(0) { $0 + $1.waiting.count } }

        func count(_ key: String) -> Int { shares.first { $0.key == key }?.waiting.count ?? 0 }

        mutating func append(_ waiter: Waiter, _ key: String) {
            if let index = shares.firstIndex(where: { $0.key == key }) {
                shares[index].waiting.append(waiter)
            } else {
                shares.append((key, [waiter]))
            }
        }

        /// Takes the next waiting hash. Its share goes to the end.
        mutating func next() -> Waiter? {
            guard !shares.isEmpty else { return nil }
            var share = shares.removeFirst()
            let waiter = share.waiting.removeFirst()
            if !share.waiting.isEmpty { shares.append(share) }
            return waiter
        }

        mutating func remove(_ ticket: UInt64) -> Waiter? {
            for (index, share) in shares.enumerated() {
                guard let place = share.waiting.firstIndex(where: { $0.ticket == ticket }) else { continue }
                let waiter = shares[index].waiting.remove(at: place)
                if shares[index].waiting.isEmpty { shares.remove(at: index) }
                return waiter
            }
            return nil
        }

        /// Takes the newest waiting hash of the largest share, if that share has more than `count`.
        mutating func removeFromLargest(above count: Int) -> Waiter? {
            guard let index = shares.indices.max(by: { shares[$0].waiting.count < shares[$1].waiting.count }),
                shares[index].waiting.count > count
            else { return nil }
            return shares[index].waiting.removeLast()
        }
    }

    private struct State {
        var running = 0
        var others = Turns()
        var kept = Turns()
        var isTurnOfKept = true
        var tickets: UInt64 = 0

        /// The shares that have a place kept, or the others.
        subscript(isKept: Bool) -> Turns {
            get { isKept ? kept : others }
            set { if isKept { kept = newValue } else { others = newValue } }
        }

        mutating func next() -> Waiter? {
            defer { isTurnOfKept.toggle() }
            return isTurnOfKept ? kept.next() ?? others.next() : others.next() ?? kept.next()
        }
    }

    private let state = Locked(State())
    private let threads = DispatchQueue(label: "roster.passwords", attributes: .concurrent)
    package let slots: Int
    /// The number of hashes of one share that may wait.
    package let queueLimit: Int

    /// - Parameters:
    ///   - slots: The number of hashes that run at a time, at least 1. Each takes the memory of one hash (32 MiB for
    ///     ``PasswordParameters/standard``).
    ///   - queueLimit: The number of hashes of one share that may wait. With 64 and 2 slots the last one waits for about 5 s.
    ///     Four times as many may wait in all, and as many again with a kept place. Then the largest share gives up its newest one
    ///     to a smaller share.
    package init(slots: Int = ProcessInfo.processInfo.activeProcessorCount, queueLimit: Int = 64) {
        self.slots = max(slots, 1)
        self.queueLimit = max(queueLimit, 0)
    }

    /// The number of running and of waiting hashes.
    package var load: (running: Int, waiting: Int) {
        state.withLock { ($0.running, $0.others.count + $0.kept.count) }
    }

    /// The number of waiting hashes of a share without a kept place.
    package func waiting(_ key: String) -> Int { state.withLock { $0.others.count(key) } }

    /// Runs the body when its turn comes. A body that has begun runs to its end, because no hash can be stopped.
    ///
    /// - Throws: The errors of the body; `DirectoryError` `overloaded` if too many wait, at once or when a smaller share takes the
    ///   place; `CancellationError` if the task was cancelled before its turn.
    package func run<T: Sendable>(for share: Share, _ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await enter(share)
        guard !Task.isCancelled else {
            leave()
            throw CancellationError()
        }
        // The body may read the directory, and must not wait for it if a callback of the directory waits for the body.
        let held = HeldWork.current
        return try await withCheckedThrowingContinuation { continuation in
            threads.async {
                let result = Result { try HeldWork.$current.withValue(held) { try body() } }
                self.leave()
                continuation.resume(with: result)
            }
        }
    }

    /// Takes a slot, or waits for one.
    private func enter(_ share: Share) async throws {
        let ticket = state.withLock { state in
            state.tickets += 1
            return state.tickets
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // While others wait, all slots are taken, because a free slot is handed to the next one.
                let (ended, result): (CheckedContinuation<Void, any Error>?, Result<Void, any Error>) =
                    state.withLock { state in
                        if Task.isCancelled { return (continuation, .failure(CancellationError())) }
                        if state.running < slots {
                            state.running += 1
                            return (continuation, .success(()))
                        }
                        let own = state[share.isKept].count(share.key)
                        guard own < queueLimit else { return (continuation, .failure(Self.overloaded)) }
                        var displaced: Waiter?
                        if state[share.isKept].count >= 4 * queueLimit {
                            displaced = state[share.isKept].removeFromLargest(above: own + 1)
                            if displaced == nil { return (continuation, .failure(Self.overloaded)) }
                        }
                        state[share.isKept].append((ticket, continuation), share.key)
                        return (displaced?.continuation, .failure(Self.overloaded))
                    }
                ended?.resume(with: result)
            }
        } onCancel: {
            // If the ticket does not wait yet, nothing is found, and the task notices the cancellation before it waits.
            state.withLock { $0[share.isKept].remove(ticket) }?.continuation.resume(throwing: CancellationError())
        }
    }

    private static var overloaded: DirectoryError {
        DirectoryError(.overloaded, "Too many passwords are being checked.", advice: "Try again in a few seconds.")
    }

    /// Hands the slot to the next waiting hash, or frees it.
    private func leave() {
        let heir = state.withLock { state in
            let next = state.next()
            if next == nil { state.running -= 1 }
            return next
        }
        heir?.continuation.resume()
    }
}
