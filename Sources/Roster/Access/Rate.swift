import Foundation
import RosterStore
import RosterText

/// How often an account may do something: some times at once, and then so many times a second.
public struct Rate: Sendable, Hashable {
    /// The number at once, 1 to 1,000,000. An account that waits can do this many at once again.
    public var atOnce: Int
    /// The number a second after that, 0.001 to 1,000,000.
    public var perSecond: Double

    /// Describes a rate.
    ///
    /// - Throws: ``DirectoryError`` `invalidInput` for a number that is out of its range.
    public init(atOnce: Int, perSecond: Double) throws {
        guard 1...1_000_000 ~= atOnce, 0.001...1_000_000 ~= perSecond else {
            throw DirectoryError(
                .invalidInput, "A rate has 1 to 1000000 at once, and 0.001 to 1000000 a second.",
                advice: "Choose numbers in these ranges, or no rate.")
        }
        (self.atOnce, self.perSecond) = (atOnce, perSecond)
    }

    fileprivate init(_ atOnce: Int, _ perSecond: Double) { (self.atOnce, self.perSecond) = (atOnce, perSecond) }

    fileprivate static let usualChanges = Rate(600, 2)
    fileprivate static let usualSignIns = Rate(60, 1)
}

/// The rates of a directory: how fast one account may change the directory and sign in, so that nobody fills the disk or keeps the
/// others waiting.
///
/// Each process counts for itself. Changes and sign-ins above a rate throw ``DirectoryError`` `overloaded`, or the error of a sign-in
/// that came too often, and write nothing. A server answers 429 with `Retry-After`.
public struct DirectoryRates: Sendable, Hashable {
    /// The entries that one person may add to the change feed; nil for no limit. A transaction counts once for each of its entries.
    public var changes: Rate?
    /// The sign-ins of one account; nil for no limit. Sign-ins by name and password, sessions, and tokens count each for themselves.
    public var signIns: Rate?
    /// The same as ``changes``, for each administrator and each provisioning program.
    public var trustedChanges: Rate?
    /// The same as ``signIns``, for each administrator.
    public var trustedSignIns: Rate?

    /// Describes rates, none unless given.
    public init(
        changes: Rate? = nil, signIns: Rate? = nil, trustedChanges: Rate? = nil, trustedSignIns: Rate? = nil
    ) {
        (self.changes, self.signIns) = (changes, signIns)
        (self.trustedChanges, self.trustedSignIns) = (trustedChanges, trustedSignIns)
    }

    /// No rates. A directory without a server has these.
    public static let none = DirectoryRates()
    /// The usual rates of a server. A person can make 600 changes at once, and then 2 a second. An account can sign in 60 times at once,
    /// and then once a second. Administrators and provisioning programs have no rate.
    public static let served = DirectoryRates(changes: .usualChanges, signIns: .usualSignIns)
}

/// Counts what each account does, against the rates.
final class RateMemory: Sendable {
    enum Kind: Sendable, Hashable {
        case change, signIn, session, tokens
    }

    private struct Key: Hashable {
        let kind: Kind
        let account: String
    }

    private struct Bucket {
        var left: Double
        var time: Date
    }

    private struct State {
        var rates = DirectoryRates.none
        var buckets = GenerationalMap<Key, Bucket>(capacity: 40_000)
    }

    private let state = Locked(State())

    var rates: DirectoryRates {
        get { state.withLock { $0.rates } }
        set { state.withLock { $0.rates = newValue } }
    }

    func rate(of kind: Kind, isTrusted: Bool) -> Rate? {
        let rates = rates
        return switch (kind, isTrusted) {
        case (.change, false): rates.changes
        case (.change, true): rates.trustedChanges
        case (_, false): rates.signIns
        case (_, true): rates.trustedSignIns
        }
    }

    /// Counts one more, or fewer for a negative number.
    ///
    /// - Returns: Nil, or the seconds until the account may go on. Nothing is counted then.
    func take(_ count: Int, _ kind: Kind, of account: String, _ rate: Rate, at now: Date) -> Int? {
        let key = Key(kind: kind, account: account)
        return state.withLock { state in
            var bucket = state.buckets.value(key) ?? Bucket(left: Double(rate.atOnce), time: now)
            // If the clock was set back, no time has passed, and the account waits no longer than the rate says.
            let passed = max(now.timeIntervalSince(bucket.time), 0)
            bucket.left = min(bucket.left + passed * rate.perSecond, Double(rate.atOnce))
            bucket.time = now
            let missing = Double(count) - bucket.left
            if missing <= 0 { bucket.left -= Double(count) }
            bucket.left = min(bucket.left, Double(rate.atOnce))
            state.buckets.set(bucket, for: key)
            return missing <= 0 ? nil : Int((missing / rate.perSecond).rounded(.up))
        }
    }
}

/// The changes of one transaction of a caller who has a rate.
final class CountedChanges {
    private let memory: RateMemory
    private let account: String
    private let rate: Rate
    private let now: Date
    private var count = 0

    /// Nil for a caller without a rate.
    convenience init?(_ core: DirectoryCore, _ rights: Rights) {
        self.init(core, rights.caller, isTrusted: rights.keepsAccounts)
    }

    /// Nil for a caller without a rate.
    init?(_ core: DirectoryCore, _ caller: Caller, isTrusted: Bool) {
        guard let rate = core.rates.rate(of: .change, isTrusted: isTrusted) else { return nil }
        (memory, self.rate, now) = (core.rates, rate, core.clock())
        account = caller.description
    }

    /// Counts one more change.
    ///
    /// - Throws: `overloaded` with the seconds after which the caller may go on.
    func add() throws {
        guard let seconds = memory.take(1, .change, of: account, rate, at: now) else {
            count += 1
            return
        }
        guard count < rate.atOnce else {
            throw DirectoryError(
                .overloaded, "The caller may make \(rate.atOnce) changes at once, and the request makes more.",
                advice: "Make fewer changes in one request.", retryAfter: seconds)
        }
        throw DirectoryError(
            .overloaded, "The caller has made too many changes. Nothing was changed.",
            advice: "Go on after \(seconds) seconds.", retryAfter: seconds)
    }

    /// Takes the count back after the transaction has failed.
    func giveBack() {
        if count > 0 { _ = memory.take(-count, .change, of: account, rate, at: now) }
        count = 0
    }
}

extension Transaction {
    /// Runs changes with the caller's rights. If they fail, they do not count against the caller's rate.
    static func changing<Value>(
        _ connection: Connection, _ shared: EmbeddedView, _ body: (Transaction) throws -> Value
    ) throws -> Value {
        let transaction = try Transaction(connection, shared)
        do {
            return try body(transaction)
        } catch {
            transaction.countedChanges?.giveBack()
            throw error
        }
    }
}

extension Directory {
    /// The ways to sign in that count against the rate, each for itself.
    package enum RatedSignIn: Sendable {
        /// A name with the right password, or the word of a provider.
        case password
        /// A session that begins or is renewed by a sign-in.
        case session
        /// Tokens for an app.
        case tokens
    }
}
