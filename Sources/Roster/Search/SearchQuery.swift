import RosterStore
import RosterText

/// A search before a way to find its rows is chosen: the parts of its filter, its order, and the indexes that find candidates.
struct SearchQuery {
    let entity: AttributeDefinition.Entity
    let filter: Filter
    /// The filters that all have to be satisfied.
    let parts: [Filter]
    /// The order of the results, or else the order that costs least.
    let order: [Search.Sort]
    /// Whether the order was chosen because it costs least.
    let isNaturallyOrdered: Bool
    /// The candidates of each part that has an index.
    let candidates: [(part: Int, candidates: Candidates)]
    /// The column of the first attribute of the order; nil for the identifier, and for an attribute without a column.
    let orderColumn: String?
    /// Whether an index has the order.
    let canWalk: Bool

    private let layout: FilterCompiler.Layout
    private let sort: [Search.Sort]
    private let caller: Caller
    private let changedRights: [AttributeRights]

    /// The most parts of a filter whose candidates are counted.
    private static let maximumCandidates = 8

    init(
        _ filter: Filter, sort: [Search.Sort] = [], of entity: AttributeDefinition.Entity, _ transaction: Transaction
    ) throws {
        guard sort.count <= Search.maximumSortKeys else {
            throw DirectoryError(
                .invalidFilter, "Results cannot be sorted by \(sort.count) attributes.",
                advice: "Sort by \(Search.maximumSortKeys) at most.")
        }
        let filter = filter.withOwnNames(in: transaction.vocabulary, entity)
        let form: FilterCompiler.Form = transaction.connection.kind == .sqlite ? .calling : .answered
        let compiler = FilterCompiler(entity, transaction.vocabulary, transaction.rights, form)
        (self.filter, self.entity, layout) = (filter, entity, compiler.layout)
        // The text index answers all parts about contained text at once.
        let (texts, others) = filter.parts.reduce(into: ([Filter](), [Filter]())) { lists, part in
            if entity == .user, compiler.textMatch(part) != nil { lists.0.append(part) } else { lists.1.append(part) }
        }
        let parts = texts.count > 1 ? [.and(texts)] + others : filter.parts
        self.parts = parts
        var found: [(part: Int, candidates: Candidates)] = []
        for (part, filter) in parts.enumerated() where entity == .user {
            guard let next = try compiler.candidates(filter) else { continue }
            found.append((part, next))
            // Nothing finds fewer.
            if next.isFew { break }
        }
        // Equality comes before ranges, and few are compared, so that choosing costs little whatever the filter is.
        candidates = Array(
            (0...2).flatMap { rank in found.filter { $0.candidates.rank == rank } }.prefix(Self.maximumCandidates))
        // The text index has the order of identifiers.
        let isContainedText =
            entity == .user && (compiler.textMatch(filter) != nil || parts.contains { compiler.textMatch($0) != nil })
        if sort.isEmpty, !isContainedText, let natural = Self.naturalOrder(filter, layout) {
            (order, isNaturallyOrdered) = ([natural], true)
        } else {
            (order, isNaturallyOrdered) = (sort, sort.isEmpty)
        }
        if let first = order.first {
            let definition = transaction.vocabulary.definition(of: first.attribute, for: entity)
            let stored = definition?.element?.attribute ?? definition?.name ?? first.attribute
            let own: [AttributeName] = entity == .user ? ["modified", "manager"] : []
            orderColumn = layout.columns[stored] ?? (own.contains(stored) ? stored.rawValue : nil)
            canWalk = entity == .user && (orderColumn != nil || stored == "id")
        } else {
            (orderColumn, canWalk) = (nil, entity == .user)
        }
        (self.sort, caller, changedRights) = (sort, transaction.shared.caller, transaction.vocabulary.rights)
    }

    /// The hash of the search and of the caller's rights. Only cursors and counts need it.
    var hash: FNV1a {
        var hasher = FNV1a()
        hasher.combine(filter)
        for sort in sort { hasher.combine("\(sort.attribute) \(sort.isDescending)") }
        hasher.combine("")
        hasher.combine(caller.description)
        if case .reading(_, let view) = caller {
            hasher.combine(view.role?.description ?? "")
            for name in view.attributes.sorted() { hasher.combine(name.rawValue) }
        }
        // A search finds what the caller may read, so that rights are a part of the hash.
        for rights in changedRights { hasher.combine("\(rights)") }
        hasher.combine(layout.table)
        return hasher
    }

    /// The order of the index that the filter uses, which sorts by the attribute of a prefix or a range.
    private static func naturalOrder(_ filter: Filter, _ layout: FilterCompiler.Layout) -> Search.Sort? {
        switch filter {
        case .compare(let path, .starts, _), .compare(let path, .greater, _), .compare(let path, .greaterOrEqual, _),
            .compare(let path, .less, _), .compare(let path, .lessOrEqual, _), .compare(let path, .equal, _):
            return path.part == nil && layout.columns[path.attribute] != nil ? Search.Sort(path.attribute) : nil
        case .and(let filters): return filters.lazy.compactMap { naturalOrder($0, layout) }.first
        default: return nil
        }
    }

    /// Whether the filter selects all rows.
    var isUnfiltered: Bool { parts.isEmpty }

    /// The part of the filter that is looked at for each row of a way to find rows.
    func rest(of access: SearchPlan.Access) -> Filter {
        guard case .candidates(let candidates, let part) = access, candidates.isExact else { return filter }
        var rest = parts
        rest.remove(at: part)
        return rest.isEmpty ? .everything : rest.count == 1 ? rest[0] : .and(rest)
    }

    func prepare(_ compiler: inout FilterCompiler, for access: SearchPlan.Access) {
        switch access {
        case .all: break
        case .walk: (compiler.checksRows, compiler.leadingColumn) = (true, orderColumn)
        case .candidates(let candidates, _):
            (compiler.checksRows, compiler.leadingColumn) = (true, candidates.column)
        }
    }

    /// Whether candidates come in the order of the search, so that a page reads no more of them than it needs.
    func isInOrder(_ candidates: Candidates) -> Bool {
        guard let first = order.first else { return candidates.isSorted }
        if let column = candidates.column, column == orderColumn { return true }
        return candidates.isSorted && orderColumn == nil && first.attribute == "id"
    }

    /// Whether the index of the order also finds the rows, or so few rows are found, that a way is the best one whatever the values are.
    func hasOneIndex(_ access: SearchPlan.Access) -> Bool {
        switch access {
        case .all:
            guard order.count <= 1 else { return false }
            switch filter {
            case .everything: return true
            case .compare:
                return order.first.map { $0.attribute == Self.naturalOrder(filter, layout)?.attribute } ?? false
            default: return false
            }
        case .walk: return false
        case .candidates(let candidates, _): return candidates.isFew
        }
    }
}

extension Filter {
    /// The filters that all have to be satisfied.
    fileprivate var parts: [Filter] {
        switch self {
        case .everything: []
        case .and(let filters): filters.flatMap(\.parts)
        default: [self]
        }
    }
}
