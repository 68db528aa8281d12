import Foundation

/// The base letters of text: the text without accents and other marks of the second level of Unicode's collation.
enum BaseLetters {
    /// The base letters of folded text. Cost: a table for Latin, Greek, Cyrillic and kana, some microseconds for others.
    static func of(_ text: String) -> String {
        var base = String.UnicodeScalarView()
        // Appending a collection takes time in proportion to the whole text, so letters are appended one by one.
        for scalar in text.unicodeScalars {
            let value = scalar.value
            switch value {
            case 0..<0xC0, 0x4E00...0x9FFF, 0xAC00...0xD7A3: base.append(scalar)
            case 0xC0..<tableEnd: for letter in table[Int(value) - 0xC0] { base.append(letter) }
            default: for letter in letters(of: scalar) { base.append(letter) }
            }
        }
        return String(base)
    }

    private static let tableEnd: UInt32 = 0x460
    /// The base letters of the scalars from U+00C0 on.
    private static let table: [[Unicode.Scalar]] = (0xC0..<tableEnd).map { value in
        Unicode.Scalar(value).map { letters(of: $0) } ?? []
    }

    private static func letters(of scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        switch scalar {
        case "æ": return ["a", "e"]
        case "œ": return ["o", "e"]
        case "ø": return ["o"]
        case "ł": return ["l"]
        case "đ", "ð": return ["d"]
        case "ħ": return ["h"]
        case "ŧ": return ["t"]
        case "ё": return ["е"]
        default: break
        }
        // Most composed Cyrillic letters, such as й, are letters of their own.
        if (0x400...0x52F).contains(scalar.value) { return [scalar] }
        if isMark(scalar) { return [] }
        let parts = String(Character(scalar)).decomposedStringWithCanonicalMapping.unicodeScalars
        guard parts.count > 1 else { return [scalar] }
        let letters = parts.filter { !isMark($0) }
        // Letters that are composed without marks, such as those of Devanagari, stay composed.
        return letters.count == parts.count ? [scalar] : Array(letters)
    }

    /// Whether a scalar is a mark that differs on the second level only: a diacritic of Latin, Greek, Hebrew or Arabic,
    /// a voicing mark of kana, a tone mark, a nukta. The vowel signs of other scripts are letters.
    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x300 else { return false }
        switch scalar.properties.canonicalCombiningClass.rawValue {
        case 1, 7, 8, 10...36, 107, 122, 200...240: return true
        default: return false
        }
    }
}
