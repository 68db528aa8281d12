import Foundation

/// What others publish: fetched when it is needed and not there, or too old, and by one caller at a time. Where it cannot be
/// fetched again, what was had before stays in use: that somebody does not answer for a while signs nobody out.
actor FetchMemory<Key: Hashable & Sendable, Value: Sendable> {
    private struct Entry {
        var value: Value?
        var lastLoad: Date?
        var lastAttempt: Date?
        var problem: String?
        var loading: Task<Void, Never>?
    }

    private var entries: [Key: Entry] = [:]
    private let clock: @Sendable () -> Date

    init(clock: @escaping @Sendable () -> Date) { self.clock = clock }

    /// What is published, or why it could not be had.
    ///
    /// - Parameter isMissing: Whether something is needed that was not in what was had before.
    func value(
        of key: Key, by rule: ReloadRule, isMissing: Bool = false, _ fetch: @escaping @Sendable () async throws -> Value
    ) async -> (value: Value?, problem: String?) {
        // A document that is reloaded with other addresses leaves old ones here; they are few, and then none.
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
