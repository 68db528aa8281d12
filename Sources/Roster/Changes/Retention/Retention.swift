/// The periods for which the change feed keeps its entries. The directory stores them.
public struct Retention: Sendable, Hashable, Codable {
    /// The days to keep changes to users, roles, attributes and backends; nil to keep them forever.
    public var changes: Int?
    /// The days to keep sign-ins, refusals, grants, exchanges and revocations; nil to keep them forever.
    public var signIns: Int?

    /// Describes a retention.
    ///
    /// - Parameters:
    ///   - changes: Days, 1 or more; nil to keep changes forever.
    ///   - signIns: Days, 1 or more; nil to keep sign-ins forever.
    public init(changes: Int? = nil, signIns: Int? = 180) {
        self.changes = changes
        self.signIns = signIns
    }

    /// The longest retention: a thousand years.
    static let maximumDays = 365_250
}

extension ChangeFeed {
    /// Reads the retention. By default changes stay forever and sign-ins for 180 days.
    public func retention() throws -> Retention { try view.read(ReadRetention()) }
    /// Reads the retention, as the synchronous form does.
    public func retention() async throws -> Retention { try await view.read(ReadRetention()) }

    /// Sets the retention. `prune()` removes older entries.
    ///
    /// - Throws: `limitExceeded` for less than a day or more than 365,250 days; `notPermitted` unless the caller is an
    ///   administrator.
    public func setRetention(_ retention: Retention) throws { _ = try view.change(SetRetention(retention: retention)) }
    /// Sets the retention, as the synchronous form does.
    public func setRetention(_ retention: Retention) async throws {
        _ = try await view.change(SetRetention(retention: retention))
    }

    /// Removes the entries older than the retention. Numbers stay without gaps: `changesCompacted` answers requests for
    /// a removed beginning, and an entry of the kind ``Change/Kind/pruned`` replaces a removed range in the middle. A
    /// server prunes every ten minutes.
    ///
    /// - Returns: The number of removed entries.
    @discardableResult
    public func prune() throws -> Int {
        var count = 0
        while true {
            let step = try view.change(PruneChanges())
            count += step.count
            if step.isLast { return count }
        }
    }

    /// Removes old entries, as the synchronous form does.
    @discardableResult
    public func prune() async throws -> Int {
        var count = 0
        while true {
            let step = try await view.change(PruneChanges())
            count += step.count
            if step.isLast { return count }
        }
    }
}
