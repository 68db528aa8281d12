import Foundation
import RosterStore
import RosterText

/// The searches of a transaction.
package struct TransactionSearch {
    package let transaction: Transaction
}

extension TransactionSearch {
    /// Searches users.
    package func users(_ search: Search) throws -> Page<User> {
        let selection = try Selection(search.attributes, of: .user, transaction.vocabulary)
        if let name = Self.onlyName(in: search) { return try page(ofUserNamed: name, search, selection) }
        if transaction.connection.kind == .postgreSQL, transaction.narrowView == nil,
            selection.hasRoles || !search.prefetch.isEmpty
        {
            // Roles and managers are read for all users of the page at once.
            let found = try page(search, of: .user) { try User($0, view: transaction.view, isListed: true) }
            var users = found.elements
            try transaction.users.present(&users, selection, search.prefetch)
            return Page(elements: users, total: found.total, next: found.next)
        }
        return try page(search, of: .user) { row in
            var user = try User(row, view: transaction.view, isListed: true)
            try transaction.users.present(&user, selection)
            if !search.prefetch.isEmpty { try transaction.users.prefetch(search.prefetch, for: &user, selection) }
            return user
        }
    }

    /// Searches roles.
    package func roles(_ search: Search) throws -> Page<Role> {
        let selection = try Selection(search.attributes, of: .role, transaction.vocabulary)
        return try page(search, of: .role) { row in
            var role = try Role(row, view: transaction.view)
            try transaction.roles.present(&role, selection)
            return role
        }
    }

    /// The name if a search asks for one name and nothing else, as provisioning clients do before each change.
    private static func onlyName(in search: Search) -> String? {
        guard case .compare(let path, .equal, .string(let name)) = search.filter, path == AttributePath("uid"),
            search.sort.isEmpty, search.pageSize > 0, search.start == .page(1) || search.start == .offset(0)
        else { return nil }
        return name
    }

    /// Finds the user of that name with one look-up and no plan.
    private func page(ofUserNamed name: String, _ search: Search, _ selection: Selection) throws -> Page<User> {
        var users = try transaction.users.find(.named(name), isListed: true).map { [$0] } ?? []
        for index in users.indices {
            try transaction.users.present(&users[index], selection)
            if !search.prefetch.isEmpty {
                try transaction.users.prefetch(search.prefetch, for: &users[index], selection)
            }
        }
        return Page(elements: users, total: search.includesTotal ? users.count : nil, next: nil)
    }

    /// The number of all results of a search.
    func total(_ query: SearchQuery) throws -> Int {
        let memory = transaction.core.searches
        var hash = query.hash
        hash.combine("total")
        let digest = hash.value
        let snapshot = try transaction.connection.exactSnapshot()
        if let known = snapshot.flatMap({ memory.total(of: digest, at: $0) }) { return known }
        let total = try countAll(SearchPlan(query, accessForCounting(query), transaction), query)
        if let snapshot { memory.remember(total: total, of: digest, at: snapshot) }
        return total
    }

    private func countAll(_ plan: SearchPlan, _ query: SearchQuery) throws -> Int {
        if plan.readsAll { noteReadingAll(query) }
        if plan.candidates != nil { return try withTimeLimit(plan) { try answered(plan).count() } }
        return try count(SearchPlan.count(plan.selection), plan)
    }

    private func countOfFirstPart(after place: SearchPlan.Place?, _ plan: SearchPlan) throws -> Int {
        if plan.candidates != nil {
            return try withTimeLimit(plan) {
                try answered(plan).count(plan.isDescending ? .rowsWithoutKey : .rows, after: place)
            }
        }
        return try count(plan.countOfFirstPart(after: place, of: plan.selection), plan)
    }

    private func count(_ statement: (text: String, bindings: [Binding]), _ plan: SearchPlan) throws -> Int {
        try withTimeLimit(plan) { try transaction.connection.count(statement) }
    }

    private func answered(_ plan: SearchPlan) -> AnsweredSearch {
        AnsweredSearch(plan: plan, connection: transaction.connection, isOfUsers: plan.keyColumn == 8)
    }

