import RosterStore
import RosterText

/// Compiles comparisons of text with the keys of ``TextKey``, which have the order of the results.
extension FilterCompiler {
    /// The folded text of a key: the key without the part before the accents and without the marks of the case.
    private static func folded(_ key: String) -> String {
        let marks = TextKey.caseMarks.map(String.init).joined(separator: ",")
        return "substr(rtrim(\(key), char(\(marks))), instr(\(key), char(\(TextKey.accentMark))) + 1)"
    }

    /// A comparison of a column of keys with folded text.
    mutating func keyed(_ column: String, _ comparison: Filter.Comparison, _ folded: String) -> String {
        // Only columns that sort have keys that tell the case.
        let tellsCase = !["u.name_key", "r.name_key", "v.key"].contains(column)
        let text = tellsCase ? TextKey.plain(folded) : folded
        let key = TextKey.of(folded: text)
        let end = TextKey.end(of: key)
        func simple(_ sign: String, _ bound: String) -> String {
            bindings.append(.text(bound))
            return "\(column) \(sign) ?"
        }
        switch comparison {
        case .equal, .notEqual:
            guard tellsCase else { return simple("=", key) }
            bindings += [.text(key), .text(TextKey.last(of: key))]
            return "\(column) BETWEEN ? AND ?"
        case .greater: return simple(">=", end)
        case .greaterOrEqual: return simple(">=", key)
        case .less: return simple("<", key)
        case .lessOrEqual: return simple("<", end)
        case .contains, .ends: return self.text(Self.folded(column), comparison, .text(text))
        case .starts:
            let base = TextKey.base(of: key)
            let range = self.text(column, .starts, .text(base))
            bindings += [.integer(Int64(text.unicodeScalars.count)), .text(text)]
            let isExact = "substr(\(Self.folded(column)), 1, ?) = ?"
            // A key without accents that begins with the letters of a text without accents begins with the text.
            let isPlain = "instr(\(column), char(\(TextKey.accentMark))) = 0"
            return "(\(range) AND \(base == text ? "(\(isPlain) OR \(isExact))" : isExact))"
        }
    }
}
