import Foundation

/// Folds text for comparisons that ignore case, width and composition.
///
/// The rule is Unicode's caseless compatibility match, as PRECIS' UsernameCaseMapped (RFC 8265, section 3.3) asks for
/// user names, with full case folding instead of lower-casing so that search finds `STRASSE` for `straße`:
///
/// - compatibility decomposition (NFKD): `Ａ` (full-width) is `A`, `ﬀ` is `ff`, half-width katakana are katakana, and
///   `A` + combining diaeresis is `Ä`;
/// - each character lower-cased, upper-cased and lower-cased again: `Ä` is `ä`, `ß` and `ẞ` are `ss`, `ς` is `σ`,
///   and the dotless `ı` is `i`; `İ` is `i` + combining dot above, so it is not `I`;
/// - composed (NFKC), so that folding twice changes nothing.
///
/// Accents count: `Müller` is not `Muller`. Characters of different scripts that look alike (Latin `a`, Cyrillic `а`)
/// are different.
package enum FoldedText {
    /// The folded form. Cost: one pass over ASCII text and over text of Western European and Japanese letters, some
    /// microseconds for other text.
    package static func of(_ text: String) -> String {
        ofPlainText(text) ?? foldedByLetter(text) ?? foldedAsAWhole(text)
    }

    /// The folded form of ASCII text without control characters; nil for other text.
    static func ofPlainText(_ text: String) -> String? {
        var text = text
        let ascii: String?? = text.withUTF8 { bytes in
            var hasUpperCase = false
            for byte in bytes {
                if byte >= 0x80 || byte < 0x20 { return .none }
                if byte &- 0x41 < 26 { hasUpperCase = true }
            }
            guard hasUpperCase else { return .some(nil) }
            return .some(
                String(unsafeUninitializedCapacity: bytes.count) { target in
                    for index in bytes.indices {
                        let byte = bytes[index]
                        target[index] = byte &- 0x41 < 26 ? byte | 0x20 : byte
                    }
                    return bytes.count
                })
        }
        switch ascii {
        case .some(.some(let folded)): return folded
        case .some(.none): return text
        case .none: return nil
        }
    }

    /// Folds letter by letter if no letter's folding depends on its neighbours: ASCII, Latin-1, Latin Extended-A
    /// without composed letters, kana and Chinese characters. Returns nil if the text has any other character, such as
    /// a combining mark.
    package static func foldedByLetter(_ text: String) -> String? {
        var folded = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x41...0x5A, 0xC0...0xD6, 0xD8...0xDE:
                guard let lower = Unicode.Scalar(scalar.value + 0x20) else { return nil }
                folded.append(lower)
            case 0..<0x80, 0xE0...0xFF, 0x3041...0x3096, 0x30A1...0x30FA, 0x4E00...0x9FFF: folded.append(scalar)
            case 0xDF: for letter in "ss".unicodeScalars { folded.append(letter) }
            case 0x130: for letter in "i\u{307}".unicodeScalars { folded.append(letter) }
            case 0x131: folded.append("i")
            case 0x132, 0x133, 0x138, 0x13F, 0x140, 0x149, 0x178, 0x17F: return nil
            case 0x100...0x137, 0x14A...0x177:
                // Capitals have even numbers here; the small letter is the next one.
                guard let lower = Unicode.Scalar(scalar.value | 1) else { return nil }
                folded.append(lower)
            case 0x139...0x148, 0x179...0x17E:
                // Capitals have odd numbers here.
                guard let lower = Unicode.Scalar(scalar.value + (scalar.value & 1)) else { return nil }
                folded.append(lower)
            default: return nil
            }
        }
        return String(folded)
    }

    /// Folds any text.
    package static func foldedAsAWhole(_ text: String) -> String {
        var folded = text
        // Decomposition comes first, so that the order of accents does not depend on the case. Folding can produce
        // characters that need decomposition again; two rounds suffice for every assigned character.
        for _ in 0..<2 {
            folded = (folded as NSString).decomposedStringWithCompatibilityMapping
            folded = caseFolded(folded)
        }
        return (folded as NSString).precomposedStringWithCompatibilityMapping
    }

    private static func caseFolded(_ text: String) -> String {
        var folded = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar.isASCII {
                let value = scalar.value
                folded.append(value &- 0x41 < 26 ? Unicode.Scalar(UInt8(value | 0x20)) : scalar)
                continue
            }
            for lower in scalar.properties.lowercaseMapping.unicodeScalars {
                for upper in lower.properties.uppercaseMapping.unicodeScalars {
                    // Appending a collection takes time in proportion to the whole text.
                    for letter in upper.properties.lowercaseMapping.unicodeScalars { folded.append(letter) }
                }
            }
        }
        return String(folded)
    }
}
