import RosterStore

/// A question that the text index answers: which users have text that contains another one.
indirect enum TextMatch {
    case contains(column: String, String)
    case and([TextMatch])
    case or([TextMatch])

    /// The column of the text index `t` with the identifier of the user.
    static func identifier(_ form: FilterCompiler.Form) -> String { form == .calling ? "t.rowid" : "t.user_id" }

    /// The condition on a row `t` of the text index, and its bindings.
    func condition(_ form: FilterCompiler.Form) -> (text: String, bindings: [Binding]) {
        if form == .calling { return ("t.text_index MATCH ?", [.text(query)]) }
        switch self {
        case .contains(let column, let key):
            let escaped = key.replacing("\\", with: "\\\\").replacing("%", with: "\\%").replacing("_", with: "\\_")
            return ("t.\(column) LIKE ?", [.text("%\(escaped)%")])
        case .and(let matches): return Self.joined(matches.map { $0.condition(form) }, "AND")
        case .or(let matches): return Self.joined(matches.map { $0.condition(form) }, "OR")
        }
    }

    private static func joined(
        _ conditions: [(text: String, bindings: [Binding])], _ word: String
    ) -> (text: String, bindings: [Binding]) {
        ("(\(conditions.map(\.text).joined(separator: " \(word) ")))", conditions.flatMap(\.bindings))
    }

    /// The query in the language of SQLite's FTS5.
    private var query: String {
        switch self {
        case .contains(let column, let key): "\(column) : \"\(key.replacing("\"", with: "\"\""))\""
        case .and(let matches): matches.map { "(\($0.query))" }.joined(separator: " AND ")
        case .or(let matches): matches.map { "(\($0.query))" }.joined(separator: " OR ")
        }
    }
}
