import RosterStore

/// Rewrites the attributes of a file, which earlier versions stored as JSON, as records.
enum RecordRenewal {
    static func run(on connection: Connection) throws {
        try forEachPage(KeyStatements.users, on: connection) { row in
            // A record that cannot be read stays as it is; `check` reports the record.
            guard let attributes = try? AttributeSet(stored: row.attributes) else { return }
            try connection.run(AttributeStatements.setOfUser, [.integer(row.id), .text(attributes.record)])
        }
        try forEachPage(KeyStatements.pageOfRoles, on: connection) { row in
            guard let attributes = try? AttributeSet(stored: row.attributes) else { return }
            try connection.run(AttributeStatements.setOfRole, [.integer(row.id), .text(attributes.record)])
        }
        try renewChanges(on: connection)
    }

    private typealias Holder = (id: Int64, name: String, attributes: String)

    private static func forEachPage(_ statement: SQL, on connection: Connection, _ body: (Holder) throws -> Void) throws
    {
        var last: Int64 = 0
        while true {
            let page: [Holder] = try connection.all(statement, [.integer(last)]) {
                ($0.integer(0), $0.text(1), $0.text(2))
            }
            for row in page { try body(row) }
            guard let end = page.last else { return }
            last = end.id
        }
    }

    private static func renewChanges(on connection: Connection) throws {
        var last: Int64 = 0
        while true {
            let page = try connection.all(KeyStatements.pageOfChanges, [.integer(last), .integer(500)]) {
                (sequence: $0.integer(0), before: $0.optionalText(1), after: $0.optionalText(2))
            }
            for row in page {
                func record(_ text: String?) -> Binding {
                    .text(text.map { text in (try? AttributeSet(stored: text))?.record ?? text })
                }
                try connection.run(
                    ChangeStatements.setValues, [.integer(row.sequence), record(row.before), record(row.after)])
            }
            guard let end = page.last else { return }
            last = end.sequence
        }
    }
}
