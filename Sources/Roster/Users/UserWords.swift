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
        if let name { add(TextKey.folded(name)) }
        var texts: [String] = []
        for entry in attributes {
            if Self.attributes.contains(entry.name) {
                // Most display names are the common name once more.
                if case .string(let text) = entry.value, !texts.contains(text) {
                    add(text)
                    texts.append(text)
                }
            } else if entry.name == "emails" {
                for element in entry.value.elements {
                    if let address = element.text { add(address) }
                }
            } else if entry.name == "addresses" {
                for element in entry.value.elements {
                    if let locality = element.part("locality")?.text { add(locality) }
                }
            }
        }
    }

    /// Whether a change can have changed the words, other than those of the name.
    static func mayDiffer(_ old: AttributeSet, _ new: AttributeSet) -> Bool {
        (attributes + ["emails", "addresses"]).contains { old[$0] != new[$0] }
    }

    /// Returns the words that a change of a user removes from the word index, and the words that the change adds.
    ///
    /// - Parameters:
    ///   - was: The key of the old name, and the old attributes.
    ///   - becomes: The key of the new name, and the new attributes.
    static func differences(
        from was: (name: String, attributes: AttributeSet), to becomes: (name: String, attributes: AttributeSet)
    ) -> (removed: [String], added: [String]) {
        // Most changes alter few texts, so that the words of the others are looked for once.
        let isRenamed = was.name != becomes.name
        let (oldAttributes, newAttributes) = was.attributes.differences(from: becomes.attributes)
        var kept = becomes.attributes
        for entry in newAttributes { kept[entry.name] = nil }
        let rest = UserWords(name: isRenamed ? nil : was.name, attributes: kept)
        var old = UserWords(name: isRenamed ? was.name : nil, attributes: oldAttributes)
        var new = UserWords(name: isRenamed ? becomes.name : nil, attributes: newAttributes)
        if max(old.bytes, new.bytes) + rest.bytes >= most {
            // Some words may have no place. Which ones depends on all words.
            old = UserWords(name: was.name, attributes: was.attributes)
            new = UserWords(name: becomes.name, attributes: becomes.attributes)
            return (old.words.filter { !new.words.contains($0) }, new.words.filter { !old.words.contains($0) })
        }
        func others(_ words: [String], than other: [String]) -> [String] {
            words.filter { !other.contains($0) && !rest.words.contains($0) }
        }
        return (others(old.words, than: new.words), others(new.words, than: old.words))
    }

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
