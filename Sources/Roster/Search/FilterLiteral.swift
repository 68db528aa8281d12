import Foundation
import RosterText

/// Reads the text of a filter. It knows its place in the text and counts comparisons.
struct FilterReader {
    /// The limits of a reader.
    struct Limits: Sendable {
        /// The deepest nesting.
        let depth: Int
        /// The most comparisons.
        let comparisons: Int
        /// Whether messages quote the text around a mistake.
        let quotesText: Bool

        /// The limits of a search.
        static let search = Limits(
            depth: Filter.maximumDepth, comparisons: Filter.maximumComparisons, quotesText: true)
    }

    let bytes: [UInt8]
    var offset = 0
    private var comparisons = 0
    private let limits: Limits

    init(_ text: some StringProtocol, limits: Limits = .search) throws {
        self.limits = limits
        guard text.utf8.count <= Filter.maximumLength else {
            throw DirectoryError(
                .invalidFilter, "The filter is longer than the limit of \(Filter.maximumLength) bytes.",
                advice: "Search several times with shorter filters.")
        }
        bytes = Array(text.utf8)
    }

    /// The next byte, or nil at the end.
    var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }
    var isAtEnd: Bool { offset >= bytes.count }

    static func isWhiteSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    mutating func skipWhiteSpace() { skip(while: Self.isWhiteSpace) }

    mutating func skip(while isSkipped: (UInt8) -> Bool) {
        while let byte = next, isSkipped(byte) { offset += 1 }
    }

    /// Takes the ASCII character if it comes next.
    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        offset += 1
        return true
    }

    /// Takes a point that follows a closing bracket without a space between.
    mutating func takePointAfterBracket() -> Bool {
        guard offset > 0, bytes[offset - 1] == UInt8(ascii: "]") else { return false }
        return take(".")
    }

    /// The text from an offset up to the reader's place.
    func text(from start: Int) -> String { String(decoding: bytes[start..<max(start, offset)], as: UTF8.self) }

    /// The text at the reader's place, for a message.
    var found: String {
        if isAtEnd { return "but the text ends" }
        guard limits.quotesText else { return "found something else" }
        return "found '\(Self.shown(String(decoding: bytes[offset...].prefix(80), as: UTF8.self), 16))'"
    }

    /// A text of the caller in the form in which a message holds it: short, and without characters that disturb a log.
    static func shown(_ text: String, _ length: Int = 64) -> String {
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(length) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: shown.append("\u{FFFD}")
            default: shown.append(scalar)
            }
        }
        return String(shown) + (text.unicodeScalars.count > length ? "…" : "")
    }

    /// An error at a byte offset, which the message gives as the number of a character.
    func error(
        _ problem: String, at place: Int? = nil, advice: String, attribute: AttributeName? = nil
    ) -> DirectoryError {
        DirectoryError(
            .invalidFilter, "At character \(character(at: place ?? offset)) of the filter: \(problem).",
            advice: advice, attribute: attribute)
    }

    /// The number of the character that begins at a byte. The first character has the number 1.
    func character(at place: Int) -> Int { String(decoding: bytes.prefix(place), as: UTF8.self).count + 1 }

    func unknownAttribute(
        _ name: String, at place: Int, meaning similar: String?, such examples: String
    ) -> DirectoryError {
        let name = Self.shown(name)
        return error(
            "unknown attribute '\(name)'", at: place,
            advice: (similar.map { "Did you mean '\($0)'? " } ?? "Check the spelling. ")
                + "Known are \(examples), and the attributes that the app declared.",
            attribute: AttributeName(name))
    }

    /// Checks the limit for another level inside so many levels.
    func checkDepth(_ depth: Int) throws {
        guard depth < limits.depth else {
            throw error(
                "nested deeper than the limit of \(limits.depth) levels",
                advice: "Leave out parentheses that are not needed, or search in several steps.")
        }
    }

    /// Counts a comparison against the limit.
    mutating func countComparison() throws {
        guard comparisons < limits.comparisons else {
            throw error(
                "more comparisons than the limit of \(limits.comparisons)",
                advice: "Search several times with shorter filters.")
        }
        comparisons += 1
    }
}

