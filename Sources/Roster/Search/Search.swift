/// What is searched for, in which order, and which page of it.
public struct Search: Sendable, Hashable {
    /// In which order.
    public struct Sort: Sendable, Hashable {
        /// By which attribute: of a multi-valued one by its primary, or else its first, value.
        public var attribute: AttributeName
        /// Whether the greatest comes first.
        public var isDescending: Bool
        /// By an attribute, the least first unless said otherwise. Those without a value come last, and first in
        /// descending order (RFC 7644, section 3.4.2.3). Equal ones are in the order of creation,
        /// and in descending order the other way round.
        public init(_ attribute: AttributeName, descending: Bool = false) {
            self.attribute = attribute
            isDescending = descending
        }
    }

    /// Where a page begins.
    public enum Start: Sendable, Hashable {
        /// At the beginning of a page, counted from 1 (`pagePosition`).
        case page(Int)
        /// After so many of them.
        case offset(Int)
        /// After the page that handed out the cursor. Neither skips nor repeats anyone who stays in the directory and
        /// keeps the value that is sorted by, whatever others write meanwhile; costs the same for every page.
        case cursor(Cursor)

        var isCursor: Bool {
            if case .cursor = self { return true }
            return false
        }
    }

    /// Who is meant.
    public var filter: Filter
    /// In which order; nil for the one that costs least, which stays the same for the same filter.
    public var sort: Sort?
    /// Which attributes to fetch; none for the usual ones.
    public var attributes: [AttributeName]
    /// How many on a page, 0 to 10,000; 0 with ``includesTotal`` only counts.
    public var pageSize: Int
    /// Where the page begins.
    public var start: Start
    /// Whom to fetch along with each user.
    public var prefetch: Prefetch
    /// Whether the exact number of all who are meant is wanted, which may cost more than the page.
    public var includesTotal: Bool

    /// Describes a search.
    public init(
        _ filter: Filter = .everything, sortedBy sort: Sort? = nil, attributes: [AttributeName] = [],
        pageSize: Int = 50, from start: Start = .page(1), prefetch: Prefetch = [], includesTotal: Bool = false
    ) {
        self.filter = filter
        self.sort = sort
        self.attributes = attributes
        self.pageSize = pageSize
        self.start = start
        self.prefetch = prefetch
        self.includesTotal = includesTotal
    }
}

/// One page of a search.
public struct Page<Element: Sendable>: Sendable {
    /// Who is on it.
    public let elements: [Element]
    /// How many there are in all, where that was asked for.
    public let total: Int?
    /// Where the next page begins; nil on the last one.
    public let next: Cursor?
}

extension Page: Equatable where Element: Equatable {}

/// The place in a search where the next page begins. Opaque text, to be given back with the same filter and order.
public struct Cursor: Sendable, Hashable, CustomStringConvertible {
    /// The text form, of letters, digits, `-`, `_` and `.`.
    public let description: String
    /// Takes the text form; what is no cursor is refused by the search.
    public init(_ text: String) { description = text }
}

extension UserManager {
    /// Searches users.
    ///
    /// - Throws: `invalidFilter`, `invalidPage`, `invalidCursor`, `invalidAttribute`, `limitExceeded` where it takes
    ///   too long.
    public func search(_ search: Search) throws -> Page<User> {
        try view.read(isBrief: false) { try $0.search(search) }
    }

    /// Searches users, as the synchronous form does.
    public func search(_ search: Search) async throws -> Page<User> {
        try await view.awaitRead { try $0.search(search) }
    }

