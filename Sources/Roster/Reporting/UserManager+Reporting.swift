/// A user below another one.
public struct Subordinate: Sendable, Equatable {
    /// The user.
    public let user: User
    /// The number of reporting lines to the other user: 1 for a direct reportee.
    public let depth: Int
}

/// Reporting lines. Each user has at most one manager, and there are no cycles. Mirrors the calls of Oracle Mobile and
/// Social SDK's `OMUser`, and the management chain of the identity service behind it.
extension UserManager {
    /// Finds a user's manager; returns nil at the top (`OMUser getManager:`).
    public func manager(of user: some UserReferenceConvertible, attributes: AttributeSelection = .usual) throws -> User?
    {
        try view.read(ReadManager(user: user.userReference, attributes: attributes))
    }

    /// Finds a user's manager, as the synchronous form does.
    public func manager(of user: some UserReferenceConvertible, attributes: AttributeSelection = .usual) async throws
        -> User?
    {
        try await view.read(ReadManager(user: user.userReference, attributes: attributes))
    }

    /// Lists a user's direct reportees in the order of creation (`OMUser getReporteesWithAttributes:returningError:`).
    ///
    /// - Parameters:
    ///   - user: The manager.
    ///   - attributes: The attributes to fetch; ``AttributeSelection/usual`` by default.
    ///   - limit: The largest number of users to return, 1 to 10,000; nil for all of them.
    ///   - last: The last user of the previous page; nil for the first page.
    public func reportees(
        of user: some UserReferenceConvertible, attributes: AttributeSelection = .usual, limit: Int? = nil,
        after last: UserID? = nil
    ) throws -> [User] {
        try view.read(ReadReportees(user: user.userReference, attributes: attributes, limit: limit, after: last))
    }

    /// Lists a user's direct reportees, as the synchronous form does.
    public func reportees(
        of user: some UserReferenceConvertible, attributes: AttributeSelection = .usual, limit: Int? = nil,
        after last: UserID? = nil
    ) async throws -> [User] {
        try await view.read(ReadReportees(user: user.userReference, attributes: attributes, limit: limit, after: last))
    }

    /// Lists the managers above a user, from the nearest to the top (`User.getManagementChain` of the identity
    /// service).
    ///
    /// - Parameters:
    ///   - user: The user below the managers.
    ///   - attributes: The attributes to fetch; ``AttributeSelection/usual`` by default.
    ///   - levels: The largest number of managers to return; nil for all.
    ///   - end: The manager who ends the list, and is its last element; nil to continue to the top.
    public func chain(
        of user: some UserReferenceConvertible, attributes: AttributeSelection = .usual, levels: Int? = nil,
        upTo end: ChainEnd? = nil
    ) throws -> [User] {
        try view.read(ReadChain(user: user.userReference, attributes: attributes, levels: levels, upTo: end))
    }

    /// Lists the managers above a user, as the synchronous form does.
    public func chain(
        of user: some UserReferenceConvertible, attributes: AttributeSelection = .usual, levels: Int? = nil,
        upTo end: ChainEnd? = nil
    ) async throws -> [User] {
        try await view.read(ReadChain(user: user.userReference, attributes: attributes, levels: levels, upTo: end))
    }

    /// Lists everyone below a user with their depth, nearest first (`User.getReportees(nLevels)` of the identity
    /// service). Within a level, users come in the order of their managers, and those of one manager in the order of creation.
    ///
    /// - Parameters:
    ///   - user: The top of the tree, who is not part of the result.
    ///   - attributes: The attributes to fetch; ``AttributeSelection/usual`` by default.
    ///   - levels: The number of levels to descend; nil for all.
    ///   - limit: The largest number of users to return, 1 to 10,000; nil for all of them.
    ///   - offset: The number of users to skip.
    /// - Complexity: Linear in `offset` + `limit`, independent of the size of the tree.
    public func below(
        _ user: some UserReferenceConvertible, attributes: AttributeSelection = .usual, levels: Int? = nil,
        limit: Int? = nil,
        offset: Int = 0
    ) throws -> [Subordinate] {
        try view.read(
            ReadBelow(user: user.userReference, attributes: attributes, levels: levels, limit: limit, offset: offset))
    }

    /// Lists everyone below a user, as the synchronous form does.
    public func below(
        _ user: some UserReferenceConvertible, attributes: AttributeSelection = .usual, levels: Int? = nil,
        limit: Int? = nil,
        offset: Int = 0
    ) async throws -> [Subordinate] {
        try await view.read(
            ReadBelow(user: user.userReference, attributes: attributes, levels: levels, limit: limit, offset: offset))
    }

    /// Whether a user is below another one in the reporting lines, on any level. Nobody is below themselves.
    ///
    /// The filter `Filter.below(_:levels:)` selects everyone below a user.
    ///
    /// - Throws: `notFound` if one of the users does not exist.
    /// - Complexity: Reads both users, and each manager between them. The size of the directory does not matter.
    public func isBelow(_ user: some UserReferenceConvertible, _ manager: some UserReferenceConvertible) throws -> Bool
    {
        try view.read(IsBelow(user: user.userReference, manager: manager.userReference))
    }

    /// Whether a user is below another one, as the synchronous form tells it.
    public func isBelow(_ user: some UserReferenceConvertible, _ manager: some UserReferenceConvertible) async throws
        -> Bool
    {
        try await view.read(IsBelow(user: user.userReference, manager: manager.userReference))
    }

