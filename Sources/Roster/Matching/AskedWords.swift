import RosterStore
import RosterText

/// The words of a question for people.
struct AskedWords: Hashable {
    /// A word with its other spellings, of which one has to match.
    struct Word: Hashable {
        var spellings: [SearchWord]
        /// Whether the index is asked for the word. The others are looked for in the people whom the index finds.
        var isIndexed: Bool

        /// Whether the word can be a part of a telephone number.
        var isNumber: Bool {
            spellings.allSatisfy {
                $0.forms[0].utf8.count >= 3 && $0.forms[0].utf8.allSatisfy { (0x30...0x39).contains($0) }
            }
        }
    }

    var words: [Word] = []
    /// The digits of a question for a telephone number; nil for another question.
    let phone: String?

    private static let (most, longest) = (8, 40)

    init(_ text: String) {
        phone = PhoneDigits.asked(text)
        for piece in text.split(whereSeparator: \.isWhitespace) {
            let parts = piece.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
            for (index, part) in parts.enumerated() {
                for word in SearchWord.words(of: String(part), isAsked: true) where words.count < Self.most {
                    words.append(Word(spellings: [word], isIndexed: index == 0))
                }
            }
        }
        // Digits can be those of a telephone number, which the index does not have, and everybody has the domain of the mail addresses.
        // The other words find the people.
        if words.contains(where: { $0.isIndexed && !$0.isNumber }) {
            for index in words.indices where words[index].isNumber { words[index].isIndexed = false }
        } else if !words.contains(where: \.isIndexed) {
            for index in words.indices { words[index].isIndexed = true }
        }
    }

    /// The question to the word index; nil if no word is long enough.
    ///
    /// - Parameter isSampling: Whether at most the first three letters of each word are asked for, which is quick whatever they are.
    ///   The beginnings of three letters have an index, and each longer beginning has to be gathered.
    func query(isSampling: Bool, on engine: EngineKind) -> String? {
        let terms = words.compactMap { word -> String? in
            guard word.isIndexed else { return nil }
            let spellings = word.spellings.compactMap { Self.term($0, isSampling: isSampling, on: engine) }
            guard spellings.count == word.spellings.count else { return nil }
            return "(\(spellings.joined(separator: engine == .sqlite ? " OR " : " | ")))"
        }
        return terms.isEmpty ? nil : terms.joined(separator: engine == .sqlite ? " AND " : " & ")
    }

    /// Whether a term of the word index may be one of a word that was asked for.
    func mayBegin(_ term: String) -> Bool {
        words.contains { word in
            word.spellings.contains {
                $0.isRun ? $0.terms.contains(term) : $0.forms.contains { SearchWord.begins(term, with: $0) }
            }
        }
    }

    /// Whether sampling asks for less than the words.
    var isCutBySampling: Bool {
        words.contains { $0.isIndexed && $0.spellings.contains { !$0.isRun && $0.forms.contains { $0.count > 3 } } }
    }

    private static func term(_ word: SearchWord, isSampling: Bool, on engine: EngineKind) -> String? {
        if word.isRun {
            let letters = word.terms.map { engine == .sqlite ? "\"\($0)\"" : "'\($0)'" }
            return "(\(letters.joined(separator: engine == .sqlite ? " AND " : " & ")))"
        }
        // A beginning of one letter would be gathered from too many words.
        guard word.forms.allSatisfy({ $0.count >= 2 }) else { return nil }
        let beginnings = word.forms.map { form in
            let text = form.prefix(isSampling ? 3 : longest)
            return engine == .sqlite ? "\"\(text)\" *" : "'\(text)':*"
        }
        return beginnings.joined(separator: engine == .sqlite ? " OR " : " | ")
    }
}
