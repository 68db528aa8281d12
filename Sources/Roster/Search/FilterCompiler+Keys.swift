import RosterStore
import RosterText

/// Compiles comparisons of text with the keys of ``TextKey``, which have the order of the results.
extension FilterCompiler {
    /// The folded text of a key, and the marks of the case if the key tells it.
    private func textWithMarks(_ key: String) -> String { "substr(\(key), \(placeOfAccents(key)) + 1)" }

    /// The folded text of a key: the key without the part before the accents and without the marks of the case, if the key tells it.
    private func foldedText(_ key: String, tellsCase: Bool) -> String {
        tellsCase
            ? "substr(rtrim(\(key), \(Self.caseMarks)), \(placeOfAccents(key)) + 1)" : textWithMarks(key)
    }

    // Literals hold the marks, because PostgreSQL evaluates calls of `chr` each time that it plans a search.
    private static let caseMarks = literal(TextKey.caseMarks)
    private static let accentMark = literal([TextKey.accentMark])

    private static func literal(_ marks: [Unicode.Scalar]) -> String {
        "'\(String(String.UnicodeScalarView(marks)))'"
    }

    /// The place of the mark behind the accents in a key; 0 without one.
    private func placeOfAccents(_ key: String) -> String {
        "\(form == .calling ? "instr" : "strpos")(\(key), \(Self.accentMark))"
    }

    /// A comparison of a column of keys with folded text.
    mutating func keyed(_ column: String, _ comparison: Filter.Comparison, _ folded: String) -> String {
        // Only columns that sort have keys that tell the case.
        let tellsCase = !["u.name_key", "+u.name_key", "r.name_key", "v.key"].contains(column)
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
            return "(\(column) >= ? AND \(column) <= ?)"
        case .greater: return simple(">=", end)
        case .greaterOrEqual: return simple(">=", key)
        case .less: return simple("<", key)
        case .lessOrEqual: return simple("<", end)
        // Text without control characters is in no mark, so that the marks need not be cut off, which takes long.
        case .contains where text.utf8.allSatisfy { $0 >= 0x20 }:
            return self.text(textWithMarks(column), .contains, .text(text))
        case .contains, .ends:
            return self.text(foldedText(column, tellsCase: tellsCase), comparison, .text(text))
        case .starts:
            let base = TextKey.base(of: key)
            let range = self.text(column, .starts, .text(base))
            bindings += [.integer(Int64(text.unicodeScalars.count)), .text(text)]
            let isExact = "substr(\(foldedText(column, tellsCase: tellsCase)), 1, ?) = ?"
            // A key without accents that begins with the letters of a text without accents begins with the text.
            let isPlain = "\(placeOfAccents(column)) = 0"
            return "(\(range) AND \(base == text ? "(\(isPlain) OR \(isExact))" : isExact))"
        }
    }

    /// The least text that is greater than all texts with a prefix; nil if there is none.
    static func end(ofPrefix prefix: String) -> String? {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            if let next = Unicode.Scalar(last.value == 0xD7FF ? 0xE000 : last.value + 1) {
                var end = String.UnicodeScalarView(scalars)
                end.append(next)
                return String(end)
            }
        }
        return nil
    }
}
