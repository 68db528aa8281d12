import RosterText

/// The labels and descriptions of a declared attribute. People see them in place of the attribute's name, each in their own language.
///
/// ```swift
/// let texts = AttributeTexts(
///     labels: ["en": "Badge", "de": "Ausweis"], descriptions: ["en": "On the back of the card."])
/// try view.attributes.setTexts(texts, of: "badge")
/// ```
public struct AttributeTexts: Sendable, Hashable {
    /// The labels by language tag (RFC 5646), such as `pt-BR`. A label is one line of 1 to 100 Unicode scalars.
    public var labels: [String: String]
    /// The descriptions by language tag. A description is one line of 1 to 500 Unicode scalars.
    public var descriptions: [String: String]

    /// Makes texts. The directory checks them when they are stored.
    ///
    /// - Parameters:
    ///   - labels: The labels by language tag, in up to 20 languages.
    ///   - descriptions: The descriptions by language tag, in up to 20 languages.
    public init(labels: [String: String] = [:], descriptions: [String: String] = [:]) {
        self.labels = labels
        self.descriptions = descriptions
    }

    /// Whether the attribute has neither a label nor a description in any language.
    public var isEmpty: Bool { labels.isEmpty && descriptions.isEmpty }

    /// Returns the label in a language such as `de-AT`. If there is none, returns the label in the next less specific language
    /// (RFC 4647, section 3.4), here `de`, and else the English one; nil if all of these are missing.
    public func label(in language: String) -> String? { Self.text(in: language, of: labels) }

    /// Returns the description in a language. ``label(in:)`` tells which language replaces a missing one.
    public func description(in language: String) -> String? { Self.text(in: language, of: descriptions) }

    private static func text(in language: String, of texts: [String: String]) -> String? {
        var range = language.lowercased()
        while !range.isEmpty {
            if let found = texts.first(where: { $0.key.lowercased() == range }) { return found.value }
            guard let end = range.lastIndex(of: "-") else { break }
            range = String(range[..<end])
            // RFC 4647 removes a single letter together with the part that the letter introduces.
            if range.dropLast().last == "-" { range.removeLast(2) }
        }
        return texts.first { $0.key.lowercased() == "en" }?.value
    }
}

extension AttributeTexts {
    /// Changes the texts in some languages: a given text replaces the text in its language, and nil removes that text. Texts in other
    /// languages stay.
    mutating func change(labels: [String: String?], descriptions: [String: String?]) {
        Self.change(&self.labels, by: labels)
        Self.change(&self.descriptions, by: descriptions)
    }

    private static func change(_ texts: inout [String: String], by changes: [String: String?]) {
        // Language tags have no case, so that `DE` replaces `de`.
        let changed = Set(changes.keys.map { $0.lowercased() })
        texts = texts.filter { !changed.contains($0.key.lowercased()) }
        texts.merge(changes.compactMapValues { $0 }) { $1 }
    }

    /// The fields `labels` and `descriptions` of a definition with their values. An empty field is left out.
    var fields: [(field: AttributeField, value: AttributeValue)] {
        [(AttributeField.labels, labels), (.descriptions, descriptions)].filter { !$1.isEmpty }
            .map { ($0, .complex($1.mapValues { .string($0) })) }
    }

    /// Checks that the directory can store the texts: at most 20 languages, each with a valid tag, and lines within the limits of
    /// ``labels`` and ``descriptions``.
    ///
    /// - Throws: ``DirectoryError`` `invalidAttribute`, which names the attribute and the language.
    func check(of name: AttributeName) throws {
        try Self.check(labels, "label", most: 100, name)
        try Self.check(descriptions, "description", most: 500, name)
    }

    private static func check(_ texts: [String: String], _ what: String, most: Int, _ name: AttributeName) throws {
        func refuse(_ problem: String, _ advice: String) -> DirectoryError {
            DirectoryError(.invalidAttribute, "The \(what) of '\(name)' \(problem).", advice: advice, attribute: name)
        }
        guard texts.count <= 20, Set(texts.keys.map { $0.lowercased() }).count == texts.count else {
            throw refuse("is given in more than 20 languages, or twice in one", "Give one text for each language.")
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

/// A definition encodes its texts as two members, `labels` and `descriptions`. It leaves an empty member out.
extension AttributeTexts: Codable {
    /// Decodes texts. A missing member means that there are no texts of its kind.
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
