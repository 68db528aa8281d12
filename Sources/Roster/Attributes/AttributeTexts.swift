import RosterText

/// The names and descriptions of a declared attribute that people see, each in one or more languages.
///
/// ```swift
/// let texts = AttributeTexts(
///     labels: ["en": "Badge", "de": "Ausweis"], descriptions: ["en": "On the back of the card."])
/// try view.attributes.setTexts(texts, of: "badge")
/// ```
public struct AttributeTexts: Sendable, Hashable {
    /// The short names by language tag (RFC 5646), such as `pt-BR`. A name has 1 to 100 characters in one line.
    public var labels: [String: String]
    /// The descriptions by language tag. A description has 1 to 1,000 characters in one line.
    public var descriptions: [String: String]

    /// Makes texts.
    ///
    /// - Parameters:
    ///   - labels: The short names by language tag, in up to 50 languages.
    ///   - descriptions: The descriptions by language tag, in up to 50 languages.
    public init(labels: [String: String] = [:], descriptions: [String: String] = [:]) {
        self.labels = labels
        self.descriptions = descriptions
    }

    /// Whether there is no text in any language.
    public var isEmpty: Bool { labels.isEmpty && descriptions.isEmpty }

    /// The short name in a language, or in the next less specific one (RFC 4647, section 3.4), or else in English. Returns nil if the
    /// attribute has none of these.
    public func label(in language: String) -> String? { Self.text(in: language, of: labels) }

    /// The description in a language, by the same rules as ``label(in:)``.
    public func description(in language: String) -> String? { Self.text(in: language, of: descriptions) }

    private static func text(in language: String, of texts: [String: String]) -> String? {
        var range = language.lowercased()
        while !range.isEmpty {
            if let found = texts.first(where: { $0.key.lowercased() == range }) { return found.value }
            guard let end = range.lastIndex(of: "-") else { break }
            range = String(range[..<end])
            // A single letter introduces what follows, and is no language by itself.
            if range.dropLast().last == "-" { range.removeLast(2) }
        }
        return texts.first { $0.key.lowercased() == "en" }?.value
    }
}

extension AttributeTexts {
    /// The texts as the values of their fields, without a field that is empty.
    var fields: [(field: AttributeField, value: AttributeValue)] {
        [(AttributeField.labels, labels), (.descriptions, descriptions)].filter { !$1.isEmpty }
            .map { ($0, .complex($1.mapValues { .string($0) })) }
    }

    /// Refuses what is no language tag and no text of one line.
    ///
    /// - Throws: ``DirectoryError`` `invalidAttribute`.
    func check(of name: AttributeName) throws {
        try Self.check(labels, "label", most: 100, name)
        try Self.check(descriptions, "description", most: 1000, name)
    }

    private static func check(_ texts: [String: String], _ what: String, most: Int, _ name: AttributeName) throws {
        func refuse(_ problem: String, _ advice: String) -> DirectoryError {
            DirectoryError(.invalidAttribute, "The \(what) of '\(name)' \(problem).", advice: advice, attribute: name)
        }
        guard texts.count <= 50, Set(texts.keys.map { $0.lowercased() }).count == texts.count else {
            throw refuse("is given in more than 50 languages, or twice in one", "Give one text for each language.")
        }
        for (language, text) in texts.sorted(by: { $0.key < $1.key }) {
            guard isLanguage(language) else {
                throw refuse(
                    "is given in \(EntityName.shown(language)), which is no language tag",
                    "Write a tag such as 'de' or 'pt-BR'.")
            }
            guard text.isPlainLine(ofAtMost: most) else {
                throw refuse(
                    "in '\(language)' is no line of 1 to \(most) characters",
                    "Write one line without control characters and without spaces around it.")
            }
        }
    }

    /// Whether a text has the form of a language tag (RFC 5646): parts of 1 to 8 letters and digits, the first of 2 to 8 letters.
    private static func isLanguage(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard text.utf8.count <= 35, let first = parts.first, (2...8).contains(first.count) else { return false }
        func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }
        func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
        return first.allSatisfy(isLetter)
            && parts.dropFirst().allSatisfy { part in
                (1...8).contains(part.count) && part.allSatisfy { isLetter($0) || isDigit($0) }
            }
    }
}

/// The encoded form is two members of a definition: `labels` and `descriptions`. An empty one is left out.
extension AttributeTexts: Codable {
    /// Decodes texts. A missing member is empty.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: AttributeField.Key.self)
        self.init(
            labels: try values.decodeIfPresent(.labels) ?? [:],
            descriptions: try values.decodeIfPresent(.descriptions) ?? [:])
    }

    /// Encodes the texts.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: AttributeField.Key.self)
        if !labels.isEmpty { try values.encode(labels, forKey: .init(.labels)) }
        if !descriptions.isEmpty { try values.encode(descriptions, forKey: .init(.descriptions)) }
    }
}
