package import Foundation
import Roster

/// What waits for a short while under a random code: authorizations that a browser brings back, devices that somebody is to
/// allow. It is kept in memory only: a server that starts again has people begin anew.
package final class PendingCodes<Value: Sendable>: Sendable {
    private struct Entry {
        var value: Value
        let expires: Date
    }

    private let entries: Locked<GenerationalMap<String, Entry>>
    private let clock: @Sendable () -> Date

    /// - Parameter capacity: How many wait at most; then the older half makes room.
    package init(capacity: Int = 50_000, clock: @escaping @Sendable () -> Date) {
        entries = Locked(GenerationalMap(capacity: capacity))
        self.clock = clock
    }

    /// Keeps a value.
    package func insert(_ value: Value, for code: String, lifetime: TimeInterval) {
        let now = clock()
        let entry = Entry(value: value, expires: now.addingTimeInterval(lifetime))
        entries.withLock { $0.set(entry, for: code) }
    }

    /// The value of a code that has not expired.
    package func value(_ code: String) -> Value? {
        let now = clock()
        return entries.withLock { $0.value(code) }.flatMap { now < $0.expires ? $0.value : nil }
    }

    /// Takes a value out: of callers that come at once, one gets it.
    package func take(_ code: String) -> Value? {
        let now = clock()
        let entry = entries.withLock { entries in
            defer { entries.remove(code) }
            return entries.value(code)
        }
        return entry.flatMap { now < $0.expires ? $0.value : nil }
    }

    /// Changes a value in place, and returns what `change` makes of it; nil where there is none any more.
    package func change<Result>(_ code: String, _ change: (inout Value) throws -> Result) rethrows -> Result? {
        let now = clock()
        return try entries.withLock { entries in
            guard var entry = entries.value(code), now < entry.expires else { return nil }
            defer { entries.set(entry, for: code) }
            return try change(&entry.value)
        }
    }
}
