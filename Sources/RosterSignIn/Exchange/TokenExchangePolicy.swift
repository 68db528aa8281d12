import Roster

/// The rule for the lifetime of a token that is issued for an external one.
public enum TokenTimeoutPolicy: String, Sendable, CaseIterable {
    /// The issued token has the configured lifetime.
    case fromTimeoutSecs = "FromTimeoutSecs"
    /// The issued token ends with the external one.
    case fromExternalToken = "FromExternalToken"
    /// The issued token ends with the external one, or after the configured lifetime if that is earlier.
    case fromExternalTokenLimitedByTimeoutSecs = "FromExternalTokenLimitedByTimeoutSecs"
}

/// The lifetimes for issuers without settings of their own: the policies `Security_TokenExchangeTimeoutSecs` and
/// `Security_TokenExchangeTimeoutPolicy`.
public struct TokenExchangePolicy: Sendable, Hashable {
    /// The possible lifetimes in seconds: one second to 365 days. No issued token lives longer, whatever the external token says,
    /// because a stolen token without an end would be good forever.
    package static let timeoutRange = 1...31_536_000

    /// The configured lifetime: 1 to 31,536,000 whole seconds; 28,800 seconds, which is 8 hours, by default.
    public var lifetime: Duration
    /// The rule for the lifetime; the configured lifetime by default.
    public var timeoutPolicy: TokenTimeoutPolicy

    /// The default: tokens of 8 hours.
    public static let standard = TokenExchangePolicy()

    /// Makes a policy. A lifetime out of its range is refused when a ``SignIn`` is made with it.
    public init(lifetime: Duration = .seconds(28_800), timeoutPolicy: TokenTimeoutPolicy = .fromTimeoutSecs) {
        (self.lifetime, self.timeoutPolicy) = (lifetime, timeoutPolicy)
    }

    /// The configured lifetime in seconds.
    package var timeoutSeconds: Int { Int(lifetime.components.seconds) }

    /// Refuses a lifetime out of ``timeoutRange``.
    ///
    /// - Throws: `DirectoryError` `invalidInput`.
    package func check() throws {
        let (seconds, fraction) = lifetime.components
        guard fraction == 0, Self.timeoutRange.contains(Int(seconds)) else {
            throw DocumentObject.problem(
                "Security_TokenExchangeTimeoutSecs",
                "must be a whole number from \(Self.timeoutRange.lowerBound) to \(Self.timeoutRange.upperBound).",
                "Correct the number.")
        }
    }
}
