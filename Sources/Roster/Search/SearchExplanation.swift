import RosterStore

/// The way in which a directory answers a search, as `explain(_:)` of ``UserManager`` tells it.
public struct SearchExplanation: Sendable, Hashable, Codable {
    /// The way to the first page, and the way to the total, in words.
    public let lines: [String]
    /// Whether the directory has to read every user, unless a page is full before.
    public let readsEverybody: Bool
    /// The attributes whose index would answer the filter. `index(_:)` of ``AttributeManager`` makes one.
    public let helpfulIndexes: [AttributeName]
}

extension SearchExplanation: WireValue {}

extension UserManager {
    /// Tells how the directory answers a search, and which index would help. Nothing is searched; candidates are counted up to
    /// some thousand.
    ///
    /// - Throws: The errors of the search.
    public func explain(_ search: Search) throws -> SearchExplanation {
        try view.read(ExplainSearch(search: search))
    }

    /// Tells how the directory answers a search, as the synchronous form does.
    public func explain(_ search: Search) async throws -> SearchExplanation {
        try await view.read(ExplainSearch(search: search))
    }
}

/// Carries a call of `explain(_:)` of ``UserManager``.
struct ExplainSearch: ReadOperation {
    static let name = "explainSearch"
    let search: Search

    func run(in transaction: Transaction) throws -> SearchExplanation { try transaction.search.explain(search) }
}

extension TransactionSearch {
    fileprivate func explain(_ search: Search) throws -> SearchExplanation {
        let query = try SearchQuery(search.filter, sort: search.sort, of: .user, transaction)
        let (first, isBounded) = try firstPlan(query)
        let forTotal = try SearchPlan(query, accessForCounting(query), transaction)
        var lines = ["Page: \(first.access.words(of: query))" + (isBounded ? ", for some thousand rows at most" : "")]
        if isBounded { lines.append("Then: \(forTotal.access.words(of: query))") }
        lines.append("Total: \(forTotal.access.words(of: query))")
        var helpful: [AttributeName] = []
        if query.candidates.isEmpty { query.filter.addUnindexed(to: &helpful, transaction) }
        return SearchExplanation(
            lines: lines, readsEverybody: forTotal.readsAll && !query.isUnfiltered, helpfulIndexes: helpful)
    }
}

extension SearchPlan.Access {
    /// The way in words.
    fileprivate func words(of query: SearchQuery) -> String {
        let order = query.order.first.map { "the order of '\($0.attribute)'" } ?? "the order of creation"
        let rest = query.rest(of: self)
        let checks = rest == .everything ? "" : "; each is checked for: \(rest.outline)"
        switch self {
        case .all where query.isUnfiltered: return "everybody, in \(order)"
        case .all: return "everybody is read, in \(order)\(checks)"
        case .walk: return "users are read in \(order)\(checks)"
        case .candidates(let candidates, _): return "\(candidates.name) finds the users\(checks)"
        }
    }
}

extension Filter {
    /// Adds the attributes that could be given an index for the filter.
    fileprivate func addUnindexed(to names: inout [AttributeName], _ transaction: Transaction) {
        switch self {
        case .compare(let path, let comparison, _):
            guard ![.notEqual, .contains, .ends].contains(comparison),
                let definition = transaction.vocabulary.indexable(path), !names.contains(definition.name)
            else { return }
            names.append(definition.name)
        case .element(let name, .and(let filters)):
            for case .compare(let path, .equal, let value) in filters {
                Filter.compare(AttributePath(name, part: path.partName), .equal, value)
                    .addUnindexed(to: &names, transaction)
            }
        case .element(let name, .compare(let path, let comparison, let value)):
            Filter.compare(AttributePath(name, part: path.partName), comparison, value)
                .addUnindexed(to: &names, transaction)
        case .and(let filters), .or(let filters): for filter in filters { filter.addUnindexed(to: &names, transaction) }
        case .everything, .present, .element, .not, .below: return
        }
    }
}

extension Vocabulary {
    /// The attribute that can be given an index for comparisons of a path: a declared one, a built-in one, or the view of a part.
    fileprivate func indexable(_ path: AttributePath) -> AttributeDefinition? {
        guard let definition = definition(of: path.attribute), entries(of: definition.name, part: path.part) == nil,
            !Vocabulary.system.contains(definition.name), definition.kind != .binary,
            UserKeys.columns.allSatisfy({ $0.attribute != definition.name })
        else { return nil }
        if let element = definition.element {
            return entries(of: element.attribute, part: element.part) == nil ? definition : nil
        }
        guard let part = path.part, part != "value" else { return definition }
        return definitions().first { $0.element?.attribute == definition.name && $0.element?.part == part }
    }
}
