package import Foundation
import RosterText

/// Keeps fetched documents. A document is fetched if it is missing or too old, by one caller at a time. If it cannot be fetched again,
/// the old one stays in use, so that nobody is signed out while a server does not answer.
package final class FetchMemory<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry {
        var value: Value?
        var lastLoad: Date?
        var lastAttempt: Date?
        var problem: (any Error)?
        /// Whether the last attempt was made because the document lacked something.
        var wasMissing = false
        var loading: SharedResult<Void>?
    }

    /// The next step of a caller who asks for a document.
    private enum Step {
        case use
        case wait(SharedResult<Void>)
        case fetch(SharedResult<Void>)
    }

    private let entries = Locked<[Key: Entry]>([:])
    private let clock: @Sendable () -> Date
    /// Fetches must go on while callers that wait occupy all threads of Swift's pool.
    private let executor = QueueExecutor()

    /// Whether a document that lacks something for the first time is fetched at once, whatever the rule says.
    private let fetchesAtFirstMiss: Bool

    package init(fetchesAtFirstMiss: Bool = false, clock: @escaping @Sendable () -> Date) {
        self.fetchesAtFirstMiss = fetchesAtFirstMiss
        self.clock = clock
    }

    /// The document, and the error of the last attempt to fetch the document, if that failed.
    ///
    /// The caller who begins to fetch waits for the answer. Others get the kept document meanwhile, unless they miss something in the
    /// document, or the document is more than twice as old as the rule allows. So a stranger who causes a fetch delays nobody.
    ///
    /// If the memory fetches at the first miss, a document that lacks something is fetched at once, also if it was fetched a moment ago;
    /// the next time not before the rule allows.
    ///
    /// - Parameter isMissing: Whether the kept document lacks something that is needed.
    /// - Throws: `CancellationError` if the caller's task is cancelled. The fetch goes on for the others.
    package func value(
        of key: Key, by rule: ReloadRule, isMissing: Bool = false, _ fetch: @escaping @Sendable () async throws -> Value
    ) async throws -> (value: Value?, problem: (any Error)?) {
        switch step(key, rule, isMissing) {
        case .use: break
        case .wait(let loading): try await loading.value()
        case .fetch(let loading):
            // A task of its own: a caller who is cancelled must not end the fetch of the others.
            Task.detached(executorPreference: executor) { [self] in
                await load(key, isMissing: isMissing, fetch)
                loading.finish(.success(()))
            }
            try await loading.value()
        }
        let known = entries.withLock { $0[key] }
        return (known?.value, known?.problem)
    }

    private func step(_ key: Key, _ rule: ReloadRule, _ isMissing: Bool) -> Step {
        let now = clock()
        return entries.withLock { entries in
            // Addresses that are not configured any more are dropped with all others when there are too many.
            if entries.count > 1_000 { entries = [:] }
            let entry = entries[key] ?? Entry()
            if let loading = entry.loading {
                let age = entry.lastLoad.map { now.timeIntervalSince($0) } ?? .infinity
                return isMissing || !(0...2 * Double(rule.maximumSeconds)).contains(age) ? .wait(loading) : .use
            }
            let isFirstMiss =
                fetchesAtFirstMiss && isMissing && entry.value != nil && entry.problem == nil && !entry.wasMissing
            guard
                isFirstMiss
                    || rule.shouldReload(
                        lastLoad: entry.lastLoad, lastAttempt: entry.lastAttempt, isMissing: isMissing, now: now)
            else { return .use }
            let loading = SharedResult<Void>()
            entries[key, default: Entry()].loading = loading
            return .fetch(loading)
        }
    }

    private func load(_ key: Key, isMissing: Bool, _ fetch: @Sendable () async throws -> Value) async {
        let start = clock()
        let result: Result<Value, any Error>
        do { result = .success(try await fetch()) } catch { result = .failure(error) }
        let end = clock()
        entries.withLock { entries in
            var entry = entries[key] ?? Entry()
            entry.loading = nil
            (entry.lastAttempt, entry.wasMissing) = (start, isMissing)
            switch result {
            case .success(let value): (entry.value, entry.lastLoad, entry.problem) = (value, end, nil)
            case .failure(let error): entry.problem = error
            }
            entries[key] = entry
        }
    }
}
