import Foundation
import Roster
import RosterCrypto
import RosterText

/// Delays guesses of passwords, but not the users whose passwords are guessed.
///
/// - An account with 5 failures in a row from addresses where it never signed in is delayed there: by 1 s, then 2 s, 4 s and so
///   on to 60 s. One attempt is let through after each delay.
/// - An address where the account signed in before (a known pair) has failures and delays of its own. Failures elsewhere do not
///   delay it, so that nobody can lock a user out.
/// - An address with 50 failures within a minute, for any accounts, waits until that minute is over. Its known pairs do not,
///   because many people may share an address.
/// - After 15 minutes without a failure, the count begins anew.
///
/// For each attempt call ``check(account:address:)`` once, right before the hash and after the wait for a slot, so that attempts
/// at once are counted; then ``failed(account:address:)`` or ``succeeded(account:address:)``. Treat unknown names like accounts,
/// so that delays do not tell them apart. In memory, a
/// bounded number of accounts and addresses is kept, and a call costs about 1 µs. On a database server, a call costs two trips.
package final class AttemptThrottle: Sendable {
    package enum Answer: Sendable, Hashable {
        case allowed
        /// Refuse the attempt without looking at the password. The next one is possible after 1 to 60 seconds.
        case wait(seconds: Int)
    }

    package struct Limits: Sendable, Hashable {
        /// The number of failures in a row without a delay.
        package var freeFailures = 5
        /// The longest delay in seconds.
        package var longestDelay = 60
        /// The largest number of failures of an address within a minute.
        package var failuresPerAddress = 50
        /// The seconds without a failure after which the count begins anew.
        package var quietPeriod = 900
        /// The largest number of accounts, of addresses and of known pairs. They take about 10 MB in all.
        package var capacity = 20_000

        package init() {}
    }

    /// Failures in a row, and the time until which the next attempt has to wait.
    struct Run: Sendable, Equatable {
        var failures = 0
        var last = Duration.zero
        var blockedUntil = Duration.zero
    }

    /// The failures of an address since the start of a minute.
    struct Minute: Sendable, Equatable {
        var failures = 0
        var start: Duration
    }

    /// The counted failures before an attempt: those of the pair if the pair is known, those of the account elsewhere, and those of the address.
    struct Counts: Sendable, Equatable {
        var known: Run?
        var account: Run?
        var minute: Minute?
    }

    struct Pair: Hashable, Sendable {
        let account: String
        let address: String

        init(_ account: String, _ address: String) {
            self.account = AttemptThrottle.bounded(account)
            self.address = AttemptThrottle.network(of: address)
        }
    }

    private struct State {
        var accounts: GenerationalMap<String, Run>
        var known: GenerationalMap<Pair, Run>
        var addresses: GenerationalMap<String, Minute>
        var clock = SteadyClock()
    }

    private let state: Locked<State>
    /// The counts that several servers share; nil for counts in memory.
    private let shared: SharedAttempts?
    private let limits: Limits
    private let now: MonotonicTime

    /// Makes a throttle that counts in memory.
    ///
    /// - Parameter now: The clock. If it jumps back, delays do not become longer.
    package convenience init(limits: Limits = Limits(), now: @escaping MonotonicTime = systemMonotonicTime()) {
        self.init(nil, limits, now)
    }

    /// Makes the throttle of a directory. On a database server, all servers of the directory count together, by the clock of the
    /// directory.
    ///
    /// - Parameter name: The name of the throttle, which tells its counts from those of others.
    convenience init(_ name: String, _ directory: Directory, now: @escaping MonotonicTime = systemMonotonicTime()) {
        self.init(directory.isOnServer ? SharedAttempts(name, directory) : nil, Limits(), now)
    }

    private init(_ shared: SharedAttempts?, _ limits: Limits, _ now: @escaping MonotonicTime) {
        self.shared = shared
        self.limits = limits
        self.now = now
        state = Locked(
            State(
                accounts: GenerationalMap(capacity: limits.capacity), known: GenerationalMap(capacity: limits.capacity),
                addresses: GenerationalMap(capacity: limits.capacity)))
    }

    /// Runs `body` with the counts for an attempt and the time, and keeps what `body` changes. Nobody else changes these counts
    /// meanwhile.
    private func counting<Value>(_ pair: Pair, _ body: (inout Counts, Duration) -> Value) throws -> Value {
        if let shared { return try shared.counting(pair, body) }
        return state.withLock { state in
            let time = state.clock.tick(now())
            let old = Counts(
                known: state.known.value(pair), account: state.accounts.value(pair.account),
                minute: state.addresses.value(pair.address))
            var new = old
            let value = body(&new, time)
            if let known = new.known, known != old.known { state.known.set(known, for: pair) }
            if let minute = new.minute, minute != old.minute { state.addresses.set(minute, for: pair.address) }
            if let account = new.account {
                if account != old.account { state.accounts.set(account, for: pair.account) }
            } else if old.account != nil {
                state.accounts.remove(pair.account)
            }
            return value
        }
    }

    /// Whether an attempt may be made now. Call it once for each attempt: for a delayed account, an allowed attempt begins the next
    /// delay.
    /// - Parameters:
    ///   - account: The key of the name, whether there is such an account or not.
    ///   - address: The client's address as text. Of an IPv6 address, the first 64 bits count, because one client has all the rest.
    ///   - isAttempt: False to ask whether an attempt would be allowed, without making one.
    package func check(account: String, address: String, isAttempt: Bool = true) throws -> Answer {
        let pair = Pair(account, address)
        return try counting(pair) { counts, time in
            let old = counts
            defer { if !isAttempt { counts = old } }
            if counts.known != nil { return admit(&counts.known, time) }
            if let minute = counts.minute, isSpent(minute, time) {
                return wait(until: minute.start + .seconds(60), time)
            }
            return admit(&counts.account, time)
        }
    }

    /// The same as ``check(account:address:isAttempt:)``, but throws.
    ///
    /// - Throws: ``AuthenticationFailure`` `tooManyAttempts`; `DirectoryError`.
    func admit(account: String, address: String) throws {
        guard case .wait(let seconds) = try check(account: account, address: address) else { return }
        throw AuthenticationFailure.tooManyAttempts(seconds: seconds)
    }

    /// Whether the account signed in from there before.
    package func isKnown(account: String, address: String) throws -> Bool {
        try counting(Pair(account, address)) { counts, _ in counts.known != nil }
    }

    /// Counts an attempt whose password was wrong.
    package func failed(account: String, address: String) throws {
        try counting(Pair(account, address)) { counts, time in
            var minute = counts.minute ?? Minute(start: time)
            if !isRunning(minute, time) { minute = Minute(start: time) }
            minute.failures += 1
            counts.minute = minute
            if var run = counts.known {
                fail(&run, time)
                counts.known = run
            } else {
                var run = counts.account ?? Run()
                fail(&run, time)
                counts.account = run
            }
        }
    }

    /// Makes the account and the address a known pair without failures.
    ///
    /// The throttle forgets the account's failures from unknown addresses only if this address was unknown. If each sign-in of the user
    /// made the throttle forget them, each would give an attacker five more free attempts.
    package func succeeded(account: String, address: String) throws {
        try counting(Pair(account, address)) { counts, _ in
            if counts.known == nil { counts.account = nil }
            counts.known = Run()
        }
    }

    package var count: Int { state.withLock { $0.accounts.count + $0.known.count + $0.addresses.count } }
}

