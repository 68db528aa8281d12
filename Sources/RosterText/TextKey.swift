/// The keys by which text is found and sorted, compared byte by byte: base letters first, then accents, then case.
///
/// A key begins with the base letters of the folded text (``FoldedText``). If the text has accents, a separator and the
/// folded text follow; a sort key ends with another separator and the positions of the capital letters. So ASCII text
/// that has no capital letters is its own key:
///
/// - `muller` before `Muller` before `müller` before `Müller` before `mullet`;
/// - `Äb`, `Ärger`, `éa`, `Öl`, `Ost`, `ße`, `Zoe`.
///
/// The order follows the root collation of Unicode (UTS #10, CLDR) where it can without its tables: no language has
/// its own rules, digits are compared one by one, and punctuation and scripts are in the order of their code points.
package enum TextKey {
    private static let caseSeparator: Unicode.Scalar = "\u{1}"
    private static let accentSeparator: Unicode.Scalar = "\u{2}"
    /// The scalars that tell how many other characters are before a capital letter. The greatest scalar means none,
    /// because `Ab` comes after `aB`.
    private static let gaps: [Unicode.Scalar] = (4...0x1F).reversed().filter { ![9, 10, 13].contains($0) }
        .compactMap { Unicode.Scalar(UInt8($0)) }

    /// The scalars that end a sort key, for a statement that cuts them off: ``folded(_:)`` in SQL.
    package static let caseMarks: [Unicode.Scalar] = gaps + [caseSeparator]
    /// The scalar before the folded text in a key, for a statement that looks for it.
    package static let accentMark = accentSeparator

    /// The key by which text is found: one key for all texts that fold alike, and another one for every other text, control
    /// characters included.
    package static func of(_ text: String) -> String {
        FoldedText.ofPlainText(text) ?? of(folded: FoldedText.of(text))
    }

    /// The key of folded text.
    package static func of(folded: String) -> String {
        if folded.utf8.allSatisfy({ $0 < 0x80 }) { return folded }
        let base = BaseLetters.of(folded)
        guard !base.utf8.elementsEqual(folded.utf8) else { return folded }
        return base + String(Character(accentSeparator)) + folded
    }

    /// The key by which text is sorted. It begins with the key of the text, in which spaces replace the control characters
    /// that structure the sort key.
    package static func sorting(_ text: String) -> String {
        var key = FoldedText.ofPlainText(text) ?? of(folded: plain(FoldedText.of(text)))
        var others = 0
        var hasCapitals = false
        for scalar in text.unicodeScalars {
            let isCapital =
                scalar.isASCII
                ? scalar.value &- 0x41 < 26
                : [.uppercaseLetter, .titlecaseLetter].contains(scalar.properties.generalCategory)
            guard isCapital else {
                if scalar.isASCII || scalar.properties.generalCategory != .nonspacingMark { others += 1 }
                continue
            }
            if !hasCapitals { key.unicodeScalars.append(caseSeparator) }
            hasCapitals = true
            while others >= gaps.count - 1 {
                key.unicodeScalars.append(gaps[gaps.count - 1])
                others -= gaps.count - 1
            }
            key.unicodeScalars.append(gaps[others])
            others = 0
        }
        return key
    }

    /// The base letters at the beginning of a key.
    package static func base(of key: String) -> String {
        String(key.unicodeScalars.prefix { $0 != accentSeparator && $0 != caseSeparator })
    }

    /// The folded text of a key.
    package static func folded(_ key: String) -> String {
        // Both separators are single bytes of UTF-8, and most keys have none.
        var bytes = key.utf8[...]
        if let start = bytes.firstIndex(where: { $0 == UInt8(ascii: accentSeparator) }) {
            bytes = bytes[bytes.index(after: start)...]
        }
        if let end = bytes.firstIndex(where: { $0 == UInt8(ascii: caseSeparator) }) { bytes = bytes[..<end] }
        return bytes.count == key.utf8.count ? key : String(Substring(bytes))
    }

    /// The least text greater than the sort keys of all texts with a key.
    package static func end(of key: String) -> String { key + String(Character(accentSeparator)) }

    /// A text that no sort key of a text with this key exceeds, and that is less than all greater keys.
    package static func last(of key: String) -> String { key + String(Character(caseSeparator)) + "\u{7F}" }

    /// Replaces the control characters that structure a sort key by spaces.
    package static func plain(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 0x20 }) else { return text }
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            scalars.append(scalar.value < 0x20 && ![9, 10, 13].contains(scalar.value) ? " " : scalar)
        }
        return String(scalars)
    }
}
