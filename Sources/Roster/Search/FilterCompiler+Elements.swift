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
        guard UserKeys.indexedLists.contains(path.stored), let value = Self.requiredValue(inner) else {
            return .test(test)
        }
        return .sql("(\(having(value, of: path.stored)) AND \(residual(.condition(test))))")
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

    private static func requiredValue(_ filter: Filter) -> String? {
        switch filter {
        case .compare(let path, .equal, .string(let text)) where path.partName == "value": text
        case .and(let filters): filters.lazy.compactMap(requiredValue).first
        default: nil
        }
    }
}
