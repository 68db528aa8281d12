import RosterText

extension SCIMValueFilter {
    /// The deepest nesting of parentheses and `not`.
    package static let maximumDepth = 32
    /// The most comparisons.
    package static let maximumComparisons = 200

    /// Reads the filter in the brackets that the text starts with, and returns what follows them.
    ///
    /// The directory's own parser reads filters of searches into what they mean in its vocabulary. This one reads what
    /// chooses among JSON elements; it is small because parts have neither URNs nor parts of their own.
    ///
    /// - Throws: ``SCIMError`` `invalidFilter`.
    static func bracketed(
        _ text: Substring, of attribute: SCIMAttribute
    ) throws -> (filter: SCIMValueFilter, rest: Substring) {
        // To tell whether a secret matches would be to tell the secret.
        guard attribute.returned != .never else { throw SCIMError(.invalidFilter, "'\(attribute.name)' is secret.") }
        let start = text.utf8.index(after: text.startIndex)
        var parser = SCIMValueFilterParser(bytes: Array(text.utf8), position: 1, attribute: attribute)
        let filter = try parser.disjunction(depth: 0)
        guard parser.take("]") else { throw parser.expected("'and', 'or' or ']'") }
        return (filter, text[text.utf8.index(start, offsetBy: parser.position - 1)...])
    }
}

/// Reads by recursive descent, to ``SCIMValueFilter/maximumDepth`` and no deeper.
private struct SCIMValueFilterParser {
    let bytes: [UInt8]
    var position: Int
    let attribute: SCIMAttribute
    var comparisons = 0

    mutating func disjunction(depth: Int) throws -> SCIMValueFilter {
        let first = try conjunction(depth: depth)
        var filters = [first]
        while take(word: "or") { filters.append(try conjunction(depth: depth)) }
        return filters.count > 1 ? .or(filters) : first
    }

    private mutating func conjunction(depth: Int) throws -> SCIMValueFilter {
        let first = try term(depth: depth)
        var filters = [first]
        while take(word: "and") { filters.append(try term(depth: depth)) }
        return filters.count > 1 ? .and(filters) : first
    }

    private mutating func term(depth: Int) throws -> SCIMValueFilter {
        guard depth < SCIMValueFilter.maximumDepth else {
            throw SCIMError(.invalidFilter, "The filter is nested deeper than \(SCIMValueFilter.maximumDepth).")
        }
        if take("(") { return try closed(depth: depth) }
        let name = word()
        if SCIMName.isSame(name, "not") {
            guard take("(") else { throw expected("'(' after 'not'") }
            return .not(try closed(depth: depth))
        }
        guard !name.isEmpty else { throw expected("a part of '\(attribute.name)'") }
        return try comparison(of: try part(name))
    }

    private mutating func closed(depth: Int) throws -> SCIMValueFilter {
        let filter = try disjunction(depth: depth + 1)
        guard take(")") else { throw expected("'and', 'or' or ')'") }
        return filter
    }

    /// The part of that name. The elements of plain attributes are their own `value`.
    private func part(_ name: String) throws -> SCIMAttribute {
        var found = attribute.subAttribute(named: name)
        if attribute.kind != .complex, SCIMName.isSame(name, "value") {
            found = attribute
            found?.name = "value"
        }
        guard let found, found.returned != .never else {
            throw SCIMError(.invalidFilter, "'\(attribute.name)' has no part \(SCIMError.shown(name)).")
        }
        return found
    }

    private mutating func comparison(of part: SCIMAttribute) throws -> SCIMValueFilter {
        comparisons += 1
        guard comparisons <= SCIMValueFilter.maximumComparisons else {
            throw SCIMError(.invalidFilter, "There are more than \(SCIMValueFilter.maximumComparisons) comparisons.")
        }
        let symbol = SCIMName.folded(word())
        if symbol == "pr" { return .present(part) }
        guard let comparison = SCIMValueFilter.Comparison(rawValue: symbol) else { throw expected("an operator") }
        let literal = try literal()
        if literal.isNull {
            switch comparison {
            case .equal: return .not(.present(part))
            case .notEqual: return .present(part)
            default: throw SCIMError(.invalidFilter, "Only eq and ne compare with null.")
            }
        }
        guard let operand = SCIMOperand(literal, of: part), Self.isMeaningful(comparison, for: operand, of: part) else {
            throw SCIMError(.invalidFilter, "'\(part.name)' is \(part.kind.rawValue); it cannot be compared so.")
        }
        return .compare(part, comparison, operand)
    }

