import Foundation

/// The form in which names and text are compared: without regard to case, width and composition.
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
    /// The folded form. Cost: one pass over ASCII text, some microseconds for other text.
    package static func of(_ text: String) -> String {
        var text = text
        let ascii: String?? = text.withUTF8 { bytes in
            var hasUpperCase = false
            for byte in bytes {
                if byte >= 0x80 { return .none }
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
        case .none: return foldUnicode(text)
        }
    }

    private static func foldUnicode(_ text: String) -> String {
        var folded = text
        // Taken apart first, so that the order of accents does not depend on the case; folding can bring forth what is
        // to be taken apart again, and two rounds settle every assigned character.
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
                    folded.append(contentsOf: upper.properties.lowercaseMapping.unicodeScalars)
                }
            }
        }
        return String(folded)
    }
}
