/// A search: the filter, the order, and the page.
public struct Search: Sendable, Hashable, Codable {
    /// The order of the results.
    public struct Sort: Sendable, Hashable, Codable {
        /// The attribute that sorts the results. A multi-valued attribute sorts by its primary value, or else by its
        /// first one.
        public var attribute: AttributeName
        /// Whether the greatest value comes first.
        public var isDescending: Bool
        /// Sorts by an attribute, with the least value first by default. Results without a value come last,
        /// and first in descending order (RFC 7644, section 3.4.2.3).
        ///
        /// Text sorts by base letters first, then by accents, then by case: `Äb`, `Ärger`, `éa`, `Öl`, `Ost`, `ße`,
        /// `Zoe`; `anna` before `Anna`. No language has rules of its own, and digits are compared one by one.
        public init(_ attribute: AttributeName, descending: Bool = false) {
            self.attribute = attribute
            isDescending = descending
        }
    }

    /// The start of a page.
    public enum Start: Sendable, Hashable, Codable {
        /// The page with that number, from 1 (`pagePosition`).
        case page(Int)
        /// The page after so many results.
        case offset(Int)
        /// The page after the one that has the cursor. Pages by cursor neither skip nor repeat a result that stays in
        /// the directory and keeps the value that sorts it, whatever others write meanwhile. Each page costs the same.
        case cursor(Cursor)

        var isCursor: Bool {
            if case .cursor = self { return true }
            return false
        }
    }

    /// The filter that selects users or roles.
    public var filter: Filter
    /// The order: by the first attribute, then by the second one, and so on. Results that are equal in all of them stand
    /// in the order of creation, and the other way round if the first attribute sorts in descending order. An empty
    /// array represents the order that costs least, which stays the same for the same filter.
    ///
    /// An index orders results by the first attribute if it is the name, a built-in attribute of a name, the title, the
    /// department or the employee number. Results that are equal in it are then sorted for each page, so that a page
    /// costs more if many results are equal in the first attribute. Any other first attribute sorts all results for
    /// each page.
    public var sort: [Sort]
    /// The attributes to fetch; ``AttributeSelection/usual`` by default.
    public var attributes: AttributeSelection
    /// The size of the page, from 0 to 10,000. A search with the size 0 and ``includesTotal`` only counts.
    public var pageSize: Int
    /// The start of the page.
    public var start: Start
    /// The related users to fetch with each user.
    public var prefetch: Prefetch
    /// Whether the page tells the exact number of all results, which can cost more than the page.
    public var includesTotal: Bool

    /// Makes a search.
    public init(
        _ filter: Filter = .everything, sortedBy sort: [Sort] = [], attributes: AttributeSelection = .usual,
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

    /// Makes a search that sorts by one attribute, or by none.
    public init(
        _ filter: Filter = .everything, sortedBy sort: Sort?, attributes: AttributeSelection = .usual,
        pageSize: Int = 50, from start: Start = .page(1), prefetch: Prefetch = [], includesTotal: Bool = false
    ) {
        self.init(
            filter, sortedBy: sort.map { [$0] } ?? [], attributes: attributes, pageSize: pageSize, from: start,
            prefetch: prefetch,
            includesTotal: includesTotal)
    }

    /// The largest number of attributes that sort results.
    static let maximumSortKeys = 8
}

/// One page of a search.
public struct Page<Element: Sendable>: Sendable {
    /// The users or roles on the page.
    public let elements: [Element]
    /// The number of all results if the search asked for it.
    public let total: Int?
    /// The start of the next page; nil on the last page.
    public let next: Cursor?
}

extension Page: Equatable where Element: Equatable {}

/// The start of the next page of a search. Give this opaque text back with the same filter and order.
public struct Cursor: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The text form, which has letters, digits, `-`, `_` and `.`.
    public let description: String
    /// Takes the text form. The search refuses text that is not a cursor.
    public init(_ text: String) { description = text }
}

extension UserManager {
    /// Searches users.
    ///
    /// - Throws: `invalidFilter`, `invalidPage`, `invalidCursor`, `invalidAttribute`, or `limitExceeded` if the search
    ///   takes too long.
    public func search(_ search: Search) throws -> Page<User> {
        try view.read(SearchUsers(search: search))
    }

    /// Searches users, as the synchronous form does.
    public func search(_ search: Search) async throws -> Page<User> {
        try await view.read(SearchUsers(search: search))
    }

