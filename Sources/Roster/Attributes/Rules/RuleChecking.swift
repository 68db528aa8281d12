extension AttributeDefinition {
    /// Refuses new values that break the attribute's rules or do not have its form, such as the form of a date.
    ///
    /// Values that the user or role already has are accepted. They may be older than the check of addresses and dates, and
    /// a client that writes back the values that it has read must not fail.
    ///
    /// - Parameter steps: The steps that are left for patterns.
    /// - Throws: ``DirectoryError`` `invalidAttribute`, which names the attribute and the rule, but no value.
    func checkRules(
        of new: AttributeValue?, besides old: @autoclosure () -> AttributeValue?, steps: inout Int
    ) throws {
        guard let new, hasRulesForValues else { return }
        let old = old()
        if new == old { return }
        let known = Set(old?.elements ?? [])
        let knownTexts = kind == .complex ? Set(known.compactMap(\.text)) : []
        for element in new.elements where !known.contains(element) {
            if let text = element.text, knownTexts.contains(text) { continue }
            guard let broken = broken(by: element, steps: &steps) else { continue }
            throw DirectoryError(
                .invalidAttribute, "'\(name)' \(broken.problem).", advice: broken.advice, attribute: name)
        }
    }

    /// Whether values are checked for more than their type.
    private var hasRulesForValues: Bool { rules.areForValues || form != nil }

    /// The rule that a value breaks; nil for a value that obeys the rules.
    package func broken(by element: AttributeValue) -> BrokenRule? {
        var steps = Pattern.maximumSteps
        return broken(by: element, steps: &steps)
    }

    private func broken(by element: AttributeValue, steps: inout Int) -> BrokenRule? {
        form?.broken(by: element) ?? rules.broken(by: element, steps: &steps)
    }

    /// The form of the values; nil for attributes that an app declares, and for built-in ones with free text.
    private var form: ValueForm? { ValueForm.ofBuiltIn[name] }

    /// Values of the form that a built-in attribute demands, which tell clients the form; empty for any other attribute.
    package var examples: [String] { form?.examples ?? [] }

    /// The format of JSON Schema that a built-in attribute demands of its text; nil for free text.
    package var format: String? { form?.format }

    /// Refuses rules that this attribute cannot have.
    ///
    /// - Throws: ``DirectoryError`` `invalidAttribute`.
    func checkRulesFit() throws {
        func refuse(_ problem: String, _ advice: String) -> DirectoryError {
            DirectoryError(.invalidAttribute, "'\(name)' \(problem).", advice: advice, attribute: name)
        }
        if let pattern = rules.pattern {
            guard kind == .string || kind == .integer || isAddressList else {
                throw refuse("cannot have a pattern", "Patterns are for text and whole numbers.")
            }
            do {
                _ = try Pattern(pattern)
            } catch let mistake as PatternMistake {
                throw DirectoryError(
                    .invalidAttribute, "The pattern of '\(name)' \(mistake.problem).", advice: mistake.advice,
                    attribute: name)
            }
        }
        if rules.minimumLength != nil || rules.maximumLength != nil {
            guard kind == .string || isAddressList else {
                throw refuse("cannot have a rule for the length", "Lengths are for text.")
            }
            guard 0 <= rules.minimumLength ?? 0, max(rules.minimumLength ?? 0, 1) <= rules.maximumLength ?? .max else {
                throw refuse("could have no value of an allowed length", "Give lengths in order, and not negative.")
            }
        }
        if rules.minimum != nil || rules.maximum != nil {
            guard kind == .integer || kind == .decimal else {
                throw refuse("cannot have a least or a greatest number", "Those rules are for numbers.")
            }
            guard rules.minimum?.isFinite ?? true, rules.maximum?.isFinite ?? true,
                rules.minimum ?? -.infinity <= rules.maximum ?? .infinity
            else { throw refuse("could have no allowed number", "Give finite numbers in order.") }
        }
        guard rules.isUnique else { return }
        guard entity == .user else { throw refuse("of roles cannot be unique", "Only the name of a role is unique.") }
        guard isIndexed, kind != .binary else {
            throw refuse("cannot be unique without an index", "Give the attribute an index as well.")
        }
    }

    /// Whether the values are the addresses of `emails`.
    private var isAddressList: Bool { name == "emails" && element == nil }
}
