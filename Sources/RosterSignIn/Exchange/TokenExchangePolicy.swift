import Roster

/// How long a token is good for that is issued for an external one.
package enum TokenTimeoutPolicy: String, Sendable, CaseIterable {
    /// As long as `tokenTimeoutSeconds` says.
    case fromTimeoutSecs = "FromTimeoutSecs"
    /// Until the external token ends.
    case fromExternalToken = "FromExternalToken"
    /// Whichever of the two ends first.
    case fromExternalTokenLimitedByTimeoutSecs = "FromExternalTokenLimitedByTimeoutSecs"
}

/// What holds for issuers that say nothing of their own about lifetimes: the policies
/// `Security_TokenExchangeTimeoutSecs` and `Security_TokenExchangeTimeoutPolicy`.
package struct TokenExchangePolicy: Sendable, Hashable {
    /// The lifetimes that can be configured: from one second to 365 days. No issued token lives longer, whatever the
    /// external one says: one that never ends could never be taken back from who has stolen it.
    package static let timeoutRange = 1...31_536_000

    /// The lifetime in seconds: 28,800, which is 8 hours, where nothing else is said.
    package let timeoutSeconds: Int
    /// What it is taken from.
    package let timeoutPolicy: TokenTimeoutPolicy

    /// 8 hours from now.
    package static let standard = TokenExchangePolicy()

    private init() { (timeoutSeconds, timeoutPolicy) = (28_800, .fromTimeoutSecs) }

    /// Takes the values of the two policies; nil where one is not set.
    ///
    /// - Throws: `DirectoryError` `invalidInput` for a number out of ``timeoutRange`` or an unknown name.
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
