extension Connection {
    /// The number of rows in a page. A page of records with photos takes some megabytes.
    private static let pageRows: Int64 = 256

    /// Passes all rows of a statement to `body`, and reads them in pages. The answer of a server to a statement is in memory whole,
    /// so that all rows at once would need memory for the whole table.
    ///
    /// - Parameters:
    ///   - sql: Selects the rows after number ?1 in the order of their numbers, ?2 of them at most. The first column is the number,
    ///     which is positive.
    ///   - end: Called after each page, so that what belongs to its rows can be read with one statement.
    package func forEachInPages(
        _ sql: SQL, _ body: (borrowing Row) throws -> Void, endOfPage end: () throws -> Void = {}
    ) throws {
        var last: Int64 = 0
        var rows = Self.pageRows
        while rows == Self.pageRows {
            rows = 0
            try forEach(sql, [.integer(last), .integer(Self.pageRows)]) { row in
                last = row.integer(0)
                rows += 1
                try body(row)
            }
            if rows > 0 { try end() }
        }
    }
}
