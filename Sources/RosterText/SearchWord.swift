/// A word of text as the search for people compares words: without case, width and accents.
///
/// Spaces, punctuation and symbols part words, except an apostrophe within a word. Japanese, Chinese and Korean text has no reliable
/// spaces, so that a run of such letters is one word, of which each part counts.
package struct SearchWord: Hashable, Sendable {
    /// The base letters of the word. A word with an umlaut has a second form, as it is written without one: `muller`, `mueller`.
    package let forms: [String]
    /// Whether each part of the word counts, and not its beginnings alone.
    package let isRun: Bool

    /// Whether the word begins with one that was asked for, or is a run that contains it.
    package func begins(with asked: SearchWord) -> Bool {
        guard isRun == asked.isRun else { return false }
        if isRun { return forms[0].contains(asked.forms[0]) }
        return forms.contains { form in asked.forms.contains { Self.begins(form, with: $0) } }
    }

    /// Whether the word is one that was asked for.
    package func isWhole(_ asked: SearchWord) -> Bool {
        isRun == asked.isRun && forms.contains { asked.forms.contains($0) }
    }

    /// Whether the UTF-8 bytes of a text begin with the UTF-8 bytes of another text.
    package static func begins(_ text: String, with start: String) -> Bool {
        text.utf8.count >= start.utf8.count && text.utf8.prefix(start.utf8.count).elementsEqual(start.utf8)
    }

    /// The terms by which an index finds the word: its forms, or the letters of a run.
    package var terms: [String] { isRun ? forms[0].unicodeScalars.map { String(Character($0)) } : forms }

    // MARK: Splitting

    /// The words of a text, in order.
    ///
    /// - Parameter isAsked: Whether the text asks for people. Otherwise the part of a word behind an apostrophe is a word, too, so that
    ///   `Angelo` finds D'Angelo, as `dangelo` and `d'angelo` do.
    package static func words(of text: String, isAsked: Bool = false) -> [SearchWord] {
        if let words = latinWords(of: text, isAsked) { return words }
        var words: [SearchWord] = []
        var (word, tail, run) = (String.UnicodeScalarView(), String.UnicodeScalarView(), String.UnicodeScalarView())
        var hasTail = false
        func end() {
            if !word.isEmpty { words.append(SearchWord(letters: String(word))) }
            if hasTail, !isAsked, !tail.isEmpty { words.append(SearchWord(letters: String(tail))) }
            if !run.isEmpty { words.append(SearchWord(forms: [BaseLetters.of(String(run))], isRun: true)) }
            // Marks that stand alone, such as the points of Hebrew, have no base letters.
            words.removeAll { $0.forms.contains("") }
            (word, tail, run, hasTail) = (.init(), .init(), .init(), false)
        }
        for scalar in FoldedText.of(text).unicodeScalars {
            switch kind(of: scalar) {
            case .letter:
                if !run.isEmpty { end() }
                word.append(scalar)
                if hasTail { tail.append(scalar) }
            case .runLetter:
                if !word.isEmpty { end() }
                run.append(scalar)
            case .mark:
                if !run.isEmpty { run.append(scalar) } else if !word.isEmpty { word.append(scalar) }
                if hasTail, !tail.isEmpty { tail.append(scalar) }
            case .apostrophe:
                if word.isEmpty { end() } else { (hasTail, tail) = (true, .init()) }
            case .other: end()
            }
        }
        end()
        return words
    }

    /// The words of a text of Latin letters; nil for a text with others. Every user who is stored pays for this, so that it reads bytes.
    private static func latinWords(of text: String, _ isAsked: Bool) -> [SearchWord]? {
        var text = text
        return text.withUTF8 { bytes in
            var words: [SearchWord] = []
            var (word, written, tail): ([UInt8], [UInt8], [UInt8]) = ([], [], [])
            word.reserveCapacity(bytes.count)
            var (hasTail, hasWritten) = (false, false)
            func end() {
                guard !word.isEmpty else { return }
                let form = String(decoding: word, as: UTF8.self)
                let other = hasWritten ? [form, String(decoding: written, as: UTF8.self)] : [form]
                words.append(SearchWord(forms: other, isRun: false))
                if hasTail, !isAsked, !tail.isEmpty {
                    words.append(SearchWord(spelling: String(decoding: tail, as: UTF8.self)))
                }
                word.removeAll(keepingCapacity: true)
                written.removeAll(keepingCapacity: true)
                tail.removeAll(keepingCapacity: true)
                (hasTail, hasWritten) = (false, false)
            }
            func add(_ letters: [UInt8], writtenAs other: [UInt8]) {
                if hasWritten || letters != other {
                    if !hasWritten { written = word }
                    hasWritten = true
                    written += other
                }
                word += letters
                if hasTail { tail += letters }
            }
            var index = 0
            while index < bytes.count {
                let byte = bytes[index]
                index += 1
                switch byte {
                case 0x30...0x39, 0x61...0x7A, 0x41...0x5A:
                    let letter = byte < 0x61 && byte > 0x39 ? byte | 0x20 : byte
                    word.append(letter)
                    if hasWritten { written.append(letter) }
                    if hasTail { tail.append(letter) }
                case 0x27 where !word.isEmpty:
                    hasTail = true
                    tail.removeAll(keepingCapacity: true)
                case 0xC3...0xC5:
                    let letter = LatinLetter.all[(Int(byte) & 0x1F) << 6 + Int(bytes[index] & 0x3F) - LatinLetter.first]
                    guard let letter, !hasTail else { return nil }
                    index += 1
                    add(letter.base, writtenAs: letter.written)
                case 0x80...: return nil
                default: end()
                }
            }
            end()
            return words
        }
    }

    private init(letters: String) {
        isRun = false
        guard !letters.utf8.allSatisfy({ $0 < 0x80 }) else {
            forms = [letters]
            return
        }
        let (base, other) = (BaseLetters.of(letters), BaseLetters.of(Self.written(letters)))
        forms = base == other ? [base] : [base, other]
    }

    /// Folded letters as they are written without umlauts.
    fileprivate static func written(_ letters: String) -> String {
        var written = String.UnicodeScalarView()
        for scalar in letters.unicodeScalars {
            switch scalar {
            case "ä", "å": written.append(contentsOf: (scalar == "ä" ? "ae" : "aa").unicodeScalars)
            case "ö", "ø": written.append(contentsOf: "oe".unicodeScalars)
            case "ü": written.append(contentsOf: "ue".unicodeScalars)
            default: written.append(scalar)
            }
        }
        return String(written)
    }

    private init(forms: [String], isRun: Bool) { (self.forms, self.isRun) = (forms, isRun) }

    /// The words as one, if all are runs: people write a Japanese name with a space between its parts or without one.
    package static func joined(_ words: [SearchWord]) -> SearchWord? {
        guard words.count > 1, words.allSatisfy(\.isRun) else { return nil }
        return SearchWord(forms: [words.map { $0.forms[0] }.joined()], isRun: true)
    }

    /// A word in another spelling.
    package init(spelling: String) { self.init(forms: [spelling], isRun: false) }

    private enum Kind {
        case letter, runLetter, mark, apostrophe, other
    }

    private static func kind(of scalar: Unicode.Scalar) -> Kind {
        switch scalar.value {
        case 0x30...0x39, 0x61...0x7A: return .letter
        case 0x27, 0x2019, 0x2BC: return .apostrophe
        case 0..<0x80: return .other
        case 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x24F: return .letter
        case 0x3005...0x3007, 0x3041...0x3096, 0x30A1...0x30FA, 0x30FC...0x30FE, 0x31F0...0x31FF, 0x3400...0x4DBF,
            0x4E00...0x9FFF,
            0xAC00...0xD7A3, 0xF900...0xFAFF, 0x20000...0x3FFFF:
            return .runLetter
        default: break
        }
        let properties = scalar.properties
        if properties.isAlphabetic || properties.numericType != nil { return .letter }
        return [.nonspacingMark, .spacingMark, .enclosingMark].contains(properties.generalCategory) ? .mark : .other
    }
}

/// A letter of Latin-1 or Latin Extended-A in the search for people, in UTF-8.
private struct LatinLetter: Sendable {
    let base: [UInt8]
    /// The letter as it is written without an umlaut.
    let written: [UInt8]

    static let first = 0xC0
    /// The letters from U+00C0 to U+017F; nil where the form depends on more than the letter, and for signs.
    static let all: [LatinLetter?] = (0xC0...0x17F).map { value in
        guard let scalar = Unicode.Scalar(UInt32(value)), scalar.properties.isAlphabetic,
            let folded = FoldedText.foldedByLetter(String(Character(scalar)))
        else { return nil }
        return LatinLetter(
            base: Array(BaseLetters.of(folded).utf8), written: Array(BaseLetters.of(SearchWord.written(folded)).utf8))
    }
}
