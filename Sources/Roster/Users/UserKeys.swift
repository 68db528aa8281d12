import RosterStore
import RosterText

/// A user's index entries. They are always computed from the name and the attributes.
struct UserKeys: Hashable {
    /// An entry in the table of values.
    struct Value: Hashable {
        let attribute: String
        let key: Binding
    }

    /// The attributes whose key has its own column in the user's row, in the order of ``UserStatements/insert``.
    static let columns: [(attribute: AttributeName, column: String)] = [
        ("givenName", "given_name_key"), ("familyName", "family_name_key"), ("commonName", "common_name_key"),
        ("displayName", "display_name_key"), ("title", "title_key"), ("department", "department_key"),
        ("employeeNumber", "employee_number_key"),
    ]
    /// The text index's columns after the name.
    static let textColumns: [AttributeName: String] = [
        "uid": "name", "givenName": "given_name", "familyName": "family_name", "commonName": "common_name",
        "displayName": "display_name", "emails": "mail", "phoneNumbers": "phone",
    ]

    /// The complex attributes whose elements have their `value` in the text index.
    static let textLists: Set<AttributeName> = ["emails", "phoneNumbers"]

    /// The complex attributes whose elements have their `value` in the table of values.
    static let indexedLists: Set<AttributeName> = ["emails", "scimRoles"]

    /// The name of the entry in the table of values that marks a user without a mail address. No attribute can have the name.
    static let noEmails = "no emails"

    /// The most bytes of telephone numbers that the text index has of a user. Everybody writes their own numbers, and the writer would
    /// need half a second for a megabyte of them.
    private static let longestPhoneText = 1_024
    /// The text of a user with more telephone numbers. Each search for a number finds the user, and looks at the numbers themselves.
    static let longText = "\u{E000}\u{E000}\u{E000}"

    let name: String
    /// The keys, in the order of ``columns``.
    let columnKeys: [Binding]
    let values: Set<Value>
    /// The e-mail addresses for the text index, one per line.
    let mailText: String?
    /// The digits of the telephone numbers for the text index, or ``longText`` in place of many.
    let phoneText: String?

    init(name: String, attributes: AttributeSet, vocabulary: Vocabulary) {
        self.name = name
        var columnKeys = [Binding](repeating: .null, count: Self.columns.count)
        var values: Set<Value> = []
        var (mailText, phoneText): (String?, String?)
        var hasEmails = false
        for entry in attributes {
            if let column = Self.columns.firstIndex(where: { $0.attribute == entry.name }) {
                if case .string(let text) = entry.value { columnKeys[column] = .text(TextKey.sorting(text)) }
                continue
            }
            if Self.indexedLists.contains(entry.name) {
                let keys = entry.value.elements.compactMap { $0.text.map { TextKey.of($0) } }
                for key in keys { values.insert(Value(attribute: entry.name.rawValue, key: .text(key))) }
                if entry.name == "emails" {
                    hasEmails = !keys.isEmpty
                    mailText = keys.map(TextKey.folded).joined(separator: "\n")
                }
                continue
            }
            if StandardAttributes.isStandardUser(entry.name) {
                if entry.name == "phoneNumbers" {
                    phoneText = Self.phoneText(entry.value.elements)
                }
                for part in vocabulary.indexedParts(of: entry.name) {
                    for element in entry.value.elements {
                        guard let text = (part.part.map { element.part($0) } ?? element)?.text else { continue }
                        values.insert(Value(attribute: part.entries, key: .text(TextKey.of(text))))
                    }
                }
                continue
            }
            guard let definition = vocabulary.definition(of: entry.name), definition.isIndexed else { continue }
            for element in entry.value.elements {
                if let key = definition.key(of: element) {
                    values.insert(Value(attribute: entry.name.rawValue, key: key))
                }
            }
        }
        if !hasEmails { values.insert(Value(attribute: Self.noEmails, key: .text(""))) }
        self.columnKeys = columnKeys
        self.values = values
        (self.mailText, self.phoneText) = (mailText, phoneText)
    }

    private static func phoneText(_ elements: [AttributeValue]) -> String {
        let text = elements.compactMap { $0.text.map { PhoneDigits.withCountry(FoldedText.of($0)) } }.joined(
            separator: "\n")
        return text.utf8.count > longestPhoneText ? longText : text
    }

    /// Whether the text index's entry for these keys differs from the entry for other keys.
    func hasOtherText(than other: UserKeys) -> Bool {
        // Equal keys have equal text, which then need not be made.
        let isSame =
            name == other.name && mailText == other.mailText && phoneText == other.phoneText
            && columnKeys[0..<4] == other.columnKeys[0..<4]
        return !isSame && text != other.text
    }

    /// The text index's entry without the identifier. The index has the folded text, because it finds accents, too.
    var text: [Binding] {
        [.text(TextKey.folded(name))] + columnKeys[0..<4].map(\.folded) + [.text(mailText), .text(phoneText)]
    }
}

extension Binding {
    /// The folded text of a key.
    var folded: Binding {
        guard case .text(let key) = self else { return self }
        return .text(TextKey.folded(key))
    }
}