    /// Counts a user's direct reportees, and everyone below the user.
    public func reporteeCounts(of user: some UserReferenceConvertible) throws -> (direct: Int, all: Int) {
        let answer = try view.read(CountReportees(user: user.userReference))
        return (answer.direct, answer.all)
    }

    /// Counts a user's reportees, as the synchronous form does.
    public func reporteeCounts(of user: some UserReferenceConvertible) async throws -> (direct: Int, all: Int) {
        let answer = try await view.read(CountReportees(user: user.userReference))
        return (answer.direct, answer.all)
    }

    /// Finds the lowest user who is, or is above, each of the users; returns nil if there is none.
    public func lowestCommonManager(of users: [UserReference]) throws -> User? {
        try view.read(ReadLowestCommonManager(users: users))
    }

    /// Finds the lowest common manager, as the synchronous form does.
    public func lowestCommonManager(of users: [UserReference]) async throws -> User? {
        try await view.read(ReadLowestCommonManager(users: users))
    }

    /// Finds the lowest common manager of users who are given by names, by identifiers or as they were read before.
    public func lowestCommonManager(of users: [some UserReferenceConvertible]) throws -> User? {
        try lowestCommonManager(of: users.map(\.userReference))
    }

    /// Finds the lowest common manager, as the synchronous form does.
    public func lowestCommonManager(of users: [some UserReferenceConvertible]) async throws -> User? {
        try await lowestCommonManager(of: users.map(\.userReference))
    }

    /// Lists the users without a manager, in the order of creation.
    public func withoutManager(
        attributes: AttributeSelection = .usual, limit: Int? = nil, after last: UserID? = nil
    ) throws -> [User] {
        try view.read(ReadWithoutManager(attributes: attributes, limit: limit, after: last))
    }

    /// Lists the users without a manager, as the synchronous form does.
    public func withoutManager(
        attributes: AttributeSelection = .usual, limit: Int? = nil, after last: UserID? = nil
    ) async throws -> [User] {
        try await view.read(ReadWithoutManager(attributes: attributes, limit: limit, after: last))
    }

    /// Sets or removes a user's manager.
    ///
    /// - Throws: `circle` if the manager is the user or is below the user. Concurrent calls cannot form a cycle either.
    @discardableResult
    public func setManager(
        _ manager: UserReference?, of user: some UserReferenceConvertible, ifVersion version: Int64? = nil
    ) throws
        -> User
    {
        try view.change(SetManager(manager: manager, user: user.userReference, ifVersion: version))
    }

    /// Sets or removes a user's manager, as the synchronous form does.
    @discardableResult
    public func setManager(
        _ manager: UserReference?, of user: some UserReferenceConvertible, ifVersion version: Int64? = nil
    ) async throws -> User {
        try await view.change(SetManager(manager: manager, user: user.userReference, ifVersion: version))
    }

    /// Sets a user's manager.
    @discardableResult
    public func setManager(
        _ manager: some UserReferenceConvertible, of user: some UserReferenceConvertible,
        ifVersion version: Int64? = nil
    ) throws -> User {
        try setManager(Optional(manager.userReference), of: user, ifVersion: version)
    }

    /// Sets a user's manager, as the synchronous form does.
    @discardableResult
    public func setManager(
        _ manager: some UserReferenceConvertible, of user: some UserReferenceConvertible,
        ifVersion version: Int64? = nil
    ) async throws -> User {
        try await setManager(Optional(manager.userReference), of: user, ifVersion: version)
    }
}

/// The end of a chain of managers before the top.
public enum ChainEnd: Sendable, Hashable, Codable {
    /// Ends at this user.
    case user(UserReference)
    /// Ends at the first user with this title. Case, width and composition do not matter.
    case title(String)

    /// Ends at this user.
    @_disfavoredOverload
    public static func user(_ user: some UserReferenceConvertible) -> ChainEnd { .user(user.userReference) }
}

/// Queries that start at a fetched user.
extension User {
    /// The manager, prefetched or fetched now; nil at the top (`getManager:`).
    public func manager() throws -> User? {
        if let prefetchedManager { return prefetchedManager.first }
        return try view.users.manager(of: .id(id))
    }

    /// The manager, as the synchronous form does.
    public func manager() async throws -> User? {
        if let prefetchedManager { return prefetchedManager.first }
        return try await view.users.manager(of: .id(id))
    }

    /// The direct reportees, fetched with these attributes (`getReporteesWithAttributes:returningError:`).
    public func reportees(attributes: AttributeSelection = .usual) throws -> [User] {
        if attributes == .usual, let prefetchedReportees, prefetchedReportees.count < DirectoryLimits.maximumPageSize {
            return prefetchedReportees
        }
        return try view.users.reportees(of: .id(id), attributes: attributes)
    }

    /// The direct reportees, as the synchronous form does.
    public func reportees(attributes: AttributeSelection = .usual) async throws -> [User] {
        if attributes == .usual, let prefetchedReportees, prefetchedReportees.count < DirectoryLimits.maximumPageSize {
            return prefetchedReportees
        }
        return try await view.users.reportees(of: .id(id), attributes: attributes)
    }

    /// The value of an attribute, fetched now if necessary; nil if there is none (`getAttribute:returningError:`).
    public func attribute(_ name: AttributeName) throws -> AttributeValue? {
        if isFetched(name) { return self[name] }
        return try view.users.user(.id(id), attributes: [name])[name]
    }

    /// The value of an attribute, as the synchronous form does.
    public func attribute(_ name: AttributeName) async throws -> AttributeValue? {
        if isFetched(name) { return self[name] }
        return try await view.users.user(.id(id), attributes: [name])[name]
    }
}
