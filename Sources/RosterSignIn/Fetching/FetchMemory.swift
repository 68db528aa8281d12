package import Foundation

/// Keeps fetched documents. A document is fetched if it is missing or too old, by one caller at a time. If it cannot be fetched again,
/// the old one stays in use, so that nobody is signed out while a server does not answer.
package actor FetchMemory<Key: Hashable & Sendable, Value: Sendable> {
    private struct Entry {
        var value: Value?
        var lastLoad: Date?
        var lastAttempt: Date?
        var problem: String?
        var loading: Task<Void, Never>?
    }

    private var entries: [Key: Entry] = [:]
    private let clock: @Sendable () -> Date

    package init(clock: @escaping @Sendable () -> Date) { self.clock = clock }

    /// The document, or the reason why it could not be fetched.
    ///
    /// - Parameter isMissing: Whether the kept document lacks something that is needed.
    package func value(
        of key: Key, by rule: ReloadRule, isMissing: Bool = false, _ fetch: @escaping @Sendable () async throws -> Value
    ) async -> (value: Value?, problem: String?) {
        // Addresses that are not configured any more are dropped with all others when there are too many.
        if entries.count > 1_000 { entries = [:] }
        let entry = entries[key] ?? Entry()
        if let loading = entry.loading {
            await loading.value
        } else if rule.shouldReload(
            lastLoad: entry.lastLoad, lastAttempt: entry.lastAttempt, isMissing: isMissing, now: clock())
        {
            let task = Task { await load(key, fetch) }
            entries[key, default: Entry()].loading = task
            await task.value
        }
        let now = entries[key]
        return (now?.value, now?.problem)
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
        case .failure(let error): entry.problem = "\(error)"
        }
        entries[key] = entry
    }
}
