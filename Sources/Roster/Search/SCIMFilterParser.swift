import RosterText

extension Filter {
    /// Reads a filter in SCIM's language (RFC 7644, section 3.4.2.2), such as
    /// `name.familyName sw "Mü" and (active eq true or not (title pr))`.
    ///
    /// The parser ignores the case of operators and attributes. `and` binds tighter than `or`, and `not` needs
    /// parentheses. A filter can name an attribute by SCIM's name, with or without the URN of its schema, or by any other
    /// name that the directory has for it. `eq null` holds if there is no value. A time has the form of ISO 8601; a time
    /// without an offset is universal time.
    ///
    /// Two names are Roster's own: `managers eq "kenji.sato"` selects everyone below a user, `managers[value eq "kenji.sato"
    /// and depth le 2]` does so down to the second level, and `groups.effective eq "engineering"` selects the members of a
    /// role and of the roles nested in it. An attribute that an app declares with the name `managers` comes first.
    ///
    /// - Parameters:
    ///   - text: The filter; see ``maximumLength``, ``maximumDepth`` and ``maximumComparisons``.
    ///   - vocabulary: The attributes that the directory has.
    ///   - entity: Whether the filter selects users or roles.
    /// - Throws: ``DirectoryError`` with ``DirectoryError/Code/invalidFilter``.
    public init(scim text: String, vocabulary: Vocabulary, for entity: AttributeDefinition.Entity = .user) throws {
        var parser = SCIMFilterParser(reader: try FilterReader(text))
        self = try parser.filter(of: SCIMFilterNames(vocabulary: vocabulary, entity: entity))
    }
}

extension ElementFilter {
    /// Reads the filter in brackets that a text begins with, such as `[type eq "work"]` of the path
    /// `emails[type eq "work"].value`.
    ///
    /// Filters in paths have narrower limits than searches, and their messages do not quote values, which may be private.
    ///
    /// - Returns: The filter, and the number of bytes of its brackets and their content.
    /// - Throws: ``DirectoryError`` with ``DirectoryError/Code/invalidFilter``.
    package static func bracketed(
        scim text: some StringProtocol, of elements: FilterElements
    ) throws -> (filter: ElementFilter, length: Int) {
        var parser = SCIMFilterParser(reader: try FilterReader(text, limits: .path))
        let filter = try parser.bracketed(until: "]", in: .elements(elements), depth: 0)
        return (ElementFilter(filter, of: elements), parser.reader.offset)
    }
}

extension FilterReader.Limits {
    /// The limits of a filter in the path of a PATCH.
    fileprivate static let path = FilterReader.Limits(depth: 32, comparisons: 200, quotesText: false)
}

private struct SCIMFilterParser {
    var reader: FilterReader

    private static let operators: [String: Filter.Comparison] = [
        "eq": .equal, "ne": .notEqual, "co": .contains, "sw": .starts, "ew": .ends,
        "gt": .greater, "ge": .greaterOrEqual, "lt": .less, "le": .lessOrEqual,
    ]

    mutating func filter(of names: SCIMFilterNames) throws -> Filter {
        let filter = try disjunction(in: .resources(names), depth: 0)
        guard reader.isAtEnd else {
            throw reader.error(
                "expected 'and', 'or' or the end, \(reader.found)",
                advice: "Join comparisons with and or or, and close each parenthesis once.")
        }
        return filter
    }

    private mutating func disjunction(in scope: SCIMFilterScope, depth: Int) throws -> Filter {
        let first = try conjunction(in: scope, depth: depth)
        var filters = [first]
        while take(word: "or") { filters.append(try conjunction(in: scope, depth: depth)) }
        return filters.count > 1 ? .or(filters) : first
    }

    private mutating func conjunction(in scope: SCIMFilterScope, depth: Int) throws -> Filter {
        let first = try term(in: scope, depth: depth)
        var filters = [first]
        while take(word: "and") { filters.append(try term(in: scope, depth: depth)) }
        return filters.count > 1 ? .and(filters) : first
    }

    /// A comparison, a value path, or a filter in parentheses with or without `not`.
    private mutating func term(in scope: SCIMFilterScope, depth: Int) throws -> Filter {
        reader.skipWhiteSpace()
        let start = reader.offset
        if reader.next == UInt8(ascii: "(") { return try parenthesized(in: scope, depth: depth) }
        let name = word()
        guard !name.isEmpty else {
            throw reader.error(
                "expected an attribute, \(reader.found)", advice: "Write a comparison such as userName eq \"jane\".")
        }
        reader.skipWhiteSpace()
        if name.lowercased() == "not" {
            guard reader.next == UInt8(ascii: "(") else {
                throw reader.error(
                    "'not' needs parentheses, \(reader.found)", advice: "Write not (title pr), for example.")
            }
            return .not(try parenthesized(in: scope, depth: depth))
        }
        if reader.next == UInt8(ascii: "[") { return try valuePath(name, at: start, in: scope, depth: depth) }
        return try comparison(of: name, at: start, in: scope)
    }

