import Foundation
import RosterText

/// The practical form of a Mailbox of RFC 5321, with the UTF-8 of RFC 6531.
///
/// Dots may be anywhere in the local part, and a domain may be one label or contain `_`, because organisations use
/// such addresses.
enum MailAddress {
    private static let maximumBytes = 254
    private static let maximumLocalBytes = 64
    private static let maximumLabelBytes = 63

    static func isValid(_ text: String) -> Bool {
        guard text.utf8.count <= maximumBytes, let at = text.unicodeScalars.lastIndex(of: "@"),
            !text.unicodeScalars.contains(where: isControl)
        else { return false }
        let local = text.unicodeScalars[..<at]
        let domain = text.unicodeScalars[text.unicodeScalars.index(after: at)...]
        return isLocal(local) && isDomain(domain)
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        // Looking up properties would dominate the check of an ASCII address.
        guard !scalar.isASCII else { return scalar.value < 0x20 || scalar.value == 0x7F }
        return switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    private static func isLocal(_ local: Substring.UnicodeScalarView) -> Bool {
        guard (1...maximumLocalBytes).contains(String(local).utf8.count) else { return false }
        guard local.first == "\"" else { return !local.contains { isSpecial($0) } }
        // A quoted local part can have any character. The character after a backslash means itself.
        var rest = local.dropFirst()
        while let scalar = rest.popFirst() {
            if scalar == "\"" { return rest.isEmpty }
            if scalar == "\\", rest.popFirst() == nil { return false }
        }
        return false
    }

    private static func isSpecial(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\"", "(", ")", ",", ":", ";", "<", ">", "@", "[", "\\", "]": true
        default: scalar.isASCII ? scalar.value <= 0x20 : scalar.properties.isWhitespace
        }
    }

    private static func isDomain(_ domain: Substring.UnicodeScalarView) -> Bool {
        if domain.first == "[" {
            return domain.last == "]" && domain.count > 2
                && domain.dropFirst().dropLast().allSatisfy { isLetterOrDigit($0) || [".", ":", "-"].contains($0) }
        }
        return domain.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            (1...maximumLabelBytes).contains(String(label).utf8.count) && label.first != "-" && label.last != "-"
                && label.allSatisfy { isLetterOrDigit($0) || $0 == "-" || $0 == "_" }
        }
    }

    private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
        guard !scalar.isASCII else {
            return ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
        }
        return !scalar.properties.isWhitespace
    }
}