/// An attribute as a filter names it: its path, and the values that it can be compared with.
struct FilterTarget {
    let path: AttributePath
    /// The type of the values; `complex` if a filter can only ask whether there is a value.
    let kind: AttributeDefinition.Kind
    /// Whether the values have an order. Booleans and binary values have none, and neither has a complex attribute as a
    /// whole, which represents its `value`.
    var isOrdered = true
    /// Whether text must be in quotation marks. Elsewhere a number is read as text, too.
    var quotesText = false

    init(_ path: AttributePath, _ kind: AttributeDefinition.Kind, isWhole: Bool = false) {
        self.path = path
        self.kind = kind
        isOrdered = !isWhole && kind != .boolean && kind != .binary
    }

    /// The attribute as a whole.
    init(_ definition: AttributeDefinition) {
        let isComplex = definition.kind == .complex
        self.init(AttributePath(definition.name), Self.parts(of: definition)["value"] ?? .complex, isWhole: isComplex)
    }

    /// The names and the types of the parts of an element (RFC 7643, section 4.1.2).
    static func parts(of definition: AttributeDefinition) -> [String: AttributeDefinition.Kind] {
        guard definition.kind == .complex else { return ["value": definition.kind] }
        var parts: [String: AttributeDefinition.Kind] = ["type": .string, "primary": .boolean]
        let isAddress = definition.name == "addresses"
        let others = ["formatted", "streetAddress", "locality", "region", "postalCode", "country"]
        for name in isAddress ? others : ["value", "display"] { parts[name] = .string }
        return parts
    }

    /// Makes the comparison with a literal that is at an offset, or refuses it.
    func filter(
        _ comparison: Filter.Comparison, _ literal: FilterLiteral, at place: Int, in reader: FilterReader
    ) throws -> Filter {
        func refused(_ problem: String, _ advice: String) -> DirectoryError {
            reader.error("'\(path)' \(problem)", at: place, advice: advice, attribute: path.attribute)
        }
        if case .null = literal {
            switch comparison {
            case .equal: return .not(.present(path))
            case .notEqual: return .present(path)
            default: throw refused("cannot be compared with null so", "Only eq and ne take null.")
            }
        }
        switch comparison {
        case _ where kind == .complex:
            throw refused(
                "has parts and no value of its own", "Compare one of its parts, or ask whether it is present.")
        case .equal, .notEqual: break
        case .contains, .starts, .ends:
            guard kind == .string else {
                throw refused("is not text: nothing can be sought inside it", "Compare the whole value with it.")
            }
        case .greater, .greaterOrEqual, .less, .lessOrEqual:
            guard isOrdered else {
                throw refused("has no order", "Ask whether it is equal, or compare one of its parts.")
            }
        }
        guard let value = quotesText ? literal.quotedValue(as: kind) : literal.value(as: kind) else {
            throw refused("is not compared with such a value", "Give \(FilterLiteral.example(of: kind)).")
        }
        return .compare(path, comparison, value)
    }
}

/// A value as it is written in a filter, before it is read as a value of the attribute's type.
enum FilterLiteral {
    case string(String)
    case number(JSONScanner.Number, text: String)
    case boolean(Bool)
    case null

    /// The value that an attribute of that kind is compared with; nil if they cannot be compared.
    func value(as kind: AttributeDefinition.Kind) -> AttributeValue? {
        switch (kind, self) {
        case (.complex, _): nil
        case (_, .string(let text)), (.string, .number(_, let text)): kind.value(of: text)
        case (.integer, .number(.integer(let number), _)): .integer(number)
        case (.integer, .number(.decimal(let number), _)): Int64(exactly: number).map { .integer($0) }
        case (.decimal, .number(.integer(let number), _)): .decimal(Double(number))
        case (.decimal, .number(.decimal(let number), _)): .decimal(number)
        case (.boolean, .boolean(let isTrue)): .boolean(isTrue)
        default: nil
        }
    }

    /// The value as one of that type if text must be in quotation marks.
    func quotedValue(as kind: AttributeDefinition.Kind) -> AttributeValue? {
        if case .number = self, kind == .string { return nil }
        return value(as: kind)
    }

    static func example(of kind: AttributeDefinition.Kind) -> String {
        switch kind {
        case .string, .complex: "text"
        case .integer: "a whole number, such as 42"
        case .decimal: "a number, such as 4.2"
        case .boolean: "true or false"
        case .time: "a time, such as 2026-01-31T12:00:00Z"
        case .binary: "base64 text"
        }
    }
}