    private mutating func parenthesized(in scope: SCIMFilterScope, depth: Int) throws -> Filter {
        let filter = try bracketed(until: ")", in: scope, depth: depth)
        reader.skipWhiteSpace()
        return filter
    }

    /// The filter between the bracket that comes next and its counterpart.
    mutating func bracketed(until end: Unicode.Scalar, in scope: SCIMFilterScope, depth: Int) throws -> Filter {
        try reader.checkDepth(depth)
        let start = reader.offset
        reader.offset += 1
        let filter = try disjunction(in: scope, depth: depth + 1)
        guard reader.take(end) else {
            throw reader.error(
                "expected 'and', 'or' or '\(end)', \(reader.found)",
                advice: "Close what is opened at character \(reader.character(at: start)).")
        }
        return filter
    }

    /// Reads a filter in brackets, `emails[type eq "work" and value co "@example.com"]`, and the comparison of a part
    /// behind them if there is one, `emails[type eq "work"].value eq "a@example.com"`, as Entra ID writes it.
    private mutating func valuePath(
        _ name: String, at start: Int, in scope: SCIMFilterScope, depth: Int
    ) throws -> Filter {
        guard case .resources(let names) = scope else {
            throw reader.error(
                "brackets inside brackets", advice: "Inside brackets, name the parts alone: [type eq \"work\"].")
        }
        if names.isLine(name) {
            let chosen = try bracketed(until: "]", in: .elements(.managers), depth: depth)
            reader.skipWhiteSpace()
            guard let filter = FilterElements.line(chosen) else {
                throw reader.error(
                    "'\(FilterReader.shown(name))' takes one user and one depth", at: start,
                    advice: "Write managers[value eq \"jane\" and depth le 2].", attribute: "manager")
            }
            return filter
        }
        guard let definition = names.definition(of: name), definition.isMultiValued else {
            if names.target(of: name) == nil { throw unknown(name, at: start, in: scope) }
            throw reader.error(
                "'\(FilterReader.shown(name))' has no elements to choose from", at: start,
                advice: "Compare it directly, without brackets.", attribute: AttributeName(FilterReader.shown(name)))
        }
        let elements = SCIMFilterScope.elements(FilterElements(definition))
        let chosen = try bracketed(until: "]", in: elements, depth: depth)
        var filter = Filter.element(definition.name, chosen)
        if reader.takePointAfterBracket() {
            let place = reader.offset
            let part = word()
            guard !part.isEmpty else {
                throw reader.error(
                    "expected a part of '\(definition.name)', \(reader.found)",
                    advice: "Write it right behind the point: emails[type eq \"work\"].value.",
                    attribute: definition.name)
            }
            reader.skipWhiteSpace()
            filter = Self.element(definition.name, chosen, and: try comparison(of: part, at: place, in: elements))
        } else {
            reader.skipWhiteSpace()
            if definition.name == "memberOf", case .compare(_, let comparison, let value) = chosen {
                // A filter sees nothing of a role but its name, so that the brackets make no difference.
                return .compare(AttributePath(definition.name), comparison, value)
            }
        }
        return definition.name == SCIMRoles.attribute ? SCIMRoles.everywhere(filter) : filter
    }

    /// The filter for one selected element with a part that compares so. `ne` and `eq null` hold if no selected element
    /// is equal or has a value, as they do without brackets.
    private static func element(_ name: AttributeName, _ chosen: Filter, and comparison: Filter) -> Filter {
        switch comparison {
        case .compare(let path, .notEqual, let value):
            .not(.element(name, .and([chosen, .compare(path, .equal, value)])))
        case .not(let present): .not(.element(name, .and([chosen, present])))
        default: .element(name, .and([chosen, comparison]))
        }
    }

    private mutating func comparison(of name: String, at start: Int, in scope: SCIMFilterScope) throws -> Filter {
        try reader.countComparison()
        let place = reader.offset
        let symbol = word().lowercased()
        let comparison = Self.operators[symbol]
        guard comparison != nil || symbol == "pr" else {
            reader.offset = place
            throw reader.error(
                "expected an operator after '\(FilterReader.shown(name))', \(reader.found)",
                advice: "The operators are eq, ne, co, sw, ew, gt, ge, lt, le and pr.")
        }
        let hasGap = reader.next.map(FilterReader.isWhiteSpace) ?? true
        reader.skipWhiteSpace()
        if let values = scope.constants(of: name) {
            return try constant(values, name, comparison, hasGap: hasGap)
        }
        if case .resources(let names) = scope, names.isLine(name) {
            return try line(name, comparison, hasGap: hasGap)
        }
        guard let target = scope.target(of: name) else { throw unknown(name, at: start, in: scope) }
        let isRoles = target.path.attribute == SCIMRoles.attribute
        guard let comparison else {
            return isRoles ? SCIMRoles.everywhere(.present(target.path)) : .present(target.path)
        }
        let literalPlace = reader.offset
        var operand = try literal(hasGap: hasGap)
        if target.path.attribute == "version", case .string(let tag) = operand {
            // SCIM writes versions as entity tags: W/"3".
            operand = .string(tag.trimmingPrefix("W/").filter { $0 != "\"" })
        }
        let filter = try target.filter(comparison, operand, at: literalPlace, in: reader)
        return isRoles ? SCIMRoles.everywhere(filter) : filter
    }

