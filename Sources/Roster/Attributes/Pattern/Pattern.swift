/// A regular expression of RFC 9485 (I-Regexp), compiled for matching in linear time.
///
/// The pattern always matches a whole text, so `^` and `$` are ordinary characters. A program of instructions runs over
/// the Unicode scalars of the text and keeps the set of its reachable states (Thompson's simulation). Each scalar takes as
/// many steps as it reaches instructions, and one for each part of each set of scalars that they compare it with.
struct Pattern: Sendable, Hashable {
    /// The largest number of instructions of a program.
    static let maximumSize = 2_000
    /// The longest pattern, in Unicode scalars.
    static let maximumScalars = 4_096
    /// The largest number of steps for all values of a change, which is some hundredths of a second. The writer waits meanwhile.
    static let maximumSteps = 20_000_000

    /// The pattern as it was written.
    let text: String
    private let program: PatternProgram

    /// - Throws: ``PatternMistake``.
    init(_ text: String) throws {
        self.text = text
        var parser = try PatternParser(text)
        program = try PatternProgram(parser.parse())
    }

    /// Whether the pattern matches the whole text; nil if that takes more steps than are left.
    ///
    /// - Parameter steps: The steps that are left, from which the match takes its own.
    func matches(_ text: String, steps: inout Int) -> Bool? { program.matches(text.unicodeScalars, &steps) }

    /// Patterns are equal if their texts are equal.
    static func == (left: Pattern, right: Pattern) -> Bool { left.text == right.text }
    /// Hashes the text.
    func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension Unicode.GeneralCategory {
    /// The categories that patterns can name. Surrogates are not among them, because no text contains one.
    private static let names: [(name: String, category: Unicode.GeneralCategory)] = [
        ("Lu", .uppercaseLetter), ("Ll", .lowercaseLetter), ("Lt", .titlecaseLetter), ("Lm", .modifierLetter),
        ("Lo", .otherLetter), ("Mn", .nonspacingMark), ("Mc", .spacingMark), ("Me", .enclosingMark),
        ("Nd", .decimalNumber), ("Nl", .letterNumber), ("No", .otherNumber), ("Pc", .connectorPunctuation),
        ("Pd", .dashPunctuation), ("Ps", .openPunctuation), ("Pe", .closePunctuation), ("Pi", .initialPunctuation),
        ("Pf", .finalPunctuation), ("Po", .otherPunctuation), ("Sm", .mathSymbol), ("Sc", .currencySymbol),
        ("Sk", .modifierSymbol), ("So", .otherSymbol), ("Zs", .spaceSeparator), ("Zl", .lineSeparator),
        ("Zp", .paragraphSeparator), ("Cc", .control), ("Cf", .format), ("Cn", .unassigned), ("Co", .privateUse),
    ]

    /// The categories with a name such as `Lu`, or with a first letter such as `L`; empty for any other text.
    static func named(_ text: String) -> Set<Unicode.GeneralCategory> {
        guard (1...2).contains(text.unicodeScalars.count) else { return [] }
        return Set(names.filter { $0.name == text || $0.name.prefix(1) == text }.map(\.category))
    }
}
