/// A user below another one.
public struct Subordinate: Sendable, Equatable {
    /// Who it is.
    public let user: User
    /// How many lines down: 1 for a direct reportee.
    public let depth: Int
}

/// Reporting lines: a manager for each user, and no circles. Mirrors `OMUser`'s calls and the management chain of the
/// identity service behind it.
extension UserManager {
    /// Whom a user reports to, or nil at the top (`OMUser getManager:`).
    public func manager(of user: UserReference, attributes: [AttributeName] = []) throws -> User? {
        try view.read { try $0.manager(of: user, attributes) }
    }

    /// Whom a user reports to, as the synchronous form does.
    public func manager(of user: UserReference, attributes: [AttributeName] = []) async throws -> User? {
        try await view.awaitRead(isBrief: true) { try $0.manager(of: user, attributes) }
    }

    /// Who reports to a user directly, in the order of creation (`OMUser getReporteesWithAttributes:returningError:`).
    ///
    /// - Parameters:
    ///   - user: The manager.
    ///   - attributes: Which to fetch; none for the usual ones.
    ///   - limit: How many at most, 1 to 10,000.
    ///   - last: The last user of the page before, or nil for the first page.
    public func reportees(
        of user: UserReference, attributes: [AttributeName] = [], limit: Int = 10_000, after last: UserID? = nil
    ) throws -> [User] {
        try view.read(isBrief: false) { try $0.reportees(of: user, attributes, limit: limit, after: last) }
    }

    /// Who reports to a user directly, as the synchronous form does.
    public func reportees(
        of user: UserReference, attributes: [AttributeName] = [], limit: Int = 10_000, after last: UserID? = nil
    ) async throws -> [User] {
        try await view.awaitRead { try $0.reportees(of: user, attributes, limit: limit, after: last) }
    }

    /// The managers above a user, from the nearest to the top (`User.getManagementChain` of the identity service).
    ///
    /// - Parameters:
    ///   - user: Whose managers.
    ///   - attributes: Which to fetch; none for the usual ones.
    ///   - levels: How many at most; nil for all of them.
    ///   - end: Where to stop before the top; that manager is still among them.
    public func chain(
        of user: UserReference, attributes: [AttributeName] = [], levels: Int? = nil, upTo end: ChainEnd? = nil
    ) throws -> [User] {
        try view.read(isBrief: false) { try $0.chain(of: user, attributes, levels: levels, upTo: end) }
    }

    /// The managers above a user, as the synchronous form does.
    public func chain(
        of user: UserReference, attributes: [AttributeName] = [], levels: Int? = nil, upTo end: ChainEnd? = nil
    ) async throws -> [User] {
        try await view.awaitRead { try $0.chain(of: user, attributes, levels: levels, upTo: end) }
    }

    /// Everyone below a user with their depth, nearest first (`User.getReportees(nLevels)` of the identity service).
    ///
    /// - Parameters:
    ///   - user: The top of the tree, who is not part of the answer.
    ///   - attributes: Which to fetch; none for the usual ones.
    ///   - levels: How many levels down; nil for all of them.
    ///   - limit: How many users at most, 1 to 10,000.
    ///   - offset: How many to leave out from the start.
    /// - Complexity: Grows with `offset` + `limit`, not with how many there are below.
    public func below(
        _ user: UserReference, attributes: [AttributeName] = [], levels: Int? = nil, limit: Int = 10_000,
        offset: Int = 0
    ) throws -> [Subordinate] {
        try view.read(isBrief: false) { try $0.below(user, attributes, levels: levels, limit: limit, offset: offset) }
    }

    /// Everyone below a user with their depth, as the synchronous form does.
    public func below(
        _ user: UserReference, attributes: [AttributeName] = [], levels: Int? = nil, limit: Int = 10_000,
        offset: Int = 0
    ) async throws -> [Subordinate] {
        try await view.awaitRead { try $0.below(user, attributes, levels: levels, limit: limit, offset: offset) }
    }

    /// How many report to a user directly, and how many are below in all.
    public func reporteeCounts(of user: UserReference) throws -> (direct: Int, all: Int) {
        try view.read(isBrief: false) { try $0.reporteeCounts(of: user) }
    }

