/// The number of terminal columns of a text: two for East Asian characters and emoji, none for combining marks.
enum DisplayWidth {
    static func of(_ text: String) -> Int { text.reduce(0) { $0 + of($1) } }

    private static func of(_ character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        if scalar.value < 0x300 { return scalar.properties.isDefaultIgnorableCodePoint ? 0 : 1 }
        if isWide(scalar) { return 2 }
        // The emoji variation selector, and flags made of two letters.
        if character.unicodeScalars.contains("\u{FE0F}") || 0x1F1E6...0x1F1FF ~= scalar.value { return 2 }
        if scalar.properties.isDefaultIgnorableCodePoint { return 0 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
        default: return 1
        }
    }

    /// Whether a character is wide or full-width (Unicode Standard Annex 11). The ranges include unassigned characters.
    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF,
            0x1F200...0x1F2FF, 0x20000...0x3FFFD:
            true
        default: scalar.properties.isEmojiPresentation
        }
    }

    /// Shortens the text to a width, and ends it with `…` if something was removed.
    static func fit(_ text: String, _ width: Int) -> (text: String, width: Int) {
        let whole = of(text)
        if whole <= width { return (text, whole) }
        var fitted = ""
        var used = 0
        for character in text {
            let next = of(character)
            if used + next > width - 1 { break }
            fitted.append(character)
            used += next
        }
        return (fitted + "…", used + 1)
    }
}
