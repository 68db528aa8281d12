/// The digits of a telephone number, which people write with spaces, dots, strokes and brackets.
enum PhoneDigits {
    static func of(_ text: String) -> String {
        String(decoding: text.utf8.filter { (0x30...0x39).contains($0) }, as: UTF8.self)
    }

    /// The digits of a number, behind a plus sign if the number begins with one.
    static func withCountry(_ text: String) -> String { (hasCountry(text) ? "+" : "") + of(text) }

    private static func hasCountry(_ text: String) -> Bool {
        text.utf8.first { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "(") } == UInt8(ascii: "+")
    }

    /// The digits of a text that asks for a telephone number: digits alone, with what people write between them; nil for another text.
    ///
    /// A zero at the beginning represents the country. A plus sign stays, because the country's digits follow.
    static func asked(_ text: String) -> String? {
        let isNumber = text.unicodeScalars.allSatisfy { isDigit($0) || " \u{A0}+-./()".unicodeScalars.contains($0) }
        guard isNumber else { return nil }
        var digits = Substring(of(text))
        let hasCountry = hasCountry(text)
        while !hasCountry, digits.first == "0" { digits = digits.dropFirst() }
        guard digits.count >= (hasCountry ? 2 : 3) else { return nil }
        return (hasCountry ? "+" : "") + digits
    }

    /// Whether a number has the digits that were asked for.
    static func has(_ asked: String, in number: String) -> Bool {
        let digits = of(number)
        return asked.hasPrefix("+") ? digits.hasPrefix(asked.dropFirst()) : digits.contains(asked)
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { (0x30...0x39).contains(scalar.value) }
}