    /// The filter for everyone below a user, or for everyone who has a manager.
    private mutating func line(_ name: String, _ comparison: Filter.Comparison?, hasGap: Bool) throws -> Filter {
        guard let comparison else { return .manager.present }
        let place = reader.offset
        guard case .string(let text) = try literal(hasGap: hasGap), [.equal, .notEqual].contains(comparison) else {
            throw reader.error(
                "'\(FilterReader.shown(name))' is compared with text, and with eq or ne only", at: place,
                advice: "Write \(FilterReader.shown(name)) eq \"jane\".", attribute: "manager")
        }
        let filter = Filter.below(.either(text))
        return comparison == .equal ? filter : .not(filter)
    }

    /// The filter for a schema or a type, which all resources have or none.
    private mutating func constant(
        _ values: [String], _ name: String, _ comparison: Filter.Comparison?, hasGap: Bool
    ) throws -> Filter {
        guard let comparison else { return .everything }
        let place = reader.offset
        guard case .string(let text) = try literal(hasGap: hasGap), [.equal, .notEqual].contains(comparison) else {
            throw reader.error(
                "'\(FilterReader.shown(name))' is compared with text, and with eq or ne only", at: place,
                advice: "Write \(FilterReader.shown(name)) eq \"\(values.first ?? "")\".",
                attribute: AttributeName(FilterReader.shown(name)))
        }
        let isThere = values.contains { $0.lowercased() == text.lowercased() }
        return isThere == (comparison == .equal) ? .everything : .or([])
    }

    private mutating func literal(hasGap: Bool) throws -> FilterLiteral {
        let start = reader.offset
        let literal: FilterLiteral
        switch reader.next ?? 0 {
        case UInt8(ascii: "\""):
            literal = .string(try json { scanner throws(JSONScanner.Failure) in try scanner.string() })
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            let number = try json { scanner throws(JSONScanner.Failure) in try scanner.number() }
            literal = .number(number, text: reader.text(from: start))
        default:
            switch word().lowercased() {
            case "true": literal = .boolean(true)
            case "false": literal = .boolean(false)
            case "null": literal = .null
            default:
                reader.offset = start
                throw reader.error(
                    "expected a value, \(reader.found)",
                    advice: "Put text into double quotes; numbers, true, false and null go without.")
            }
        }
        let isDelimited = reader.next.map { FilterReader.isWhiteSpace($0) || $0 == 0x29 || $0 == 0x5D } ?? true
        guard hasGap, isDelimited else {
            throw reader.error(
                "a space is missing", at: hasGap ? reader.offset : start,
                advice: "Put a space on each side of operators and values.")
        }
        reader.skipWhiteSpace()
        return literal
    }

    private mutating func json<Value>(
        _ read: (inout JSONScanner) throws(JSONScanner.Failure) -> Value
    ) throws -> Value {
        let result = reader.bytes[reader.offset...].withUnsafeBufferPointer { rest in
            var scanner = JSONScanner(rest)
            return Result { () throws(JSONScanner.Failure) in (try read(&scanner), scanner.offset) }
        }
        switch result {
        case .success((let value, let length)):
            reader.offset += length
            return value
        case .failure(let failure):
            throw reader.error(
                failure.problem, at: reader.offset + failure.offset, advice: "Write values as JSON does (RFC 8259).")
        }
    }

    /// Takes the text before the next white space, bracket or quotation mark.
    private mutating func word() -> String {
        let start = reader.offset
        reader.skip { !FilterReader.isWhiteSpace($0) && !"()[]\"".utf8.contains($0) }
        return reader.text(from: start)
    }

    /// Takes the word if it comes next. Its case does not count.
    private mutating func take(word expected: String) -> Bool {
        let start = reader.offset
        if word().lowercased() == expected { return true }
        reader.offset = start
        return false
    }

    private func unknown(_ name: String, at start: Int, in scope: SCIMFilterScope) -> DirectoryError {
        guard let elements = scope.elements(of: name) else {
            return reader.unknownAttribute(
                name, at: start, meaning: scope.similar(to: name), such: scope.examples)
        }
        let parts = elements.parts.map(\.name).sorted().joined(separator: ", ")
        return reader.error(
            "'\(elements.attribute)' has no part '\(FilterReader.shown(name))'", at: start, advice: "It has: \(parts).",
            attribute: elements.attribute)
    }
}
