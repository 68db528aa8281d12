package import Foundation
import Roster
import RosterText

/// Values that wait for a short while under a random code, such as authorizations and devices. They are kept in memory, so a restart
/// of the server makes users begin again. On a database server they are in a table, which all servers of the directory share.
package final class PendingCodes<Value: Sendable & Codable>: Sendable {
    private struct Entry {
        var value: Value
        let expires: Date
        let shares: [String]
    }

    private struct Waiting {
        let code: String
        let expires: Date
    }

    private struct State {
        var entries: GenerationalMap<String, Entry>
        /// The codes of each share, in the order in which they came and expire.
        var shares: GenerationalMap<String, [Waiting]>

        /// The codes of a share that have not expired.
        mutating func waiting(_ share: String, at now: Date) -> [Waiting] {
            let all = shares.value(share) ?? []
            return all.first.map { $0.expires <= now } == true ? Array(all.drop { $0.expires <= now }) : all
        }

        mutating func add(_ entry: Entry, for code: String, at now: Date) {
            for share in entry.shares {
                shares.set(waiting(share, at: now) + [Waiting(code: code, expires: entry.expires)], for: share)
            }
            entries.set(entry, for: code)
        }

        @discardableResult
        mutating func remove(_ code: String) -> Entry? {
            guard let entry = entries.value(code) else { return nil }
            entries.remove(code)
            for share in entry.shares {
                guard var rest = shares.value(share) else { continue }
                rest.removeAll { $0.code == code }
                if rest.isEmpty { shares.remove(share) } else { shares.set(rest, for: share) }
            }
            return entry
        }
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
        // Each code belongs to two shares at most.
        state = Locked(
            State(entries: GenerationalMap(capacity: capacity), shares: GenerationalMap(capacity: 2 * capacity)))
        self.clock = clock
    }

    package func insert(_ value: Value, for code: String, lifetime: TimeInterval) throws {
        let now = clock()
        if let shared { return try shared.insert(value, for: code, until: now.addingTimeInterval(lifetime), at: now) }
        let entry = Entry(value: value, expires: now.addingTimeInterval(lifetime), shares: [])
        state.withLock { $0.add(entry, for: code, at: now) }
    }

    /// Keeps a value of a person at an address. If the share of the person or of the address is full, its oldest code is dropped, so that
    /// the codes of others stay.
    package func insert(_ value: Value, for code: String, lifetime: TimeInterval, of owner: CodeOwner) throws {
        let now = clock()
        let expires = now.addingTimeInterval(lifetime)
        if let shared { return try shared.insert(value, for: code, until: expires, at: now, of: owner) }
        let shares = [(owner.person, CodeOwner.mostOfPerson), (owner.network, CodeOwner.mostOfNetwork)]
        let entry = Entry(value: value, expires: expires, shares: shares.map(\.0))
        state.withLock { state in
            for (share, most) in shares {
                let waiting = state.waiting(share, at: now)
                for old in waiting.prefix(max(waiting.count - most + 1, 0)) { state.remove(old.code) }
            }
            state.add(entry, for: code, at: now)
        }
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
        let entry = Entry(value: value, expires: now.addingTimeInterval(lifetime), shares: [owner])
        return state.withLock { state in
            let waiting = state.waiting(owner, at: now)
            guard waiting.count < limit else { return waiting.first?.expires.timeIntervalSince(now) ?? lifetime }
            state.add(entry, for: code, at: now)
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
        let entry = state.withLock { $0.remove(code) }
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

/// The person and the address for whom a code waits. Each of them has a share of the store.
package struct CodeOwner: Sendable {
    /// The number of codes of one person. It is more than anybody needs, and nothing to the store.
    package static let mostOfPerson = 100
    /// The number of codes of one address. An office of 2,000 people behind one address signs in at once, twice each.
    package static let mostOfNetwork = 4_000

    let person: String
    let network: String

    /// - Parameter address: The address of the client. Of an IPv6 address, the first 64 bits count.
    package init(_ person: Holder, at address: String) {
        self.person = person.description
        network = "network " + AttemptThrottle.network(of: address)
    }
}
