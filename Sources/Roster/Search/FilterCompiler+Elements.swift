/// Filters over the parts of one element of a multi-valued attribute: `emails[type eq "work"]`.
extension FilterCompiler {
    mutating func element(_ name: AttributeName, _ inner: Filter) throws -> Compiled {
        let path = try resolve(AttributePath(name))
        if path.definition.name == "memberOf" { return .sql(try memberOf(inner)) }
        if path.definition.name == "members" {
            guard case .compare(_, .equal, let value) = inner else {
                throw DirectoryError(.invalidFilter, "'members' is compared with one identifier by 'eq'.")
            }
            return .sql(try condition(.compare(AttributePath("members"), .equal, value)))
        }
        let (stored, isCaseExact) = (path.stored, path.definition.isCaseExact)
        try countComparisons(in: inner)
        let condition = ElementCondition(inner, isCaseExact: isCaseExact) { part in
            let column = ResidualColumn(stored: stored, isCaseExact: isCaseExact) { $0.comparedPart(part) }
            return number(of: column, "\(stored)[\(part)]")
        }
        let test: @Sendable (ResidualRecord) throws -> Bool = { record in
            try (record.value(of: stored)?.elements ?? []).enumerated().contains { index, element in
                try record.step()
                return try path.counts(element) && condition.holds(for: element, at: index, in: record)
            }
        }
        // An index finds the candidates where the element's value is given.
        guard UserKeys.indexedLists.contains(path.stored), let value = Self.requiredValue(inner) else {
            return .test(test)
        }
        return .sql("(\(having(value, of: path.stored)) AND \(residual(.condition(test))))")
    }

    /// Comparisons of parts count as all others do.
    private mutating func countComparisons(in filter: Filter) throws {
        switch filter {
        case .and(let filters), .or(let filters): for filter in filters { try countComparisons(in: filter) }
        case .not(let filter), .element(_, let filter): try countComparisons(in: filter)
        case .compare, .present: try countComparison()
        case .everything: break
        }
    }

    mutating func countComparison() throws {
        comparisons += 1
        guard comparisons <= Filter.maximumComparisons else {
            throw DirectoryError(
                .invalidFilter, "The filter has more than \(Filter.maximumComparisons) comparisons.",
                advice: "Make it simpler, or ask several times.")
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
