import Foundation
import Roster
import RosterCrypto
import RosterText

/// Slows down whoever guesses passwords, and nobody else.
///
/// - An account that had 5 failures in a row from places where it never signed in is delayed there: by 1 s, then 2 s, 4 s
///   and so on to 60 s. One attempt is let through after each delay, and not a handful at once.
/// - A place where the account signed in before (a known pair) has failures and delays of its own. What others do to the
///   account elsewhere does not slow it, so that nobody can lock somebody out.
/// - An address that had 50 failures within a minute, for whichever accounts, waits until that minute is over; its known
///   pairs do not, because many people may share an address.
/// - 15 minutes without a failure, and the count begins anew.
///
/// For each attempt call ``check(account:address:)`` once, right before the hash and not before it waits for its turn, or all
/// that come at once are free; then ``failed(account:address:)`` or ``succeeded(account:address:)``. Treat unknown names as
/// accounts too, so that delays do not tell them from others.
/// Remembers a bounded number of each in memory only; those not touched for longest are forgotten. Each call costs about
/// 1 µs.
package final class AttemptThrottle: Sendable {
    /// What an attempt may do now.
    package enum Answer: Sendable, Hashable {
        case allowed
        /// Refuse without looking at the password; a new attempt has a chance after so many whole seconds, 1 to 60.
        case wait(seconds: Int)
    }

    /// The limits. Those by default are the ones above.
    package struct Limits: Sendable, Hashable {
        /// How many failures in a row are free: 5.
        package var freeFailures = 5
        /// The longest delay in seconds: 60.
        package var longestDelay = 60
        /// How many failures an address has within a minute: 50.
        package var failuresPerAddress = 50
        /// For how many seconds without a failure the count lasts: 900.
        package var quietPeriod = 900
        /// How many accounts, addresses and known pairs are remembered, each: 20,000, which take about 10 MB in all.
        package var capacity = 20_000

        package init() {}
    }

    /// A run of failures, and until when the next attempt has to wait.
    private struct Run {
        var failures = 0
        var last = Duration.zero
        var blockedUntil = Duration.zero
    }

    private struct Minute {
        var failures = 0
        var start: Duration
    }

    private struct Pair: Hashable {
        let account: String
        let address: String
    }

    private struct State {
        var accounts: GenerationalMap<String, Run>
        var known: GenerationalMap<Pair, Run>
        var addresses: GenerationalMap<String, Minute>
        var clock = SteadyClock()
    }

    private let state: Locked<State>
    private let limits: Limits
    private let now: MonotonicTime

    /// - Parameter now: The clock. Where it jumps back, delays go on from there and become no longer.
    package init(limits: Limits = Limits(), now: @escaping MonotonicTime = systemMonotonicTime()) {
        self.limits = limits
        self.now = now
        state = Locked(
            State(
                accounts: GenerationalMap(capacity: limits.capacity), known: GenerationalMap(capacity: limits.capacity),
                addresses: GenerationalMap(capacity: limits.capacity)))
    }

    /// Whether an attempt may be made now. Call it once for each: where the account is being delayed, an attempt that is
    /// allowed takes the place of all others until the delay is over once more.
    /// - Parameters:
    ///   - account: The key of the name, the same for the same account, whether there is such an account or not.
    ///   - address: The client's address as text. IPv6 counts by its first 64 bits, of which one client has all the rest.
    ///   - isAttempt: False to ask whether an attempt would have a chance, which takes nobody's place.
    package func check(account: String, address: String, isAttempt: Bool = true) -> Answer {
        let pair = Pair(account: Self.bounded(account), address: Self.network(of: address))
        return state.withLock { state in
            let time = state.clock.tick(now())
            if var run = state.known.value(pair) {
                let answer = admit(&run, time)
                if isAttempt { state.known.set(run, for: pair) }
                return answer
            }
            if let minute = state.addresses.value(pair.address), isSpent(minute, time) {
                return wait(until: minute.start + .seconds(60), time)
            }
            guard var run = state.accounts.value(pair.account) else { return .allowed }
            let answer = admit(&run, time)
            if isAttempt { state.accounts.set(run, for: pair.account) }
            return answer
        }
    }

    /// The same as ``check(account:address:isAttempt:)``, but throws.
    ///
    /// - Throws: ``AuthenticationFailure`` `tooManyAttempts`.
    func admit(account: String, address: String) throws {
        guard case .wait(let seconds) = check(account: account, address: address) else { return }
        throw AuthenticationFailure.tooManyAttempts(seconds: seconds)
    }

    /// Whether the account signed in from there before.
    package func isKnown(account: String, address: String) -> Bool {
        let pair = Pair(account: Self.bounded(account), address: Self.network(of: address))
        return state.withLock { $0.known.value(pair) != nil }
    }

    /// Counts an attempt whose password was wrong.
    package func failed(account: String, address: String) {
        let pair = Pair(account: Self.bounded(account), address: Self.network(of: address))
        state.withLock { state in
            let time = state.clock.tick(now())
            var minute = state.addresses.value(pair.address) ?? Minute(start: time)
            if !isRunning(minute, time) { minute = Minute(start: time) }
            minute.failures += 1
            state.addresses.set(minute, for: pair.address)
            if var run = state.known.value(pair) {
                fail(&run, time)
                state.known.set(run, for: pair)
            } else {
                var run = state.accounts.value(pair.account) ?? Run()
                fail(&run, time)
                state.accounts.set(run, for: pair.account)
            }
        }
    }

    /// Notes that the account signed in from there: from now on it is a known pair, with no failure.
    ///
    /// The account's failures from unknown addresses are forgotten where this one was unknown until now. A known pair's
    /// success leaves them: otherwise each sign-in of the user would give whoever guesses five more free attempts.
    package func succeeded(account: String, address: String) {
        let pair = Pair(account: Self.bounded(account), address: Self.network(of: address))
        state.withLock { state in
            if state.known.value(pair) == nil { state.accounts.remove(pair.account) }
            state.known.set(Run(), for: pair)
        }
    }

    /// How much is remembered: accounts, known pairs and addresses together.
    package var count: Int { state.withLock { $0.accounts.count + $0.known.count + $0.addresses.count } }
}

extension AttemptThrottle {
    private func isRunning(_ minute: Minute, _ time: Duration) -> Bool { time - minute.start < .seconds(60) }

    private func isSpent(_ minute: Minute, _ time: Duration) -> Bool {
        isRunning(minute, time) && minute.failures >= limits.failuresPerAddress
    }

    /// Lets an attempt through, or not. Where there is a delay, the next one begins at once.
    private func admit(_ run: inout Run, _ time: Duration) -> Answer {
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

    /// No account's name and no address is longer than this; what is takes no more memory.
    private static func bounded(_ text: String) -> String {
        text.utf8.count <= 512 ? text : String(decoding: text.utf8.prefix(512), as: UTF8.self)
    }

    /// An IPv6 address' first 64 bits; IPv4, also written as IPv6, as it is.
    static func network(of address: String) -> String {
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