    /// Reads the rows of a part after a place until `body` returns false.
    private func forEachRow(
        _ plan: SearchPlan, _ part: SearchPlan.Part, after place: SearchPlan.Place?, limit: Int,
        _ body: (borrowing Row) throws -> Bool
    ) throws {
        if plan.candidates != nil {
            return try answered(plan).forEach(part, after: place, limit: limit, offset: 0, body)
        }
        var left = limit
        var isOver = false
        for statement in plan.statements(part, after: place) where left > 0 && !isOver {
            try transaction.connection.forEach(
                dynamic: statement.text, statement.bindings + [.integer(Int64(left)), .integer(0)]
            ) { row in
                left -= 1
                isOver = try !body(row)
                return !isOver
            }
        }
    }

    /// Finds the place of a row of a part after a place, and so of a page by its number; nil if the part has fewer rows.
    ///
    /// Cost: steps over the rows before it in the index of the order, without reading the rows themselves.
    private func place(
        _ plan: SearchPlan, _ part: SearchPlan.Part, after place: SearchPlan.Place?, skipping rows: Int
    ) throws -> SearchPlan.Place? {
        var found: SearchPlan.Place?
        if plan.candidates != nil {
            try answered(plan).forEach(part, after: place, limit: 1, offset: rows) { row in
                found = plan.place(of: row)
                return false
            }
            return found
        }
        let statement = plan.statement(part, after: place, of: plan.selection, columns: "u.id")
        try transaction.connection.forEach(
            dynamic: statement.text, statement.bindings + [.integer(1), .integer(Int64(rows))]
        ) { row in
            found = plan.place(of: row, keysFrom: 1)
            return false
        }
        return found
    }

    func withTimeLimit<Value>(_ plan: SearchPlan, _ body: () throws -> Value) throws -> Value {
        if !plan.residuals.all.isEmpty {
            transaction.connection.rowFunction = plan.residuals.rowFunction(on: transaction.connection)
        }
        transaction.connection.deadline = .now + DirectoryLimits.maximumSearchDuration
        transaction.connection.plansEachRun = !plan.hasOneIndex
        defer {
            transaction.connection.rowFunction = nil
            transaction.connection.deadline = nil
            transaction.connection.plansEachRun = false
        }
        return try body()
    }

    // Inlined, so that each caller has a form for its own elements, which are not copied for each row.
    @inline(__always)
    private func page<Element: Sendable>(
        _ search: Search, of entity: AttributeDefinition.Entity, decode: (borrowing Row) throws -> Element
    ) throws -> Page<Element> {
        guard (0...DirectoryLimits.maximumPageSize).contains(search.pageSize) else {
            throw DirectoryError(
                .invalidPage, "A page of \(search.pageSize) is not possible.",
                advice: "Ask for 0 to \(DirectoryLimits.maximumPageSize).")
        }
        let query = try SearchQuery(search.filter, sort: search.sort, of: entity, transaction)
        let reader = try read(search, query, decode)
        let (plan, memory) = (reader.plan, transaction.core.searches)
        if let snapshot = try transaction.connection.exactSnapshot(), !search.start.isCursor {
            if let mark = reader.mark { memory.remember(mark, at: reader.offset, of: plan.digest, at: snapshot) }
            if let last = reader.last {
                memory.remember(last, at: reader.offset + reader.elements.count, of: plan.digest, at: snapshot)
            }
        }
        var total: Int?
        if search.includesTotal {
            // The last page tells the total without counting.
            let isLast = !search.start.isCursor && !reader.hasMore && search.pageSize > 0
            total =
                isLast && (reader.offset == 0 || !reader.elements.isEmpty)
                ? reader.offset + reader.elements.count : try self.total(query)
        }
        return Page(
            elements: reader.elements, total: total,
            next: reader.hasMore ? reader.last.map(plan.cursor(after:)) : nil)
    }

    /// Reads a page by the first way that finds it without reading too much.
    @inline(__always)
    private func read<Element: Sendable>(
        _ search: Search, _ query: SearchQuery, _ decode: (borrowing Row) throws -> Element
    ) throws -> PageReader<Element> {
        guard search.pageSize > 0 else {
            return try pageReader(search, SearchPlan(query, .all, transaction), Element.self)
        }
        var (plan, isBounded) = try firstPlan(query)
        if isBounded {
            var reader = try pageReader(search, plan, Element.self)
            let meeting = try placeOfMeeting(query, after: reader.start)
            reader.start = meeting ?? reader.start
            let isAtEnd = try withinBound { try read(&reader, decode) }
            if isAtEnd, reader.hasMore || plan.selection.bound == nil { return reader }
            plan = try SearchPlan(query, accessForCounting(query), transaction)
            var next = try pageReader(search, plan, Element.self)
            next.start = meeting ?? next.start
            try read(&next, decode)
            if plan.readsAll, !next.hasMore || !query.canWalk { noteReadingAll(query) }
            return next
        }
        var reader = try pageReader(search, plan, Element.self)
        try read(&reader, decode)
        if plan.readsAll, !reader.hasMore || !query.canWalk { noteReadingAll(query) }
        return reader
    }

