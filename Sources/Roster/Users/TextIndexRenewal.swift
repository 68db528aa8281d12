import RosterStore
import RosterText

/// Fills the empty text index, when a version changes what the index has.
enum TextIndexRenewal {
    static func run(on connection: Connection) throws {
        let vocabulary = try AttributeManager.vocabulary(on: connection)
        for statement in UserStatements.wideTextIndex { try connection.run(statement) }
        var last: Int64 = 0
        while true {
            let page = try connection.all(KeyStatements.users, [.integer(last)]) {
                (id: $0.integer(0), name: $0.text(1), attributes: $0.text(2))
            }
            guard let end = page.last else { break }
            try connection.insert(
                page.compactMap { row in
                    // `check` reports a record that cannot be read. Nobody finds it by its text.
                    guard let attributes = try? AttributeSet(stored: row.attributes) else { return nil }
                    let keys = UserKeys(name: TextKey.of(row.name), attributes: attributes, vocabulary: vocabulary)
                    return [.integer(row.id)] + keys.text
                }, into: "text_index", UserStatements.insertedColumnsOfText(on: connection.engine))
            last = end.id
        }
        for statement in UserStatements.usualTextIndex { try connection.run(statement) }
    }
}
