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

/// A mistake in a pattern.
struct PatternMistake: Error {
    /// The mistake, worded to follow "the pattern".
    let problem: String
    /// Advice on correcting the mistake.
    let advice: String
}

/// A part of a parsed pattern.
indirect enum PatternNode {
    case empty
    case scalars(ScalarSet)
    case sequence([PatternNode])
    case choice([PatternNode])
    case repetition(PatternNode, least: Int, most: Int?)

    /// The number of instructions of the part, without overflow. Every part counts at least one, so that building the
    /// program takes no more steps than the number says.
    var size: Int {
        func sum(_ nodes: [PatternNode], and more: Int) -> Int {
            nodes.reduce(more) { Self.add($0, $1.size) }
        }
        switch self {
        case .empty, .scalars: return 1
        case .sequence(let nodes): return sum(nodes, and: 1)
        case .choice(let nodes): return sum(nodes, and: 2 * nodes.count)
        case .repetition(let node, let least, let most):
            let size = node.size
            let needed = Self.multiply(size, least)
            guard let most else { return Self.add(needed, size + 2) }
            return Self.add(needed, Self.add(Self.multiply(Self.add(size, 1), most - least), 1))
        }
    }

    private static let most = 1 << 40

    private static func add(_ left: Int, _ right: Int) -> Int { min(left + right, most) }

    private static func multiply(_ left: Int, _ right: Int) -> Int {
        let (product, overflows) = left.multipliedReportingOverflow(by: right)
        return overflows ? most : min(product, most)
    }
}

/// The scalars that one place of a pattern accepts.
struct ScalarSet: Sendable, Hashable {
    enum Part: Sendable, Hashable {
        case range(ClosedRange<UInt32>)
        case categories(Set<Unicode.GeneralCategory>, isNegated: Bool)
    }
    var parts: [Part]
    var isNegated = false

    init(_ parts: [Part], isNegated: Bool = false) {
        self.parts = parts
        self.isNegated = isNegated
    }

    /// Every scalar except the two that end a line.
    static let withoutLineEnds = ScalarSet([.range(10...10), .range(13...13)], isNegated: true)

    static func only(_ scalar: Unicode.Scalar) -> ScalarSet { ScalarSet([.range(scalar.value...scalar.value)]) }

    /// The only scalar of the set; nil for other sets.
    var only: Unicode.Scalar? {
        guard !isNegated, parts.count == 1, case .range(let range) = parts[0], range.count == 1 else { return nil }
        return Unicode.Scalar(range.lowerBound)
    }

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        let isListed = parts.contains { part in
            switch part {
            case .range(let range): range.contains(scalar.value)
            case .categories(let categories, let isNegated):
                categories.contains(scalar.properties.generalCategory) != isNegated
            }
        }
        return isListed != isNegated
    }
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
