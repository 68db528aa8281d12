import Foundation

/// Prepares passwords for hashing and comparison, as the profile OpaqueString of PRECIS asks (RFC 8265, section 4.2): devices
/// compose letters in different ways, and have different spaces.
package enum OpaqueString {
    /// The prepared form of a password: every space that is not ASCII becomes U+0020, then the text is composed (NFC). Case and
    /// width stay.
    package static func prepared(_ password: String) -> String {
        guard password.utf8.contains(where: { $0 >= 0x80 }) else { return password }
        var scalars = String.UnicodeScalarView()
        for scalar in password.unicodeScalars {
            scalars.append(scalar.properties.generalCategory == .spaceSeparator ? " " : scalar)
        }
        return String(scalars).precomposedStringWithCanonicalMapping
    }

    /// A reason why a character cannot be in a new password. It names no character, because that is a part of the password.
    package enum Problem: String, Error, Sendable, Hashable {
        case control = "a control character"
        case unassigned = "a character that Unicode does not define"
        case privateUse = "a private-use character"
        case invisible = "an invisible character"
        case oldLetter = "a letter of old Korean, or a sign that only changes how its neighbours look"
        case outOfPlace = "a character that is allowed only beside certain others"
    }

    /// Refuses a prepared password that has a character outside the FreeformClass (RFC 8264, section 8).
    package static func check(_ prepared: String) throws(Problem) {
        if prepared.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return }
        let scalars = Array(prepared.unicodeScalars)
        for (index, scalar) in scalars.enumerated() where !(0x20...0x7E).contains(scalar.value) {
            if let problem = problem(scalar) { throw problem }
            guard hasItsContext(scalar, at: index, of: scalars) else { throw .outOfPlace }
        }
    }

    /// The reason why a character is never allowed.
    private static func problem(_ scalar: Unicode.Scalar) -> Problem? {
        switch scalar.value {
        // The exceptions of RFC 8264, section 9.6, and the jamo of its section 9.9.
        case 0x640, 0x7FA, 0x302E, 0x302F, 0x3031...0x3035, 0x303B: return .oldLetter
        case 0x1100...0x11FF, 0xA960...0xA97C, 0xD7B0...0xD7C6, 0xD7CB...0xD7FB: return .oldLetter
        default: break
        }
        let properties = scalar.properties
        if properties.isNoncharacterCodePoint { return .unassigned }
        if properties.isJoinControl { return nil }
        if properties.isDefaultIgnorableCodePoint { return .invisible }
        return switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: .control
        case .unassigned: .unassigned
        case .privateUse: .privateUse
        case .format: .invisible
        default: nil
        }
    }

    /// Whether a character is between the neighbours that RFC 5892, appendix A, asks for. Most characters need none.
    private static func hasItsContext(_ scalar: Unicode.Scalar, at index: Int, of scalars: [Unicode.Scalar]) -> Bool {
        let before = index > 0 ? scalars[index - 1] : nil
        let after = index + 1 < scalars.count ? scalars[index + 1] : nil
        func matches(_ part: some Sequence<Unicode.Scalar>, _ pattern: String) -> Bool {
            var text = String.UnicodeScalarView()
            text.append(contentsOf: part)
            return String(text).range(of: pattern, options: .regularExpression) != nil
        }
        switch scalar.value {
        case 0x200C:
            return before?.properties.canonicalCombiningClass == .virama
                || matches(scalars[..<index], "[\\p{Joining_Type=L}\\p{Joining_Type=D}]\\p{Joining_Type=T}*$")
                    && matches(scalars[(index + 1)...], "^\\p{Joining_Type=T}*[\\p{Joining_Type=R}\\p{Joining_Type=D}]")
        case 0x200D: return before?.properties.canonicalCombiningClass == .virama
        case 0xB7: return before == "l" && after == "l"
        case 0x375: return matches(after.map { [$0] } ?? [], "\\p{Script=Greek}")
        case 0x5F3, 0x5F4: return matches(before.map { [$0] } ?? [], "\\p{Script=Hebrew}")
        case 0x30FB: return matches(scalars, "[\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Han}]")
        case 0x660...0x669: return !scalars.contains { (0x6F0...0x6F9).contains($0.value) }
        case 0x6F0...0x6F9: return !scalars.contains { (0x660...0x669).contains($0.value) }
        default: return true
        }
    }
}
