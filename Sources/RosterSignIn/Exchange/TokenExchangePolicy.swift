import Roster

/// The rule for the lifetime of a token that is issued for an external one.
package enum TokenTimeoutPolicy: String, Sendable, CaseIterable {
    /// The lifetime is that of `tokenTimeoutSeconds`.
    case fromTimeoutSecs = "FromTimeoutSecs"
    /// The issued token ends with the external one.
    case fromExternalToken = "FromExternalToken"
    /// The issued token ends at the earlier of the two times.
    case fromExternalTokenLimitedByTimeoutSecs = "FromExternalTokenLimitedByTimeoutSecs"
}

/// The lifetimes for issuers without settings of their own: the policies `Security_TokenExchangeTimeoutSecs` and
/// `Security_TokenExchangeTimeoutPolicy`.
package struct TokenExchangePolicy: Sendable, Hashable {
    /// The possible lifetimes, from one second to 365 days. No issued token lives longer, whatever the external token says, because a
    /// stolen token without an end would be good forever.
    package static let timeoutRange = 1...31_536_000

    /// The lifetime in seconds. The default is 28,800, which is 8 hours.
    package let timeoutSeconds: Int
    package let timeoutPolicy: TokenTimeoutPolicy

    package static let standard = TokenExchangePolicy()

    private init() { (timeoutSeconds, timeoutPolicy) = (28_800, .fromTimeoutSecs) }

    /// Reads the values of the two policies; nil for a policy that is not set.
    ///
    /// - Throws: `DirectoryError` `invalidInput` for a number outside ``timeoutRange`` or an unknown name.
    package init(timeoutSeconds: Int? = nil, timeoutPolicy: String? = nil) throws {
        let seconds = timeoutSeconds ?? Self.standard.timeoutSeconds
        let range = Self.timeoutRange
        guard range.contains(seconds) else {
            throw DocumentObject.problem(
                "Security_TokenExchangeTimeoutSecs",
                "must be a whole number from \(range.lowerBound) to \(range.upperBound), not \(seconds).",
                "Correct the number.")
        }
        guard let policy = timeoutPolicy.map({ TokenTimeoutPolicy(rawValue: $0) }) ?? .fromTimeoutSecs else {
            throw DocumentObject.problem(
                "Security_TokenExchangeTimeoutPolicy", "is none of the values it can have.",
                "Give one of \(TokenTimeoutPolicy.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        (self.timeoutSeconds, self.timeoutPolicy) = (seconds, policy)
    }
}
