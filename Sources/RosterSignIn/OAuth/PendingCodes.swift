package import Foundation
import Roster
import RosterText

/// Values that wait for a short while under a random code, such as authorizations and devices. They are kept in memory only, so
/// a restart of the server makes users begin again.
package final class PendingCodes<Value: Sendable>: Sendable {
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
    private let clock: @Sendable () -> Date

    /// Makes an empty store.
    ///
    /// - Parameter capacity: The largest number of values. A full store drops the older half.
    package init(capacity: Int = 50_000, clock: @escaping @Sendable () -> Date) {
        state = Locked(State(entries: GenerationalMap(capacity: capacity)))
        self.clock = clock
    }

    package func insert(_ value: Value, for code: String, lifetime: TimeInterval) {
        let now = clock()
        let entry = Entry(value: value, expires: now.addingTimeInterval(lifetime), owner: nil)
        state.withLock { $0.entries.set(entry, for: code) }
    }

    /// Keeps a value of an owner, who may have no more than `limit` codes at a time, so that the codes of others stay.
    ///
    /// - Returns: nil, or the seconds until the owner's next code expires where there are too many.
    package func insert(
        _ value: Value, for code: String, lifetime: TimeInterval, of owner: String, atMost limit: Int
    ) -> TimeInterval? {
        let now = clock()
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

    package func value(_ code: String) -> Value? {
        let now = clock()
        return state.withLock { $0.entries.value(code) }.flatMap { now < $0.expires ? $0.value : nil }
    }

    /// Removes a value and returns it. If several callers ask at once, one of them gets it.
    package func take(_ code: String) -> Value? {
        let now = clock()
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
    package func change<Result>(_ code: String, _ change: (inout Value) throws -> Result) rethrows -> Result? {
        let now = clock()
        return try state.withLock { state in
            guard var entry = state.entries.value(code), now < entry.expires else { return nil }
            defer { state.entries.set(entry, for: code) }
            return try change(&entry.value)
        }
    }
}