    private func pageReader<Element: Sendable>(
        _ search: Search, _ plan: SearchPlan, _: Element.Type
    ) throws -> PageReader<Element> {
        var reader = PageReader<Element>(plan: plan, wanted: search.pageSize, offset: try Self.offset(of: search))
        if case .cursor(let cursor) = search.start { reader.start = try plan.place(of: cursor) }
        // The first page needs no snapshot, for which a server would have to be asked.
        if reader.offset > 0, let snapshot = try transaction.connection.exactSnapshot() {
            // Behind a place each row is compared with the place, which takes five times as long as a step from the beginning.
            if let mark = transaction.core.searches.mark(notBeyond: reader.offset, of: plan.digest, at: snapshot),
                mark.offset >= reader.offset / 5 * 4
            {
                reader.start = mark.place
                reader.toSkip = reader.offset - mark.offset
            }
        }
        return reader
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
            let (offset, isTooFar) = (max(page, 1) - 1).multipliedReportingOverflow(by: search.pageSize)
            guard page >= 1, !isTooFar else {
                throw DirectoryError(.invalidPage, "There is no page \(page).", advice: "Pages are counted from 1.")
            }
            return offset
        }
    }

    /// Reads a page from the two parts of the order: the rows that have a value to sort by, and the rows that have
    /// none. The direction decides which part comes first.
    @inline(__always)
    private func read<Element>(
        _ reader: inout PageReader<Element>, _ decode: (borrowing Row) throws -> Element
    ) throws {
        let plan = reader.plan
        guard plan.hasTwoParts else { return try read(&reader, .rows, decode) }
        let isInSecondPart = reader.start.map { ($0.keys.first == .null) != plan.isDescending } ?? false
        if !isInSecondPart {
            let skipped = reader.toSkip
            try read(&reader, plan.isDescending ? .rowsWithoutKey : .rows, decode)
            // A walk with a bound may have left out rows of the first part.
            if reader.hasMore || plan.selection.bound != nil { return }
            if skipped > 0, reader.toSkip > 0 {
                // The first part ended before the page, so that the rest of the rows to skip is in the second part.
                reader.toSkip -= min(reader.toSkip, try countOfFirstPart(after: reader.start, plan))
            }
            reader.start = nil
        }
        try read(&reader, plan.isDescending ? .rows : .rowsWithoutKey, decode)
    }

    @inline(__always)
    private func read<Element>(
        _ reader: inout PageReader<Element>, _ part: SearchPlan.Part,
        _ decode: (borrowing Row) throws -> Element
    ) throws {
        let plan = reader.plan
        try withTimeLimit(plan) {
            if reader.toSkip > 0 {
                guard let mark = try place(plan, part, after: reader.start, skipping: reader.toSkip - 1) else { return }
                (reader.mark, reader.start, reader.toSkip) = (mark, mark, 0)
            }
            // Another row tells whether there is a next page.
            let limit = reader.wanted - reader.elements.count + 1
            try forEachRow(plan, part, after: reader.start, limit: limit) { row in
                if reader.elements.count == reader.wanted {
                    reader.hasMore = true
                    return false
                }
                reader.elements.append(try decode(row))
                if reader.elements.count == reader.wanted { reader.last = reader.plan.place(of: row) }
                return true
            }
        }
    }
}

/// The state of reading a page.
private struct PageReader<Element> {
    let plan: SearchPlan
    let wanted: Int
    /// The number of results before the page.
    let offset: Int

    /// The place from which rows are read, and the number of rows after it that are left out.
    var start: SearchPlan.Place?
    var toSkip: Int
    /// The place of the last row before the page, so that the page is found at once the next time.
    var mark: SearchPlan.Place?

    var elements: [Element] = []
    /// The last row of a full page.
    var last: SearchPlan.Place?
    var hasMore = false

    init(plan: SearchPlan, wanted: Int, offset: Int) {
        self.plan = plan
        self.wanted = wanted
        self.offset = offset
        toSkip = offset
        elements.reserveCapacity(min(wanted, 1_000))
    }
}
