import RosterStore
import RosterText

/// A search with residuals on PostgreSQL, which calls no function of ours. The residuals of some hundred to thousand candidates are
/// answered here, then the statement is told for which rows each of them holds.
struct AnsweredSearch {
    let plan: SearchPlan
    let connection: Connection
    let isOfUsers: Bool

    /// The number of candidates that are asked about at once: few for a page that is full soon, then more, so that a search through
    /// everybody takes few trips to the server.
    private static let (firstChunk, largestChunk) = (500, 4_000)

    /// Reads the rows of a part after a place, without the first ones, until `body` returns false.
    ///
    /// Cost: the candidates up to the last row; all candidates if a residual sorts the rows.
    func forEach(
        _ part: SearchPlan.Part, after place: SearchPlan.Place?, limit: Int, offset: Int,
        _ body: (borrowing Row) throws -> Bool
    ) throws {
        if plan.hasResidualKey { return try forEachSorted(part, after: place, limit, offset, body) }
        var (left, toSkip) = (limit, offset)
        try forEachChunk(part, after: place) { answers in
            let selection = selection(answers)
            let statement = plan.statement(part, after: nil, of: selection)
            var isDone = left == 0
            try connection.forEach(
                dynamic: statement.text, statement.bindings + [.integer(Int64(answers.ids.count)), .integer(0)]
            ) { row in
                if toSkip > 0 {
                    toSkip -= 1
                    return true
                }
                left -= 1
                isDone = try !body(row) || left == 0
                return !isDone
            }
            return !isDone
        }
    }

    /// Counts the rows of a part after a place.
    func count(_ part: SearchPlan.Part = .everything, after place: SearchPlan.Place? = nil) throws -> Int {
        if plan.hasResidualKey, part != .everything {
            let selection = try sortedSelection()
            return try connection.count(plan.countOfFirstPart(after: place, of: selection))
        }
        var count = 0
        try forEachChunk(part, after: place) { answers in
            let selection = selection(answers)
            count += try connection.count(SearchPlan.count(selection))
            return true
        }
        return count
    }

    // MARK: Chunks

    /// The answers of the residuals for a chunk of candidates.
    private struct Answers {
        var ids: [Int64] = []
        /// The rows for which each residual holds, by the number of the residual.
        var holding: [Int: [Int64]] = [:]
    }

    /// Asks the residuals about chunks of candidates, until `body` returns false.
    private func forEachChunk(
        _ part: SearchPlan.Part, after place: SearchPlan.Place?, _ body: (Answers) throws -> Bool
    ) throws {
        guard let candidates = plan.candidates, let ask = connection.rowFunction else { return }
        var (place, chunk) = (place, Self.firstChunk)
        while true {
            let statement = plan.statement(part, after: place, of: candidates)
            var answers = Answers()
            try connection.forEach(
                dynamic: statement.text, statement.bindings + [.integer(Int64(chunk)), .integer(0)]
            ) { row in
                let id = row.integer(0)
                answers.ids.append(id)
                place = part == .everything ? SearchPlan.Place(keys: [], id: id) : plan.place(of: row)
                try row.bytes(isOfUsers ? 7 : 5) { text in
                    for number in plan.answerPlaces.keys where try ask(number, id, text) == .integer(1) {
                        answers.holding[number, default: []].append(id)
                    }
                }
                return true
            }
            if answers.ids.isEmpty { return }
            guard try body(answers), answers.ids.count == chunk else { return }
            chunk = min(chunk * 2, Self.largestChunk)
        }
    }

    /// The rows of a chunk that the search finds.
    private func selection(_ answers: Answers) -> SearchPlan.Selection {
        var selection = plan.selection
        (selection.bound, selection.bareCount) = (nil, nil)
        for (number, place) in plan.answerPlaces {
            selection.bindings[place] = .array(answers.holding[number] ?? [])
        }
        selection.condition = "(\(selection.condition)) AND u.id = ANY(CAST(? AS bigint[]))"
        selection.bindings.append(.array(answers.ids))
        return selection
    }

    // MARK: Order

    private func forEachSorted(
        _ part: SearchPlan.Part, after place: SearchPlan.Place?, _ limit: Int, _ offset: Int,
        _ body: (borrowing Row) throws -> Bool
    ) throws {
        let statement = plan.statement(part, after: place, of: try sortedSelection())
        try connection.forEach(
            dynamic: statement.text, statement.bindings + [.integer(Int64(limit)), .integer(Int64(offset))], body)
    }

    /// All rows that the search finds, with the keys by which residuals sort them.
    private func sortedSelection() throws -> SearchPlan.Selection {
        let numbers = plan.residuals.all.indices.filter {
            if case .key = plan.residuals.all[$0] { true } else { false }
        }
        var ids: [Int64] = []
        var keys: [[String?]] = Array(repeating: [], count: numbers.count)
        guard let ask = connection.rowFunction else { return plan.selection }
        try forEachChunk(.everything, after: nil) { answers in
            let statement = plan.statement(.everything, after: nil, of: selection(answers))
            try connection.forEach(
                dynamic: statement.text, statement.bindings + [.integer(Int64(answers.ids.count)), .integer(0)]
            ) { row in
                let id = row.integer(0)
                ids.append(id)
                try row.bytes(isOfUsers ? 7 : 5) { text in
                    for (index, number) in numbers.enumerated() {
                        keys[index].append(StoredKey.text(try ask(number, id, text)))
                    }
                }
                return true
            }
            return true
        }
        let arrays = numbers.map { _ in "CAST(? AS text[])" }
        let names = numbers.map { "key\($0)" }
        return SearchPlan.Selection(
            source: """
                \(isOfUsers ? "users" : "role") u JOIN unnest(\((["CAST(? AS bigint[])"] + arrays).joined(separator: ", "))) \
                AS k (id, \(names.joined(separator: ", "))) ON k.id = u.id
                """,
            condition: "TRUE",
            bindings: [.array(ids)] + keys.map { .array($0) })
    }
}

extension Connection {
    /// The number that a counting statement answers.
    func count(_ statement: (text: String, bindings: [Binding])) throws -> Int {
        var count = 0
        try forEach(dynamic: statement.text, statement.bindings) { row in
            count = Int(row.integer(0))
            return false
        }
        return count
    }
}
