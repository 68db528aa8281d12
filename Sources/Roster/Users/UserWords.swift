import RosterText

/// The words of the word index by which `matching` finds a user.
///
/// Whether the caller may read the value with a word is decided when the user is found.
struct UserWords {
    /// The words, each once. They are few, so that a set would take longer.
    private(set) var words: [String] = []
    private var bytes = 0

    /// The attributes whose text is looked at as a whole. Of postal addresses, the localities count.
    static let attributes: [AttributeName] = [
        "givenName", "familyName", "middleName", "nickName", "commonName", "displayName", "title", "department",
    ]
    /// The most bytes of a user's words, and the most letters of a word. Everybody writes some of their own attributes.
    private static let (most, longest) = (1_024, 40)

    /// - Parameter name: The key of the user's name; nil for the words of the attributes alone.
    init(name: String?, attributes: AttributeSet) {
        self.init(Self.texts(name: name, attributes: attributes))
    }

    private init(_ texts: [String]) {
        for text in texts { add(text) }
    }

    /// The texts that have the words, each of the whole ones once.
    private static func texts(name: String?, attributes: AttributeSet) -> [String] {
        var texts: [String] = []
        var others = name.map { [TextKey.folded($0)] } ?? []
        for entry in attributes {
            if Self.attributes.contains(entry.name) {
                // Most display names are the common name once more.
                if case .string(let text) = entry.value, !texts.contains(text) { texts.append(text) }
            } else if entry.name == "emails" {
                others += entry.value.elements.compactMap(\.text)
            } else if entry.name == "addresses" {
                others += entry.value.elements.compactMap { $0.part("locality")?.text }
            }
        }
        return others + texts
    }

    /// Returns the words that a change of a user removes from the word index, and the words that the change adds.
    ///
    /// - Parameters:
    ///   - was: The key of the old name, and the old attributes.
    ///   - becomes: The key of the new name, and the new attributes.
    ///   - altered: The attributes that differ, before and after.
    static func differences(
        from was: (name: String, attributes: AttributeSet), to becomes: (name: String, attributes: AttributeSet),
        altering altered: (old: AttributeSet, new: AttributeSet)
    ) -> (removed: [String], added: [String]) {
        let isRenamed = was.name != becomes.name
        var old = UserWords(name: isRenamed ? was.name : nil, attributes: altered.old)
        var new = UserWords(name: isRenamed ? becomes.name : nil, attributes: altered.new)
        if old.words.isEmpty, new.words.isEmpty { return ([], []) }
        var kept = becomes.attributes
        for entry in altered.new { kept[entry.name] = nil }
        // Most changes alter few texts, and most of the others have none of the words: those of ASCII are not split for that.
        let texts = texts(name: isRenamed ? nil : was.name, attributes: kept)
        let plain = texts.filter { $0.utf8.allSatisfy { $0 < 0x80 } }
        let rest = plain.count == texts.count ? UserWords([]) : UserWords(texts.filter { !plain.contains($0) })
        // The part of a word behind an apostrophe is a word, too.
        let restBytes = plain.reduce(rest.bytes) { $0 + 2 * ($1.utf8.count + 1) }
        if max(old.bytes, new.bytes) + restBytes >= most {
            // Some words may have no place. Which ones depends on all words.
            old = UserWords(name: was.name, attributes: was.attributes)
            new = UserWords(name: becomes.name, attributes: becomes.attributes)
            return (old.words.filter { !new.words.contains($0) }, new.words.filter { !old.words.contains($0) })
        }
        func others(_ words: [String], than other: [String]) -> [String] {
            words.filter { word in
                !other.contains(word) && !rest.words.contains(word)
                    && !plain.contains { Self.hasLetters(of: word, $0) && UserWords([$0]).words.contains(word) }
            }
        }
        return (others(old.words, than: new.words), others(new.words, than: old.words))
    }

    /// Whether an ASCII text has the letters of a word beside one another, in upper or lower case.
    private static func hasLetters(of word: String, _ text: String) -> Bool {
        word.withBytes { word in
            text.withBytes { text in
                guard let first = word.first, text.count >= word.count else { return false }
                return (0...(text.count - word.count)).contains { start in
                    lowercased(text[start]) == first
                        && word.indices.allSatisfy { lowercased(text[start + $0]) == word[$0] }
                }
            }
        }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

    private mutating func add(_ text: String) {
        guard bytes < Self.most else { return }
        for word in SearchWord.words(of: text) {
            for term in word.terms where bytes < Self.most {
                let term = term.utf8.count > Self.longest ? String(term.prefix(Self.longest)) : term
                guard !words.contains(term) else { continue }
                words.append(term)
                bytes += term.utf8.count + 1
            }
        }
    }

    /// The words as the word index takes them. Words have no signs that PostgreSQL would take for more than letters.
    var text: String { Self.text(words) }

    static func text(_ words: [String]) -> String { words.joined(separator: " ") }
}
