import Foundation

extension Session {
    func search(_ search: Search) throws -> Page<User> {
        let selection = try Selection(search.attributes, of: .user, vocabulary)
        return try page(search, of: .user) { row in
            var user = try User(row, view: view)
            try present(&user, selection)
            if !search.prefetch.isEmpty { try prefetch(search.prefetch, for: &user, selection) }
            return (user, row.binding(8))
        } id: { $0.id.rawValue }
    }

    func searchRoles(_ search: Search) throws -> Page<Role> {
        let selection = try Selection(search.attributes, of: .role, vocabulary)
        return try page(search, of: .role) { row in
            var role = try Role(row, view: view)
            try present(&role, selection)
            return (role, row.binding(6))
        } id: { $0.id.rawValue }
    }

    /// How many a plan finds.
    func total(_ plan: SearchPlan) throws -> Int {
        let memory = view.core.searches
        if let snapshot = connection.snapshot, let total = memory.total(of: plan.digest, at: snapshot) { return total }
        let total = try count(plan.count(), plan)
        if let snapshot = connection.snapshot { memory.remember(total: total, of: plan.digest, at: snapshot) }
        return total
    }

    private func count(_ text: String, _ plan: SearchPlan) throws -> Int {
        var count = 0
        try withTimeLimit(plan) {
            try connection.forEach(dynamic: text, plan.bindings) { row in
                count = Int(row.integer(0))
                return false
            }
        }
        return count
    }

    private func withTimeLimit(_ plan: SearchPlan, _ body: () throws -> Void) throws {
        connection.residuals = plan.residuals
        connection.deadline = .now + DirectoryLimits.maximumSearchDuration
        defer {
            connection.residuals = []
            connection.deadline = nil
        }
        try body()
    }

    private func page<Element: Sendable>(
        _ search: Search, of entity: AttributeDefinition.Entity,
        decode: (borrowing Row) throws -> (Element, Binding), id: (Element) -> Int64
    ) throws -> Page<Element> {
        guard (0...DirectoryLimits.maximumPageSize).contains(search.pageSize) else {
            throw DirectoryError(
                .invalidPage, "A page of \(search.pageSize) cannot be had.",
                advice: "Ask for 0 to \(DirectoryLimits.maximumPageSize).")
        }
        let plan = try SearchPlan(search.filter, sort: search.sort, of: entity, self)
        var offset = try Self.offset(of: search)
        var reader = PageReader<Element>(plan: plan, wanted: search.pageSize)
        let startsAt = offset
        switch search.start {
        case .cursor(let cursor): reader.last = try plan.place(of: cursor)
        default:
            if let snapshot = connection.snapshot, offset > 0,
                let mark = view.core.searches.mark(notBeyond: offset, of: plan.digest, at: snapshot)
            {
                reader.last = mark.place
                offset -= mark.offset
            }
        }
        if search.pageSize > 0 { try read(&reader, skipping: offset, decode, id) }
        var next: Cursor?
        if reader.hasMore, let last = reader.last {
            next = plan.cursor(after: last)
            if let snapshot = connection.snapshot, !search.start.isCursor {
                view.core.searches.remember(
                    last, at: startsAt + reader.elements.count, of: plan.digest, at: snapshot)
            }
        }
        return Page(elements: reader.elements, total: search.includesTotal ? try total(plan) : nil, next: next)
    }

    private static func offset(of search: Search) throws -> Int {
        switch search.start {
        case .cursor: return 0
        case .offset(let offset):
            guard offset >= 0 else {
                throw DirectoryError(.invalidPage, "A page cannot begin at \(offset).", advice: "Begin at 0 or later.")
            }
            return offset
        case .page(let page):
            let (offset, isTooFar) = (page - 1).multipliedReportingOverflow(by: search.pageSize)
            guard page >= 1, !isTooFar else {
                throw DirectoryError(.invalidPage, "There is no page \(page).", advice: "Pages are counted from 1.")
            }
            return offset
        }
    }

    /// Gathers a page: from the part of the order that has a value to sort by and the part that has none, in the
    /// order that the direction asks for.
    private func read<Element>(
        _ reader: inout PageReader<Element>, skipping offset: Int, _ decode: (borrowing Row) throws -> (Element, Binding),
        _ id: (Element) -> Int64
    ) throws {
        let plan = reader.plan
        guard plan.isNullable else {
            return try read(&reader, plan.rows(after: reader.last), skipping: offset, decode, id)
        }
        let isInSecondPart = reader.last.map { ($0.key == .null) != plan.isDescending } ?? false
        var offset = offset
        if !isInSecondPart {
            let first = plan.isDescending ? plan.rowsWithoutKey(after: reader.last) : plan.rows(after: reader.last)
            try read(&reader, first, skipping: offset, decode, id)
            if reader.hasMore { return }
            if reader.elements.isEmpty, offset > 0, reader.last == nil {
                offset -= min(offset, try count(plan.countOfFirstPart(), plan))
            } else {
                offset = 0
            }
        }
        let place = isInSecondPart ? reader.last : nil
        let second = plan.isDescending ? plan.rows(after: place) : plan.rowsWithoutKey(after: place)
        try read(&reader, second, skipping: offset, decode, id)
    }

    private func read<Element>(
        _ reader: inout PageReader<Element>, _ statement: (text: String, bindings: [Binding]), skipping offset: Int,
        _ decode: (borrowing Row) throws -> (Element, Binding), _ id: (Element) -> Int64
    ) throws {
        // One more than wanted tells whether there is a next page.
        let limit = reader.wanted - reader.elements.count + 1
        let bindings = statement.bindings + [.integer(Int64(limit)), .integer(Int64(offset))]
        try withTimeLimit(reader.plan) {
            try connection.forEach(dynamic: statement.text, bindings) { row in
                if reader.elements.count == reader.wanted {
                    reader.hasMore = true
                    return false
                }
                let (element, key) = try decode(row)
                reader.elements.append(element)
                reader.last = SearchPlan.Place(key: key, id: id(element))
                return true
            }
        }
    }
}

/// A page while it is gathered.
private struct PageReader<Element> {
    let plan: SearchPlan
    let wanted: Int
    var elements: [Element] = []
    var last: SearchPlan.Place?
    var hasMore = false
}