    /// Booleans and binary data have no order, and only text has parts (RFC 7644, table 3).
    private static func isMeaningful(
        _ comparison: SCIMValueFilter.Comparison, for operand: SCIMOperand, of part: SCIMAttribute
    ) -> Bool {
        switch comparison {
        case .equal, .notEqual: return true
        case .contains, .starts, .ends:
            if case .text = operand { return true }
            return false
        case .greater, .greaterOrEqual, .less, .lessOrEqual: return ![.boolean, .binary].contains(part.kind)
        }
    }

    private mutating func literal() throws -> JSONValue {
        skipSpace()
        if position < bytes.count, bytes[position] == UInt8(ascii: "\"") { return .string(try string()) }
        let text = word()
        switch SCIMName.folded(text) {
        case "true": return true
        case "false": return false
        case "null": return .null
        default:
            // What `Double` reads beyond JSON, such as "nan" and "0x1p3", has letters that no number has.
            guard text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }) else { throw expected("a value") }
            if let number = Int64(text) { return .integer(number) }
            guard let number = Double(text), number.isFinite else { throw expected("a value") }
            return .decimal(number)
        }
    }

    /// A string as JSON has it (RFC 8259, section 7).
    private mutating func string() throws -> String {
        position += 1
        var units: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: units, as: UTF8.self)
            case UInt8(ascii: "\\"): units.append(contentsOf: String(try escape()).utf8)
            case 0..<0x20: throw expected("no control character")
            default: units.append(byte)
            }
        }
        throw expected("'\"'")
    }

    private mutating func escape() throws -> Unicode.Scalar {
        guard position < bytes.count else { throw expected("an escape") }
        let byte = bytes[position]
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): break
        default: throw expected("an escape")
        }
        let high = try codeUnit()
        if let scalar = Unicode.Scalar(high) { return scalar }
        guard UTF16.isLeadSurrogate(high), bytes[position...].starts(with: "\\u".utf8) else {
            throw expected("a whole character")
        }
        position += 2
        let low = try codeUnit()
        let code = 0x10000 + (UInt32(high & 0x3FF) << 10) + UInt32(low & 0x3FF)
        guard UTF16.isTrailSurrogate(low), let scalar = Unicode.Scalar(code) else {
            throw expected("a whole character")
        }
        return scalar
    }

    private mutating func codeUnit() throws -> UInt16 {
        let digits = bytes[position...].prefix(4)
        guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw expected("four hexadecimal digits") }
        position += 4
        return unit
    }

    private mutating func skipSpace() {
        while position < bytes.count, bytes[position] == UInt8(ascii: " ") { position += 1 }
    }

    /// Takes what stands before the next space, bracket or quotation mark.
    private mutating func word() -> String {
        skipSpace()
        let word = bytes[position...].prefix { !" ()[]\"".utf8.contains($0) }
        position = word.endIndex
        return String(decoding: word, as: UTF8.self)
    }

    /// Takes the word, in any case, if it comes next.
    private mutating func take(word expected: String) -> Bool {
        let start = position
        if SCIMName.isSame(word(), expected) { return true }
        position = start
        return false
    }

    mutating func take(_ mark: Unicode.Scalar) -> Bool {
        skipSpace()
        guard position < bytes.count, bytes[position] == UInt8(ascii: mark) else { return false }
        position += 1
        return true
    }

    func expected(_ what: String) -> SCIMError {
        SCIMError(.invalidFilter, "Expected \(what) at byte \(position) of the filter.")
    }
}
