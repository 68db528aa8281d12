import RosterText

/// A value to bind to a statement. Values never become part of a statement's text.
public enum Binding: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)

    /// The characters that represent the character zero on PostgreSQL, which refuses zero: a private-use code point, and a
    /// digit.
    public static let storedZero = "\u{10FFFD}0"

    @inlinable public static func text(_ text: String?) -> Binding { text.map { .text($0) } ?? .null }
    @inlinable public static func integer(_ number: Int64?) -> Binding { number.map { .integer($0) } ?? .null }
}

extension Connection {
    /// A list of numbers as one value, in the form that the engine's statements read.
    public func array(_ numbers: [Int64]) -> Binding {
        if kind == .postgreSQL { return .array(numbers) }
        return .text("[\(numbers.map(String.init).joined(separator: ","))]")
    }

    /// A list of texts as one value, in the form that the engine's statements read.
    public func array(_ texts: [String]) -> Binding {
        if kind == .postgreSQL { return .array(texts) }
        var json = [UInt8(ascii: "[")]
        for text in texts {
            if json.count > 1 { json.append(UInt8(ascii: ",")) }
            JSONText.append(string: text, to: &json)
        }
        return .text(String(decoding: json, as: UTF8.self) + "]")
    }
}

/// The text of arrays, which PostgreSQL takes as one value.
extension Binding {
    public static func array(_ numbers: [Int64]) -> Binding {
        .text("{\(numbers.map(String.init).joined(separator: ","))}")
    }

    public static func array(_ texts: [String?]) -> Binding { .text("{\(texts.map(element).joined(separator: ","))}") }

    private static func element(_ text: String?) -> String {
        guard let text else { return "NULL" }
        var element = "\"".unicodeScalars
        // A quotation mark with a combining mark is one character of Swift's.
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { element.append("\\") }
            element.append(scalar)
        }
        element.append("\"")
        return String(element)
    }
}
