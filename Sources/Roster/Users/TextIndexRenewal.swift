import RosterStore
import RosterText

/// Fills the empty text index and the empty word index, when a version changes what they have.
enum TextIndexRenewal {
    static func run(on connection: Connection) throws {
        let vocabulary = try AttributeManager.vocabulary(on: connection)
        for statement in TextIndexStatements.wide { try connection.run(statement) }
        var last: Int64 = 0
        while true {
            let page = try connection.all(KeyStatements.users, [.integer(last)]) {
                (id: $0.integer(0), name: $0.text(1), attributes: $0.text(2))
            }
            guard let end = page.last else { break }
            var (texts, words): ([[Binding]], [[Binding]]) = ([], [])
            for row in page {
                // `check` reports a record that cannot be read. Nobody finds it by its text.
                guard let attributes = try? AttributeSet(stored: row.attributes) else { continue }
                let keys = UserKeys(name: TextKey.of(row.name), attributes: attributes, vocabulary: vocabulary)
                texts.append([.integer(row.id)] + keys.text)
                words.append([.integer(row.id), .text(UserWords(name: keys.name, attributes: attributes).text)])
            }
            let engine = connection.kind
            try connection.insert(texts, into: "text_index", TextIndexStatements.columnsOfText(on: engine))
            try connection.insert(words, into: "word_index", TextIndexStatements.columnsOfWords(on: engine))
            last = end.id
        }
        for statement in TextIndexStatements.usual { try connection.run(statement) }
    }
}
