import Foundation
import RosterText

/// The form of a built-in attribute's text.
enum ValueForm {
    case address
    case date

    static let ofBuiltIn: [AttributeName: ValueForm] = [
        "emails": .address, "mail": .address, "dateOfBirth": .date, "hireDate": .date, "activeStartDate": .date,
        "activeEndDate": .date,
    ]

    /// Values of this form.
    var examples: [String] {
        switch self {
        case .address: ["ada@example.com", "grace@example.com"]
        case .date: ["2026-01-31", "2026-02-28"]
        }
    }

    /// The name of the form among the formats of JSON Schema.
    var format: String {
        switch self {
        case .address: "email"
        case .date: "date"
        }
    }

    /// The rule that a value breaks; nil for a value of this form.
    func broken(by value: AttributeValue) -> BrokenRule? {
        switch self {
        case .address:
            // An element can have a type and no address.
            guard let address = value.part("value") else { return nil }
            if case .string(let text) = address, MailAddress.isValid(text) { return nil }
            return BrokenRule("needs an e-mail address such as ada@example.com", "Correct the address.")
        case .date:
            if let text = value.text, Self.isDate(text) { return nil }
            return BrokenRule(
                "needs a date such as 2026-01-31, or a time such as 2026-01-31T09:00:00Z",
                "Correct the date. A year or a month alone will do.")
        }
    }

    /// Whether the text is a year, a month, a day or a time of ISO 8601 that the calendar has. LDAP's generalized time is
    /// one of these forms.
    static func isDate(_ text: String) -> Bool { date(text) != nil }

    /// The first moment of a year, a month or a day, or the moment of a time; nil for another text.
    static func date(_ text: String) -> Date? {
        let whole =
            switch text.utf8.count {
            case 4: text + "-01-01"
            case 7: text + "-01"
            default: text
            }
        return Timestamp.date(whole)
    }
}

/// The practical form of a Mailbox of RFC 5321, with the UTF-8 of RFC 6531.
///
/// Dots may stand anywhere in the local part, and a domain may be one label or contain `_`, because organisations use
/// such addresses.
enum MailAddress {
    private static let maximumBytes = 254
    private static let maximumLocalBytes = 64
    private static let maximumLabelBytes = 63

    static func isValid(_ text: String) -> Bool {
        guard text.utf8.count <= maximumBytes, let at = text.unicodeScalars.lastIndex(of: "@"),
            !text.unicodeScalars.contains(where: isControl)
        else { return false }
        let local = text.unicodeScalars[..<at]
        let domain = text.unicodeScalars[text.unicodeScalars.index(after: at)...]
        return isLocal(local) && isDomain(domain)
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        // Looking up properties would dominate the check of an ASCII address.
        guard !scalar.isASCII else { return scalar.value < 0x20 || scalar.value == 0x7F }
        return switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    private static func isLocal(_ local: Substring.UnicodeScalarView) -> Bool {
        guard (1...maximumLocalBytes).contains(String(local).utf8.count) else { return false }
        guard local.first == "\"" else { return !local.contains { isSpecial($0) } }
        // Quoted text may contain anything; a backslash takes the next character as it is.
        var rest = local.dropFirst()
        while let scalar = rest.popFirst() {
            if scalar == "\"" { return rest.isEmpty }
            if scalar == "\\", rest.popFirst() == nil { return false }
        }
        return false
    }

    private static func isSpecial(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\"", "(", ")", ",", ":", ";", "<", ">", "@", "[", "\\", "]": true
        default: scalar.isASCII ? scalar.value <= 0x20 : scalar.properties.isWhitespace
        }
    }

    private static func isDomain(_ domain: Substring.UnicodeScalarView) -> Bool {
        if domain.first == "[" {
            return domain.last == "]" && domain.count > 2
                && domain.dropFirst().dropLast().allSatisfy { isLetterOrDigit($0) || [".", ":", "-"].contains($0) }
        }
        return domain.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            (1...maximumLabelBytes).contains(String(label).utf8.count) && label.first != "-" && label.last != "-"
                && label.allSatisfy { isLetterOrDigit($0) || $0 == "-" || $0 == "_" }
        }
    }

    private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
        guard !scalar.isASCII else {
            return ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
        }
        return !scalar.properties.isWhitespace
    }
}
