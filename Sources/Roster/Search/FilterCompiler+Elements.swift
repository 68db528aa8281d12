import RosterStore
import RosterText

/// Compiles filters over the parts of one element of a multi-valued attribute, such as `emails[type eq "work"]`.
extension FilterCompiler {
    mutating func element(_ name: AttributeName, _ inner: Filter) throws -> Compiled {
        let path = try resolve(AttributePath(name))
        if path.definition.name == "memberOf" { return .sql(try memberOf(inner, .direct)) }
        if path.definition.name == "members" {
            guard case .compare(_, .equal, let value) = inner else {
                throw DirectoryError(.invalidFilter, "'members' is compared with one identifier by 'eq'.")
            }
            return .sql(try condition(.compare(AttributePath("members"), .equal, value)))
        }
        let (stored, isCaseExact) = (path.stored, path.definition.isCaseExact)
        try countComparisons(inner.comparisons)
        let condition = ElementCondition(inner, isCaseExact: { _ in isCaseExact }) { part in
            let column = ResidualColumn(stored: stored, isCaseExact: isCaseExact) { $0.comparedPart(part) }
            return number(of: column, "\(stored)[\(part)]")
        }
        let test: @Sendable (ResidualRecord) throws -> Bool = { record in
            try (record.value(of: stored)?.elements ?? []).enumerated().contains { index, element in
                try record.step()
                guard path.counts(element) else { return false }
                return try condition.holds(hasPart: { element.part($0) != nil }) { column in
                    try record.step()
                    let keys = try record.keys(ofColumn: column)
                    return keys.indices.contains(index) ? keys[index] : nil
                }
            }
        }
        // If the filter demands a value, an index finds the candidates.
        guard let (entries, value) = requiredEntry(inner, of: stored) else {
            return .test(test, needs: stored)
        }
        let found = values(entries, .equal, .text(FoldedText.of(value)), of: path.definition)
        return .sql("(\(found) AND \(residual(.condition(test, needs: stored))))")
    }

    /// An entry of the table of values that each element has which satisfies a filter: the name of the entries, and the value.
    func requiredEntry(_ filter: Filter, of list: AttributeName) -> (name: String, value: String)? {
        switch filter {
        case .compare(let path, .equal, .string(let text)):
            vocabulary.entries(of: list, part: path.partName).map { ($0, text) }
        case .and(let filters): filters.lazy.compactMap { requiredEntry($0, of: list) }.first
        default: nil
        }
    }

    mutating func countComparison() throws { try countComparisons(1) }

    /// Counts comparisons against the limit. Comparisons of parts count as all others do.
    private mutating func countComparisons(_ count: Int) throws {
        comparisons += count
        guard comparisons <= Filter.maximumComparisons else {
            throw DirectoryError(
                .invalidFilter, "The filter has more than \(Filter.maximumComparisons) comparisons.",
                advice: "Simplify it, or use several searches.")
        }
    }
}
