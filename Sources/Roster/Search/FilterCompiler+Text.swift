import RosterStore
import RosterText

/// Compiles the conditions that the text index answers.
extension FilterCompiler {
    /// Whether an index could find users by elements that the caller may not read or that the filter does not mean, and so finds
    /// candidates only.
    func mayMatchOtherElements(_ filter: Filter) -> Bool {
        switch filter {
        case .compare(let path, _, _):
            let element = vocabulary.definition(of: path.attribute, for: entity)?.element
            return element?.type != nil || elementReaders(of: element?.attribute ?? path.attribute) != nil
        case .and(let filters), .or(let filters): return filters.contains(where: mayMatchOtherElements)
        default: return false
        }
    }

    /// Whether the rows that the text index finds need no further check.
    func isCertain(_ match: TextMatch, _ filter: Filter) -> Bool {
        match.isCertain(form) && !mayMatchOtherElements(filter)
    }

    /// The part of a filter that the text index answers alone: text that is contained, and `and` and `or` of such filters.
    func textMatch(_ filter: Filter, depth: Int = 0) -> TextMatch? {
        guard depth < 32 else { return nil }
        switch filter {
        case .compare(let path, .contains, .string(let text)):
            let stored = vocabulary.definition(of: path.attribute, for: entity)?.element?.attribute ?? path.attribute
            guard path.part == nil || path.part == "value" && UserKeys.textLists.contains(stored) else { return nil }
            guard let column = layout.textColumns[stored] else { return nil }
            var key = FoldedText.of(text)
            // A number that has the text has the text's digits in a row.
            if column == TextMatch.phone { key = PhoneDigits.of(key) }
            // The index stores runs of three characters, so that it cannot find shorter text, nor text with a line
            // break.
            guard key.unicodeScalars.count >= 3, !key.contains("\n"), !key.utf8.contains(0), key.utf8.count < 1_000
            else { return nil }
            return .contains(column: column, key)
        case .and(let filters) where filters.count > 1: return textMatches(filters, depth).map { .and($0) }
        case .or(let filters) where filters.count > 1: return textMatches(filters, depth).map { .or($0) }
        default: return nil
        }
    }

    private func textMatches(_ filters: [Filter], _ depth: Int) -> [TextMatch]? {
        guard filters.count <= 64 else { return nil }
        let matches = filters.compactMap { textMatch($0, depth: depth + 1) }
        return matches.count == filters.count ? matches : nil
    }

    /// The condition that a row that others have found contains text. PostgreSQL looks at the row of the text index.
    mutating func containing(_ match: TextMatch, _ filter: Filter, _ depth: Int) throws -> Compiled {
        guard form != .calling, isCertain(match, filter) else {
            usesTextIndex = false
            defer { usesTextIndex = true }
            return try compiled(filter, depth: depth)
        }
        try checkSearchable(filter)
        let (condition, operands) = match.condition(form)
        bindings += operands
        return .sql("EXISTS (SELECT 1 FROM text_index t WHERE t.user_id = u.id AND \(condition))")
    }

    /// The condition that the text index has a match in the row.
    mutating func indexed(_ match: TextMatch) -> String {
        let (condition, operands) = match.condition(form)
        bindings += operands
        return "u.id IN (SELECT \(TextMatch.identifier(form)) FROM text_index t WHERE \(condition))"
    }
}