    /// Searches users as the mirrored module does
    /// (`searchUsersWithFilter:isSimpleSearch:attributesToBeFetched:pageSize:pagePosition:error:`).
    ///
    /// - Parameters:
    ///   - filter: Attribute names and values, under any protocol's name for the attribute; a `*` at either end of a
    ///     value stands for any text. None for everyone.
    ///   - isSimpleSearch: Whether all of the conditions must hold. No source says which way round the module has it:
    ///     this is our choice. False: one of them is enough.
    ///   - attributes: Which to fetch; none for the usual ones.
    ///   - pageSize: How many on a page, 1 to 10,000.
    ///   - pagePosition: Which page, counted from 1 (our choice as well).
    ///   - prefetch: Whom to fetch along with each user.
    public func search(
        _ filter: [String: String], isSimpleSearch: Bool, attributes: [AttributeName] = [], pageSize: Int,
        pagePosition: Int, prefetch: Prefetch = []
    ) throws -> [User] {
        try view.read(isBrief: false) { transaction in
            let filter = try Filter(matching: filter, isSimpleSearch: isSimpleSearch, transaction.vocabulary)
            return try transaction.search(
                Search(
                    filter, attributes: attributes, pageSize: pageSize, from: .page(pagePosition), prefetch: prefetch)
            ).elements
        }
    }

    /// Searches users as the mirrored module does; see the synchronous form.
    public func search(
        _ filter: [String: String], isSimpleSearch: Bool, attributes: [AttributeName] = [], pageSize: Int,
        pagePosition: Int, prefetch: Prefetch = []
    ) async throws -> [User] {
        try await view.awaitRead { transaction in
            let filter = try Filter(matching: filter, isSimpleSearch: isSimpleSearch, transaction.vocabulary)
            return try transaction.search(
                Search(
                    filter, attributes: attributes, pageSize: pageSize, from: .page(pagePosition), prefetch: prefetch)
            ).elements
        }
    }
}

extension RoleManager {
    /// Searches roles. ``Search/prefetch`` means nothing here.
    public func search(_ search: Search) throws -> Page<Role> {
        try view.read(isBrief: false) { try $0.searchRoles(search) }
    }
    /// Searches roles, as the synchronous form does.
    public func search(_ search: Search) async throws -> Page<Role> {
        try await view.awaitRead { try $0.searchRoles(search) }
    }
}

extension Filter {
    /// The mirrored module's dictionary filter.
    init(matching conditions: [String: String], isSimpleSearch: Bool, _ vocabulary: Vocabulary) throws {
        try self.init(
            matching: conditions.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }, in: nil, for: .user,
            isSimpleSearch: isSimpleSearch, vocabulary)
    }

    /// The mirrored service's conditions, of which one name may stand in several.
    package init(
        matching conditions: [(String, String)], in space: AttributeDefinition.NameSpace?,
        for entity: AttributeDefinition.Entity, isSimpleSearch: Bool, _ vocabulary: Vocabulary
    ) throws {
        let filters = try conditions.map { name, pattern in
            guard let definition = vocabulary.definition(named: name, in: space, for: entity) else {
                throw DirectoryError(
                    .invalidFilter, "There is no attribute \(EntityName.shown(name)).", advice: "Check the spelling.",
                    attribute: AttributeName(name))
            }
            return Filter(AttributePath(definition.name), matching: pattern, definition)
        }
        self = filters.isEmpty ? .everything : isSimpleSearch ? .and(filters) : .or(filters)
    }

    /// Compares with a value that may have a `*` at either end.
    private init(_ path: AttributePath, matching pattern: String, _ definition: AttributeDefinition) {
        var text = Substring(pattern)
        let isOpenStart = text.hasPrefix("*")
        let isOpenEnd = text.count > 1 && text.hasSuffix("*")
        if isOpenStart { text.removeFirst() }
        if isOpenEnd { text.removeLast() }
        switch (isOpenStart, isOpenEnd) {
        case (true, _) where text.isEmpty: self = .present(path)
        case (true, true): self = path.contains(String(text))
        case (true, false): self = path.ends(String(text))
        case (false, true): self = path.starts(String(text))
        case (false, false):
            let value: AttributeValue =
                switch definition.kind {
                case .boolean: Bool(text.lowercased()).map { .boolean($0) } ?? .string(pattern)
                case .integer: Int64(text).map { .integer($0) } ?? .string(pattern)
                case .decimal: Double(text).map { .decimal($0) } ?? .string(pattern)
                default: .string(pattern)
                }
            self = path.equals(value)
        }
    }
}
