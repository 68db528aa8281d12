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
            let condition = "t.\(column) LIKE ?"
            guard column == Self.phone else { return (condition, [.text("%\(escaped)%")]) }
            return ("(\(condition) OR \(condition))", [.text("%\(escaped)%"), .text("%\(UserKeys.longText)%")])
        case .and(let matches): return Self.joined(matches.map { $0.condition(form) }, "AND")
        case .or(let matches): return Self.joined(matches.map { $0.condition(form) }, "OR")
        }
    }

    private static func joined(
        _ conditions: [(text: String, bindings: [Binding])], _ word: String
    ) -> (text: String, bindings: [Binding]) {
        ("(\(conditions.map(\.text).joined(separator: " \(word) ")))", conditions.flatMap(\.bindings))
    }

    /// The column with the digits of telephone numbers, which does not have those of every user: see ``UserKeys/longText``.
    static let phone = "phone"

    /// Whether all rows of the text index that match have the text. SQLite's index knows which runs of three characters a column
    /// contains, and not where, so that longer text has to be looked for in the rows.
    func isCertain(_ form: FilterCompiler.Form) -> Bool {
        switch self {
        case .contains(Self.phone, _): return false
        case .contains(_, let key): return form != .calling || key.unicodeScalars.count == 3
        case .and(let matches), .or(let matches): return matches.allSatisfy { $0.isCertain(form) }
        }
    }

    /// The largest number of runs of three characters that a query names. More would find hardly fewer rows.
    private static let maximumRuns = 16

    /// The query in the language of SQLite's FTS5.
    private var query: String {
        switch self {
        case .contains(let column, let key):
            Self.query(column, key) + (column == Self.phone ? " OR " + Self.query(column, UserKeys.longText) : "")
        case .and(let matches): matches.map { "(\($0.query))" }.joined(separator: " AND ")
        case .or(let matches): matches.map { "(\($0.query))" }.joined(separator: " OR ")
        }
    }

    private static func query(_ column: String, _ key: String) -> String {
        let runs = runs(of: key).map { "\"\($0.replacing("\"", with: "\"\""))\"" }
        return "\(column) : (\(runs.joined(separator: " AND ")))"
    }

    /// Runs of three characters of a text, spread over the text.
    private static func runs(of text: String) -> [String] {
        let scalars = Array(text.unicodeScalars)
        let count = scalars.count - 2
        let chosen = min(count, maximumRuns)
        return (0..<chosen).map { number in
            let start = chosen == 1 ? 0 : number * (count - 1) / (chosen - 1)
            return String(String.UnicodeScalarView(scalars[start..<start + 3]))
        }
    }
}