    /// Searches users as Oracle Mobile and Social SDK's `OMUserManager` does
    /// (`searchUsersWithFilter:isSimpleSearch:attributesToBeFetched:pageSize:pagePosition:error:`).
    ///
    /// - Parameters:
    ///   - filter: The names of attributes and their values. A name can be any protocol's name for the attribute. A `*`
    ///     in a value matches any text. An empty filter selects all users.
    ///   - isSimpleSearch: `true` combines the conditions with AND, `false` with OR. No source tells which of the two
    ///     the SDK means by it, so this is our choice.
    ///   - attributes: The attributes to fetch; ``AttributeSelection/usual`` by default.
    ///   - pageSize: The size of the page, from 1 to 10,000.
    ///   - pagePosition: The number of the page, from 1, which is our choice as well.
    ///   - prefetch: The related users to fetch with each user.
    public func search(
        _ filter: [String: String], isSimpleSearch: Bool, attributes: AttributeSelection = .usual, pageSize: Int,
        pagePosition: Int, prefetch: Prefetch = []
    ) throws -> [User] {
        try view.read(
            SearchUsersByText(
                filter: filter, isSimpleSearch: isSimpleSearch, attributes: attributes, pageSize: pageSize,
                pagePosition: pagePosition, prefetch: prefetch))
    }

    /// Searches users as Oracle Mobile and Social SDK's `OMUserManager` does; see the synchronous form.
    public func search(
        _ filter: [String: String], isSimpleSearch: Bool, attributes: AttributeSelection = .usual, pageSize: Int,
        pagePosition: Int, prefetch: Prefetch = []
    ) async throws -> [User] {
        try await view.read(
            SearchUsersByText(
                filter: filter, isSimpleSearch: isSimpleSearch, attributes: attributes, pageSize: pageSize,
                pagePosition: pagePosition, prefetch: prefetch))
    }
}

extension RoleManager {
    /// Searches roles. ``Search/prefetch`` has no effect.
    public func search(_ search: Search) throws -> Page<Role> {
        try view.read(SearchRoles(search: search))
    }
    /// Searches roles, as the synchronous form does.
    public func search(_ search: Search) async throws -> Page<Role> {
        try await view.read(SearchRoles(search: search))
    }
}

extension Filter {
    /// Makes a filter of the dictionary that Oracle Mobile and Social SDK uses.
    init(matching conditions: [String: String], isSimpleSearch: Bool, _ vocabulary: Vocabulary) throws {
        try self.init(
            matching: conditions.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }, in: nil, for: .user,
            isSimpleSearch: isSimpleSearch, vocabulary)
    }

    /// Makes a filter of conditions of Oracle's identity service, of which several can have the same name.
    package init(
        matching conditions: [(String, String)], in space: AttributeDefinition.NameSpace?,
        for entity: AttributeDefinition.Entity, isSimpleSearch: Bool, _ vocabulary: Vocabulary
    ) throws {
        let filters = try conditions.map { name, pattern in
            guard let definition = vocabulary.definition(named: name, in: space, for: entity) else {
                throw DirectoryError(
                    .invalidFilter, "There is no attribute \(EntityName.shown(name)).",
                    advice: Vocabulary.advice(
                        vocabulary.similar(to: name, among: vocabulary.definitions(for: entity)), "Check the spelling."
                    ),
                    attribute: AttributeName(name))
            }
            return Filter(AttributePath(definition.name), matching: pattern, definition)
        }
        self = filters.isEmpty ? .everything : isSimpleSearch ? .and(filters) : .or(filters)
    }

    /// Makes a comparison with a value in which each `*` matches any text.
    private init(_ path: AttributePath, matching pattern: String, _ definition: AttributeDefinition) {
        let pieces = pattern.split(separator: "*", omittingEmptySubsequences: false).map(String.init)
        guard let first = pieces.first, let last = pieces.last, pieces.count > 1 else {
            let value: AttributeValue =
                switch definition.kind {
                case .boolean, .integer, .decimal: definition.kind.value(of: pattern) ?? .string(pattern)
                default: .string(pattern)
                }
            self = path.equals(value)
            return
        }
        var conditions = pieces.dropFirst().dropLast().filter { !$0.isEmpty }.map { path.contains($0) }
        if !first.isEmpty { conditions.insert(path.starts(first), at: 0) }
        if !last.isEmpty { conditions.append(path.ends(last)) }
        self = conditions.isEmpty ? .present(path) : conditions.count == 1 ? conditions[0] : .and(conditions)
    }
}
