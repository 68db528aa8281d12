import Roster
import Foundation
import RosterText
import RosterCrypto

/// Remembers for a short time which passwords were verified, so that a client that sends its password with each request (HTTP Basic)
/// costs one hash a minute and not one a request.
///
/// The cache holds no password. The key of an entry is an HMAC-SHA256 of name, password and stored hash, with a random key that never leaves
/// the process. After a change of the password the stored hash is another one, so the entry is not found. Callers must ask with the
/// present stored hash, and insert only what they verified against it.
package final class CredentialCache: Sendable {
    private struct State {
        let context: HMACSHA256Context
        /// The times of verification.
        var entries: GenerationalMap<HMACSHA256Context.Code, Duration>
        /// The users who were verified by a field of HTTP Basic.
        var fields: GenerationalMap<HMACSHA256Context.Code, Known>
        var clock = SteadyClock()

        mutating func code(_ fields: String...) throws -> HMACSHA256Context.Code {
            do {
                for field in fields { try context.add(lengthAndText: field) }
                return try context.finish()
            } catch {
                try? context.reset()
                throw error
            }
        }
    }

    private struct Known {
        let identity: Identity
        /// The time of verification.
        let verified: Duration
        /// The number of changes of the directory at that time.
        let changes: UInt64
    }

    private let state: Locked<State>
    private let lifetime: Duration
    private let now: MonotonicTime

    /// - Parameters:
    ///   - lifetime: The lifetime of an entry after verification, however often it is used.
    ///   - capacity: The largest number of entries, which take about 1 MB. Those not used for longest are dropped.
    ///   - now: The clock. If it jumps back, no entry lives longer.
    package init(
        lifetime: Duration = .seconds(60), capacity: Int = 10_000, now: @escaping MonotonicTime = systemMonotonicTime()
    ) throws {
        var key = try SecureRandom.bytes(32)
        defer { cleanse(&key) }
        let context = try key.withUnsafeBytes { try HMACSHA256Context(key: $0) }
        state = Locked(
            State(
                context: context, entries: GenerationalMap(capacity: capacity),
                fields: GenerationalMap(capacity: capacity)))
        self.lifetime = lifetime
        self.now = now
    }

    package var count: Int { state.withLock { $0.entries.count } }

    /// Whether the password was verified for this name against this stored hash less than the lifetime ago. Cost: about 0.4 µs.
    ///
    /// - Parameters:
    ///   - name: A text that is unique for the user.
    ///   - hash: The text of the stored hash.
    package func contains(name: String, password: String, hash: String) -> Bool {
        verified(name: name, password: password, hash: hash) != nil
    }

    /// The time of that verification; nil if there was none within the lifetime.
    func verified(name: String, password: String, hash: String) -> Duration? {
        state.withLock { state in
            let time = state.clock.tick(now())
            guard let code = try? state.code(name, password, hash), let verified = state.entries.value(code) else {
                return nil
            }
            if time - verified < lifetime { return verified }
            state.entries.remove(code)
            return nil
        }
    }

    /// The user who was verified by a field of HTTP Basic less than the lifetime ago; nil if the directory has changed since, because the
    /// account, its password or its second factor may be different. Cost: no query.
    ///
    /// - Parameter changes: The number of changes of the directory.
    func identity(by field: String, changes: UInt64) -> Identity? {
        state.withLock { state in
            let time = state.clock.tick(now())
            guard let code = try? state.code(field), let known = state.fields.value(code) else { return nil }
            if known.changes == changes, time - known.verified < lifetime { return known.identity }
            state.fields.remove(code)
            return nil
        }
    }

    /// Remembers the user who was verified by a field of HTTP Basic.
    ///
    /// - Parameters:
    ///   - verified: The time of verification.
    ///   - changes: The number of changes of the directory before the account was looked up.
    func remember(_ identity: Identity, by field: String, verified: Duration, changes: UInt64) {
        state.withLock { state in
            guard let code = try? state.code(field) else { return }
            state.fields.set(Known(identity: identity, verified: verified, changes: changes), for: code)
        }
    }

    /// Remembers that the password was verified just now.
    package func insert(name: String, password: String, hash: String) {
        state.withLock { state in
            let time = state.clock.tick(now())
            guard let code = try? state.code(name, password, hash) else { return }
            state.entries.set(time, for: code)
        }
    }

    package func removeAll() {
        state.withLock {
            $0.entries.removeAll()
            $0.fields.removeAll()
        }
    }
}
