import RosterStore

/// Chooses the way to find the rows of a search. The rule: a filter costs what its most selective part costs, and a page costs what it
/// shows.
extension TransactionSearch {
    /// So few candidates are read and sorted without looking for a cheaper way.
    private static let fewCandidates = 1_000
    /// The instructions of SQLite's virtual machine after which a page is looked for in another way: some thousand rows.
    private static let stepsOfWalk = 100_000

    /// The first way to look for a page, and whether another way follows if this one reads too much.
    func firstPlan(_ query: SearchQuery) throws -> (plan: SearchPlan, isBounded: Bool) {
        func plan(_ access: SearchPlan.Access) throws -> SearchPlan { try SearchPlan(query, access, transaction) }
        guard query.entity == .user, !query.isUnfiltered else { return (try plan(.all), false) }
        let found = query.candidates
        if let few = found.first(where: \.candidates.isFew) {
            return (try plan(.candidates(few.candidates, part: few.part)), false)
        }
        guard let only = found.first else {
            let walk = query.canWalk ? try plan(.walk) : nil
            // Without conditions on other tables, both ways are the same.
            guard let walk, walk.looksElsewhere else { return (try plan(.all), false) }
            return (walk, true)
        }
        let inOrder = found.first { query.isInOrder($0.candidates) }
        if found.count == 1, inOrder != nil || !query.canWalk {
            return (try plan(.candidates(only.candidates, part: only.part)), false)
        }
        let sizes = try sizes(of: found.map(\.candidates), upTo: Self.fewCandidates)
        if let least = sizes.indices.min(by: { sizes[$0] < sizes[$1] }), sizes[least] <= Self.fewCandidates {
            return (try plan(.candidates(found[least].candidates, part: found[least].part)), false)
        }
        if let inOrder { return (try plan(.candidates(inOrder.candidates, part: inOrder.part)), true) }
        return query.canWalk ? (try plan(.walk), true) : (try plan(accessForCounting(query)), false)
    }

    /// The way that reads the fewest rows if all results are wanted.
    func accessForCounting(_ query: SearchQuery) throws -> SearchPlan.Access {
        let found = query.candidates
        guard let first = found.first(where: \.candidates.isFew) ?? found.first else { return .all }
        if found.count == 1 || first.candidates.isFew { return .candidates(first.candidates, part: first.part) }
        var limit = Self.fewCandidates
        // The candidates of each part are counted up to a limit, which grows until it is higher than the smallest number.
        while limit < 1_000_000 {
            let sizes = try sizes(of: found.map(\.candidates), upTo: limit)
            if let least = sizes.indices.min(by: { sizes[$0] < sizes[$1] }), sizes[least] <= limit {
                return .candidates(found[least].candidates, part: found[least].part)
            }
            limit *= 16
        }
        return .candidates(first.candidates, part: first.part)
    }

    /// How many candidates there are, or one more than a limit if there are more than that.
    func sizes(of candidates: [Candidates], upTo limit: Int) throws -> [Int] {
        let statement = SearchPlan.sizes(of: candidates, upTo: limit)
        var sizes: [Int] = []
        transaction.connection.plansEachRun = true
        transaction.connection.deadline = .now + DirectoryLimits.maximumSearchDuration
        defer { (transaction.connection.plansEachRun, transaction.connection.deadline) = (false, nil) }
        try transaction.connection.forEach(dynamic: statement.text, statement.bindings) { row in
            sizes = candidates.indices.map { Int(row.integer(Int32($0))) }
            return false
        }
        return sizes
    }

    /// Returns a place before the first row that two indexes of a search have in common. Returns nil if the search does not have the
    /// order of identifiers, or the filter does not have two such indexes.
    ///
    /// The users with one value can be far from the users with another value. A walk of one index to the first user with both values would
    /// then read many rows.
    func placeOfMeeting(_ query: SearchQuery, after place: SearchPlan.Place?) throws -> SearchPlan.Place? {
        guard transaction.connection.kind == .sqlite, query.order.count <= 1,
            query.order.allSatisfy({ !$0.isDescending && (query.orderColumn != nil || $0.attribute == "id") })
        else { return nil }
        var found = query.candidates.map(\.candidates).filter(\.hasNext)
        // All rows of the search have one key in the column of the order.
        let leading = found.firstIndex { query.orderColumn == nil || $0.column == query.orderColumn }
        guard found.count > 1, let leading else { return nil }
        found.swapAt(0, leading)
        guard let one = try ofOneValue(found[0]), let other = try ofOneValue(found[1]) else { return nil }
        let former = place?.id ?? 0
        let statement = SearchPlan.meeting(of: one, and: other, from: former < .max ? former + 1 : former)
        var id: Int64?
        try transaction.connection.forEach(dynamic: statement.text, statement.bindings) { row in
            id = row.optionalInteger(0)
            return false
        }
        return SearchPlan.Place(keys: query.orderColumn == nil ? [] : one.bindings, id: (id ?? .max) - 1)
    }

    /// Returns the candidates by their only key; nil if the index has several keys for their value, or none.
    private func ofOneValue(_ candidates: Candidates) throws -> Candidates? {
        guard candidates.source == nil, let column = candidates.column else { return candidates }
        let statement = SearchPlan.ends(of: candidates, column)
        var ends: [Binding] = []
        try transaction.connection.forEach(dynamic: statement.text, statement.bindings) { row in
            ends = [row.binding(0), row.binding(1)]
            return false
        }
        guard let value = ends.first, value == ends.last, value != .null else { return nil }
        return SearchPlan.having(value, in: column, of: candidates)
    }

    /// Runs a read that ends after some thousand rows on SQLite.
    ///
    /// - Returns: Whether the read has come to its end.
    func withinBound(_ body: () throws -> Void) throws -> Bool {
        guard transaction.connection.kind == .sqlite else {
            try body()
            return true
        }
        let outer = transaction.connection.stepsLeft
        let bound = min(outer ?? .max, Self.stepsOfWalk)
        transaction.connection.stepsLeft = bound
        defer {
            transaction.connection.stepsLeft = outer.map { $0 - (bound - (transaction.connection.stepsLeft ?? bound)) }
        }
        do {
            try body()
            return true
        } catch let error as StoreError where error == .tooMuch && bound < outer ?? .max {
            return false
        }
    }

    /// Counts, and tells the view of a request, that a filter had to read everybody.
    func noteReadingAll(_ query: SearchQuery) {
        guard query.entity == .user, !query.isUnfiltered else { return }
        transaction.core.searches.noteReadingAll()
        transaction.shared.notes?.add(query.filter.outline)
    }
}
