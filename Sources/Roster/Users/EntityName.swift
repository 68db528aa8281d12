import Foundation
import RosterText

/// The checked name of a user or a role.
///
/// A name keeps the spelling it was given. Names are compared by their key, which ignores case, width and composition
/// (PRECIS UsernameCaseMapped, RFC 8265, section 3.3, with Unicode's full case folding): `Ada`, `ADA` and `ａｄａ` are one
/// name, and so are `straße` and `STRASSE`. Letters of different scripts that look alike stay different.
///
/// A name has 1 to 256 characters and at most 1,024 bytes of UTF-8. It has no control, format, private-use or
/// unassigned characters, and no white space except single spaces inside.
public struct EntityName: Sendable, Hashable, CustomStringConvertible {
    /// The name as it was spelled when it was given.
    public let text: String
    /// The form in which names are compared.
    public let key: String

    /// Checks a name.
    ///
    /// - Throws: ``DirectoryError`` `invalidName` if the text breaks one of the rules above.
    public init(_ text: String) throws {
        func refuse(_ problem: String) -> DirectoryError {
            DirectoryError(
                .invalidName, "\(Self.shown(text)) is not a name: \(problem).",
                advice: "Use letters, digits and punctuation.")
        }
        guard !text.isEmpty else { throw refuse("it is empty") }
        guard text.utf8.count <= 256 || text.utf8.count <= 1_024 && text.count <= 256 else {
            throw refuse("it is longer than 256 characters")
        }
        var previousWasSpace = true
        for scalar in text.unicodeScalars {
            if scalar == " " {
                if previousWasSpace { throw refuse("it has a space at the start, or two in a row") }
                previousWasSpace = true
                continue
            }
            previousWasSpace = false
            if scalar.isASCII, scalar.value > 0x20, scalar.value < 0x7F { continue }
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
                .spaceSeparator:
                throw refuse("it has the character U+\(String(scalar.value, radix: 16, uppercase: true))")
            default:
                if scalar.properties.isDefaultIgnorableCodePoint { throw refuse("it has an invisible character") }
            }
        }
        if previousWasSpace { throw refuse("it ends with a space") }
        self.text = text
        key = TextKey.of(text)
        if key.isEmpty { throw refuse("nothing is left of it when it is compared") }
    }

    /// Checks a name for a new user or role, which has to follow stricter rules than an existing name.
    ///
    /// Many requests accept a name or an identifier, so a name must not look like an identifier: a user could otherwise
    /// be mistaken for another. This refuses about one in four million names of eleven such letters and digits by
    /// chance. A new name must also not look blank, nor have the form in which the log shows virtual users
    /// (``VirtualUser/shownName(issuer:subject:)``), and the path of an address must be able to carry it (``isAddressable(_:)``).
    ///
    /// - Parameter isFromProvider: Whether an identity provider gave the name, which then need not fit into the path of an address.
    /// - Throws: ``DirectoryError`` `invalidName` if the text breaks a rule.
    package init(new text: String, isFromProvider: Bool = false) throws {
        try self.init(text)
        guard Self.isVisible(text) else {
            throw DirectoryError(
                .invalidName, "\(Self.shown(text)) is not a name: it has a character that looks blank, or only marks.",
                advice: "Use letters, digits and punctuation.")
        }
        guard !key.hasPrefix("virtual ") || !key.utf8.contains(UInt8(ascii: "#")) else {
            throw DirectoryError(
                .invalidName, "\(Self.shown(text)) is not a name: it has the form in which virtual users are shown.",
                advice: "Choose a name without '#'.")
        }
        guard isFromProvider || Self.isAddressable(text) else {
            throw DirectoryError(
                .invalidName,
                "\(Self.shown(text)) is not a name: an address such as https://example.com/people/NAME cannot carry it.",
                advice: "Choose a name that is not '.', '..' or '~', and has no '/', '\\', ';', '%2F', '%5C' or '%00'.")
        }
        if let id = UserID(key), id.rawValue < 1 << 33 {
            throw DirectoryError(
                .invalidName, "\(Self.shown(text)) is not a name: it has the form of an identifier of this directory.",
                advice: "Choose another name.")
        }
    }

    /// Whether the path of an address can carry a name. Clients and proxies resolve `.` and `..`, and refuse or decode `/`,
    /// `\`, `;` and their encoded forms even if these are encoded once more; `~` represents the caller in a path. Users and
    /// roles of older directories can have such a name; addresses have their identifier in its place.
    package static func isAddressable(_ name: String) -> Bool {
        // Most names are plain.
        let isPlain = name.utf8.allSatisfy { PercentEncoding.isUnreserved($0) || $0 == UInt8(ascii: "@") }
        if isPlain, name.utf8.contains(where: { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "~") }) { return true }
        let folded = FoldedText.of(name)
        return !relative.contains(folded) && !separators.contains { folded.contains($0) }
    }
    private static let relative: Set<String> = [".", "..", "~"]
    private static let separators = ["/", "\\", ";", "%2f", "%5c", "%00"]

    /// A name as a segment of a path: percent-encoded, or the identifier if a path cannot carry the name.
    package static func segment(_ name: String, _ id: String) -> String {
        isAddressable(name) ? PercentEncoding.segment(name) : id
    }

    /// The text that a person entered as a name, without white space around. Keyboards add a space to a word that they complete,
    /// and no name begins or ends with one.
    package static func entered(_ text: String) -> String { text.trimmingCharacters(in: .whitespacesAndNewlines) }

    /// Characters that are displayed as nothing or as a blank, although Unicode counts them among symbols, letters and
    /// marks: the blank Braille pattern, the object replacement character, blank hieroglyphs, the Khitan filler, the
    /// Brahmi number joiner and the null notehead.
    private static let blanks: Set<UInt32> = [0x2800, 0xFFFC, 0x13441, 0x13442, 0x16FE4, 0x1107F, 0x1D159]

    /// Whether a name is visible: it has a character besides combining marks, and none that looks blank. Only new names
    /// and those of virtual users must be visible, because older names have to keep working.
    package static func isVisible(_ text: String) -> Bool {
        var hasBase = false
        for scalar in text.unicodeScalars {
            if scalar.isASCII {
                hasBase = true
                continue
            }
            if blanks.contains(scalar.value) { return false }
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .spacingMark, .enclosingMark: continue
            default: hasBase = true
            }
        }
        return hasBase
    }

    /// The name as it was spelled when it was given.
    public var description: String { text }

    /// Names are equal when their keys are.
    public static func == (left: Self, right: Self) -> Bool { left.key == right.key }
    /// Hashes the key.
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }

    /// The text in the form used by messages: quoted, shortened, without control characters.
    package static func shown(_ text: String) -> String {
        let safe = text.unicodeScalars.prefix(64).map { scalar in
            scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format
                ? "?" : String(scalar)
        }.joined()
        return "'\(safe)\(text.unicodeScalars.count > 64 ? "…" : "")'"
    }
}