extension AttemptThrottle {
    private func isRunning(_ minute: Minute, _ time: Duration) -> Bool { time - minute.start < .seconds(60) }

    private func isSpent(_ minute: Minute, _ time: Duration) -> Bool {
        isRunning(minute, time) && minute.failures >= limits.failuresPerAddress
    }

    /// Decides about an attempt. If it is allowed after a delay, the next delay begins at once.
    private func admit(_ counted: inout Run?, _ time: Duration) -> Answer {
        guard var run = counted else { return .allowed }
        defer { counted = run }
        if time - run.last >= .seconds(limits.quietPeriod) { run = Run() }
        guard run.failures >= limits.freeFailures else { return .allowed }
        guard time >= run.blockedUntil else { return wait(until: run.blockedUntil, time) }
        run.blockedUntil = time + delay(run.failures)
        return .allowed
    }

    private func fail(_ run: inout Run, _ time: Duration) {
        if time - run.last >= .seconds(limits.quietPeriod) { run = Run() }
        run.failures += 1
        run.last = time
        if run.failures >= limits.freeFailures { run.blockedUntil = time + delay(run.failures) }
    }

    /// 1 s after the last free failure, then twice as long each time.
    private func delay(_ failures: Int) -> Duration {
        .seconds(min(1 << min(max(failures - limits.freeFailures, 0), 20), max(limits.longestDelay, 1)))
    }

    private func wait(until end: Duration, _ time: Duration) -> Answer {
        let left = end - time
        let (seconds, fraction) = left.components
        return .wait(seconds: max(Int(seconds) + (fraction > 0 ? 1 : 0), 1))
    }

    /// The beginning of a text that is longer than any name or address, so that it takes no more memory.
    fileprivate static func bounded(_ text: String) -> String {
        text.utf8.count <= 512 ? text : String(decoding: text.utf8.prefix(512), as: UTF8.self)
    }

    /// An IPv6 address' first 64 bits; IPv4, also written as IPv6, as it is.
    package static func network(of address: String) -> String {
        guard address.utf8.contains(UInt8(ascii: ":")), address.utf8.count <= 64 else { return bounded(address) }
        // Without the name of the interface.
        let bare = String(address.prefix { $0 != "%" })
        var bytes = [UInt8](repeating: 0, count: 16)
        guard inet_pton(AF_INET6, bare, &bytes) == 1 else { return bare }
        if bytes.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255]) {
            return bytes[12...].map(String.init).joined(separator: ".")
        }
        return Hexadecimal.text(Array(bytes[..<8]))
    }
}