    /// How many report to a user directly, and how many are below in all.
    public func reporteeCounts(of user: UserReference) async throws -> (direct: Int, all: Int) {
        try await view.awaitRead { try $0.reporteeCounts(of: user) }
    }

    /// The lowest person whom all of them report to, or who is one of them; nil where there is none.
    public func lowestCommonManager(of users: [UserReference]) throws -> User? {
        try view.read(isBrief: false) { try $0.lowestCommonManager(of: users) }
    }

    /// The lowest person whom all of them report to, as the synchronous form does.
    public func lowestCommonManager(of users: [UserReference]) async throws -> User? {
        try await view.awaitRead { try $0.lowestCommonManager(of: users) }
    }

    /// Those who report to nobody, in the order of creation.
    public func withoutManager(
        attributes: [AttributeName] = [], limit: Int = 10_000, after last: UserID? = nil
    ) throws -> [User] {
        try view.read(isBrief: false) { try $0.withoutManager(attributes, limit: limit, after: last) }
    }

    /// Those who report to nobody, as the synchronous form does.
    public func withoutManager(
        attributes: [AttributeName] = [], limit: Int = 10_000, after last: UserID? = nil
    ) async throws -> [User] {
        try await view.awaitRead { try $0.withoutManager(attributes, limit: limit, after: last) }
    }

    /// Gives a user a manager, or none.
    ///
    /// - Throws: `circle` where the manager is the user or below the user, also when several callers try at once.
    @discardableResult
    public func setManager(_ manager: UserReference?, of user: UserReference, ifVersion version: Int64? = nil) throws
        -> User
    {
        try view.write { try $0.setManager(manager, of: user, ifVersion: version) }
    }

    /// Gives a user a manager, or none, as the synchronous form does.
    @discardableResult
    public func setManager(
        _ manager: UserReference?, of user: UserReference, ifVersion version: Int64? = nil
    ) async throws -> User {
        try await view.awaitWrite { try $0.setManager(manager, of: user, ifVersion: version) }
    }
}

/// Where a chain of managers ends before the top.
public enum ChainEnd: Sendable, Hashable {
    /// At this person.
    case user(UserReference)
    /// At the first person with this title; case, width and composition do not matter.
    case title(String)
}

/// What a user knows of the people around.
extension User {
    /// The manager, prefetched or fetched now; nil at the top (`getManager:`).
    public func manager() throws -> User? {
        if let prefetchedManager { return prefetchedManager.first }
        return try view.users.manager(of: .id(id))
    }

    /// The manager, prefetched or fetched now; nil at the top (`getManager:`).
    public func manager() async throws -> User? {
        if let prefetchedManager { return prefetchedManager.first }
        return try await view.users.manager(of: .id(id))
    }

    /// Who reports to this user, fetched with these attributes (`getReporteesWithAttributes:returningError:`).
    public func reportees(attributes: [AttributeName] = []) throws -> [User] {
        if attributes.isEmpty, let prefetchedReportees { return prefetchedReportees }
        return try view.users.reportees(of: .id(id), attributes: attributes)
    }

    /// Who reports to this user, fetched with these attributes (`getReporteesWithAttributes:returningError:`).
    public func reportees(attributes: [AttributeName] = []) async throws -> [User] {
        if attributes.isEmpty, let prefetchedReportees { return prefetchedReportees }
        return try await view.users.reportees(of: .id(id), attributes: attributes)
    }

    /// The value of an attribute, fetched if it was not; nil where it has none (`getAttribute:returningError:`).
    public func attribute(_ name: AttributeName) throws -> AttributeValue? {
        if let value = self[name] { return value }
        return try view.users.user(.id(id), attributes: [name])[name]
    }

    /// The value of an attribute, fetched if it was not; nil where it has none (`getAttribute:returningError:`).
    public func attribute(_ name: AttributeName) async throws -> AttributeValue? {
        if let value = self[name] { return value }
        return try await view.users.user(.id(id), attributes: [name])[name]
    }
}
