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
