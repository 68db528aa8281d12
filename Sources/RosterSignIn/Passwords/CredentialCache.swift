import Roster
import Foundation
import RosterText
import RosterCrypto

/// Remembers for a short time which passwords were verified, so that a client that sends its password with each request
/// (LDAP binds, HTTP Basic) pays for one hash a minute and not for one a request.
///
/// Holds no password: the key of an entry is an HMAC-SHA256, with a random key that never leaves the process, over name,
/// password and the stored hash. A changed password has another stored hash and so misses by itself. Only ever ask after
/// the user's present stored hash was read, and only ever insert what was verified against it.
package final class CredentialCache: Sendable {
    private struct State {
        let context: HMACSHA256Context
        /// When each was verified.
        var entries: GenerationalMap<HMACSHA256Context.Code, Duration>
        /// Who was verified by a whole field of HTTP Basic.
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
        /// When the password was verified.
        let verified: Duration
        /// How many changes the directory had had.
        let changes: UInt64
    }

    private let state: Locked<State>
    private let lifetime: Duration
    private let now: MonotonicTime

    /// - Parameters:
    ///   - lifetime: For how long an entry holds after it was verified, however often it is used; 60 s.
    ///   - capacity: The most entries; 10,000, which take about 1 MB. Beyond it, those not used for longest go.
    ///   - now: The clock. Should it jump back, no entry lives longer for it.
    /// - Throws: ``CryptoFailure`` where there is no random key to be had.
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

    /// The most entries at a time, old and new ones.
    package var count: Int { state.withLock { $0.entries.count } }

    /// Whether the password was verified for this name against this stored hash less than the lifetime ago.
    ///
    /// Costs one HMAC and one or two look-ups, about 0.4 µs; `false` where libcrypto fails, so that the password is hashed.
    /// - Parameter hash: The text of the stored hash.
    /// - Parameter name: The key of the user's name or the user's identifier: what is the same for the same user only.
    package func contains(name: String, password: String, hash: String) -> Bool {
        verified(name: name, password: password, hash: hash) != nil
    }

    /// When the password was verified for this name against this stored hash; nil where that is too long ago, or was never.
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

    /// Who was verified by a field of HTTP Basic less than the lifetime ago, where the directory has not changed since: the
    /// account, its password and its second factor are what they were.
    ///
    /// Costs one HMAC and one or two look-ups, and no query.
    /// - Parameter changes: How many changes the directory has had.
    func identity(by field: String, changes: UInt64) -> Identity? {
        state.withLock { state in
            let time = state.clock.tick(now())
            guard let code = try? state.code(field), let known = state.fields.value(code) else { return nil }
            if known.changes == changes, time - known.verified < lifetime { return known.identity }
            state.fields.remove(code)
            return nil
        }
    }

    /// Remembers who was verified by a field of HTTP Basic.
    ///
    /// - Parameters:
    ///   - verified: When the password was verified.
    ///   - changes: How many changes the directory had had before the account was looked up.
    func remember(_ identity: Identity, by field: String, verified: Duration, changes: UInt64) {
        state.withLock { state in
            guard let code = try? state.code(field) else { return }
            state.fields.set(Known(identity: identity, verified: verified, changes: changes), for: code)
        }
    }

    /// Remembers that the password was verified just now. Costs what ``contains(name:password:hash:)`` does.
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
