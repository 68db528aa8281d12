package import Foundation
import RosterText

/// Keeps fetched documents. A document is fetched if it is missing or too old, by one caller at a time. If it cannot be fetched again,
/// the old one stays in use, so that nobody is signed out while a server does not answer.
package actor FetchMemory<Key: Hashable & Sendable, Value: Sendable> {
    private struct Entry {
        var value: Value?
        var lastLoad: Date?
        var lastAttempt: Date?
        var problem: (any Error)?
        var loading: SharedResult<Void>?
    }

    private var entries: [Key: Entry] = [:]
    private let clock: @Sendable () -> Date

    package init(clock: @escaping @Sendable () -> Date) { self.clock = clock }

    /// The document, and the error of the last attempt to fetch the document, if that failed.
    ///
    /// The caller who begins to fetch waits for the answer. Others get the kept document meanwhile, unless they miss something in the
    /// document, or the document is more than twice as old as the rule allows. So a stranger who causes a fetch delays nobody.
    ///
    /// - Parameter isMissing: Whether the kept document lacks something that is needed.
    /// - Throws: `CancellationError` if the caller's task is cancelled. The fetch goes on for the others.
    package func value(
        of key: Key, by rule: ReloadRule, isMissing: Bool = false, _ fetch: @escaping @Sendable () async throws -> Value
    ) async throws -> (value: Value?, problem: (any Error)?) {
        // Addresses that are not configured any more are dropped with all others when there are too many.
        if entries.count > 1_000 { entries = [:] }
        let entry = entries[key] ?? Entry()
        let now = clock()
        if let loading = entry.loading {
            let age = entry.lastLoad.map { now.timeIntervalSince($0) } ?? .infinity
            guard isMissing || !(0...2 * Double(rule.maximumSeconds)).contains(age) else {
                return (entry.value, entry.problem)
            }
            try await loading.value()
        } else if rule.shouldReload(
            lastLoad: entry.lastLoad, lastAttempt: entry.lastAttempt, isMissing: isMissing, now: now)
        {
            let loading = SharedResult<Void>()
            entries[key, default: Entry()].loading = loading
            // A task of its own: a caller who is cancelled must not end the fetch of the others.
            Task {
                await load(key, fetch)
                loading.finish(.success(()))
            }
            try await loading.value()
        }
        let known = entries[key]
        return (known?.value, known?.problem)
    }

    private func load(_ key: Key, _ fetch: @Sendable () async throws -> Value) async {
        let start = clock()
        let result: Result<Value, any Error>
        do { result = .success(try await fetch()) } catch { result = .failure(error) }
        var entry = entries[key] ?? Entry()
        entry.loading = nil
        entry.lastAttempt = start
        switch result {
        case .success(let value):
            entry.value = value
            entry.lastLoad = clock()
            entry.problem = nil
        case .failure(let error): entry.problem = error
        }
        entries[key] = entry
    }
}
