package import Foundation
import Roster
import RosterText

/// Values that wait for a short while under a random code, such as authorizations and devices. They are kept in memory, so a restart
/// of the server makes users begin again. On a database server they are in a table, which all servers of the directory share.
package final class PendingCodes<Value: Sendable & Codable>: Sendable {
    private struct Entry {
        var value: Value
        let expires: Date
        let owner: String?
    }

    private struct State {
        var entries: GenerationalMap<String, Entry>
        /// The times at which each owner's codes expire. The map is bounded, because strangers can appear as many owners.
        var waiting = GenerationalMap<String, [String: Date]>(capacity: 500)
    }

    private let state: Locked<State>
    /// The table; nil for values in memory.
    private let shared: SharedCodes?
    private let clock: @Sendable () -> Date

    /// Makes an empty store in memory.
    ///
    /// - Parameter capacity: The largest number of values. A full store drops the older half.
    package convenience init(capacity: Int, clock: @escaping @Sendable () -> Date) {
        self.init(nil, capacity, clock)
    }

    /// Opens the store of a directory.
    ///
    /// - Parameters:
    ///   - kind: The name of the store, which tells its codes from those of others.
    ///   - keys: The keys of the directory, which encrypt the values in the table.
    ///   - capacity: The largest number of values in memory. A full store drops the older half.
    convenience init(
        _ kind: String, _ keys: KeyRing, capacity: Int = 50_000, clock: @escaping @Sendable () -> Date
    ) {
        self.init(keys.directory.isOnServer ? SharedCodes(kind, keys) : nil, capacity, clock)
    }

    private init(_ shared: SharedCodes?, _ capacity: Int, _ clock: @escaping @Sendable () -> Date) {
        self.shared = shared
        state = Locked(State(entries: GenerationalMap(capacity: capacity)))
        self.clock = clock
    }

    package func insert(_ value: Value, for code: String, lifetime: TimeInterval) throws {
        let now = clock()
        if let shared { return try shared.insert(value, for: code, until: now.addingTimeInterval(lifetime), at: now) }
        let entry = Entry(value: value, expires: now.addingTimeInterval(lifetime), owner: nil)
        state.withLock { $0.entries.set(entry, for: code) }
    }

    /// Keeps a value of an owner, who may have no more than `limit` codes at a time, so that the codes of others stay.
    ///
    /// - Returns: nil, or the seconds until the owner's next code expires where there are too many.
    package func insert(
        _ value: Value, for code: String, lifetime: TimeInterval, of owner: String, atMost limit: Int
    ) throws -> TimeInterval? {
        let now = clock()
        if let shared {
            return try shared.insert(
                value, for: code, until: now.addingTimeInterval(lifetime), at: now, of: owner, atMost: limit)
        }
        let entry = Entry(value: value, expires: now.addingTimeInterval(lifetime), owner: owner)
        return state.withLock { state in
            var waiting = state.waiting.value(owner) ?? [:]
            if waiting.count >= limit { waiting = waiting.filter { now < $0.value } }
            guard waiting.count < limit else { return waiting.values.min()?.timeIntervalSince(now) ?? lifetime }
            waiting[code] = entry.expires
            state.waiting.set(waiting, for: owner)
            state.entries.set(entry, for: code)
            return nil
        }
    }

    package func value(_ code: String) throws -> Value? {
        let now = clock()
        if let shared { return try shared.value(code, at: now) }
        return state.withLock { $0.entries.value(code) }.flatMap { now < $0.expires ? $0.value : nil }
    }

    /// Removes a value and returns it. If several callers ask at once, one of them gets it.
    package func take(_ code: String) throws -> Value? {
        let now = clock()
        if let shared { return try shared.take(code, at: now) }
        let entry = state.withLock { state -> Entry? in
            guard let entry = state.entries.value(code) else { return nil }
            state.entries.remove(code)
            if let owner = entry.owner, var waiting = state.waiting.value(owner) {
                waiting[code] = nil
                state.waiting.set(waiting, for: owner)
            }
            return entry
        }
        return entry.flatMap { now < $0.expires ? $0.value : nil }
    }

    /// Changes a value in place and returns the result of `change`; nil if the code is unknown or has expired.
    package func change<Result>(_ code: String, _ change: (inout Value) throws -> Result) throws -> Result? {
        let now = clock()
        if let shared { return try shared.change(code, at: now, change) }
        return try state.withLock { state in
            guard var entry = state.entries.value(code), now < entry.expires else { return nil }
            defer { state.entries.set(entry, for: code) }
            return try change(&entry.value)
        }
    }
}
