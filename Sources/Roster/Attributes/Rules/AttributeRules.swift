/// The rules for the values of an attribute. A list of rules applies all of them.
///
/// ```swift
/// try view.attributes.declare("badge", .integer, rules: [.unique, .pattern("[0-9]{4}")])
/// ```
///
/// Every way to write a value checks the rules: creating, modifying, batches, imports, seeds, REST and SCIM.
public struct AttributeRules: Sendable, Hashable, Codable, ExpressibleByArrayLiteral {
    /// Whether no two users have the same value. Case counts only if it counts in comparisons of the attribute.
    public var isUnique: Bool
    /// The regular expression that the whole value must match, in the form of RFC 9485 (I-Regexp); nil for any value.
    ///
    /// `^` and `$` are ordinary characters, because the expression always represents the whole value. Matching takes
    /// linear time. An expression whose repetitions make more than 2,000 steps is refused, and so is a change whose values
    /// take more than 20 million steps: one or a few for each character, or more if the expression is ambiguous, as
    /// `(.*){9}` is. The rule is for text and whole numbers.
    public var pattern: String? { didSet { compiled = Self.compiled(pattern) } }
    /// The least length of a text in Unicode scalars; nil for any length. Empty text is not a value, and always allowed.
    public var minimumLength: Int?
    /// The greatest length of a text in Unicode scalars; nil for any length.
    public var maximumLength: Int?
    /// The least number; nil for any number.
    public var minimum: Double?
    /// The greatest number; nil for any number.
    public var maximum: Double?
    /// The pattern in the form that matches; nil if there is no pattern, or if the pattern has a mistake.
    private var compiled: Pattern?

    /// Makes no rules.
    public init() { self.init(isUnique: false) }

    /// Makes the given rules.
    public init(
        isUnique: Bool, pattern: String? = nil, minimumLength: Int? = nil, maximumLength: Int? = nil,
        minimum: Double? = nil, maximum: Double? = nil
    ) {
        self.isUnique = isUnique
        self.pattern = pattern
        self.minimumLength = minimumLength
        self.maximumLength = maximumLength
        self.minimum = minimum
        self.maximum = maximum
        compiled = Self.compiled(pattern)
    }

    /// Combines rules. If a kind of rule repeats, the last one counts.
    public init(arrayLiteral rules: AttributeRules...) {
        self.init()
        for rule in rules {
            self.init(
                isUnique: isUnique || rule.isUnique, pattern: rule.pattern ?? pattern,
                minimumLength: rule.minimumLength ?? minimumLength, maximumLength: rule.maximumLength ?? maximumLength,
                minimum: rule.minimum ?? minimum, maximum: rule.maximum ?? maximum)
        }
    }

    /// Decodes rules. A missing rule does not apply.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: AttributeField.Key.self)
        self.init(
            isUnique: try values.decodeIfPresent(.unique) ?? false, pattern: try values.decodeIfPresent(.pattern),
            minimumLength: try values.decodeIfPresent(.minimumLength),
            maximumLength: try values.decodeIfPresent(.maximumLength),
            minimum: try values.decodeIfPresent(.minimum), maximum: try values.decodeIfPresent(.maximum))
    }

    /// Encodes the rules that apply.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: AttributeField.Key.self)
        try values.encode(isUnique, forKey: .init(.unique))
        try values.encodeIfPresent(pattern, forKey: .init(.pattern))
        try values.encodeIfPresent(minimumLength, forKey: .init(.minimumLength))
        try values.encodeIfPresent(maximumLength, forKey: .init(.maximumLength))
        try values.encodeIfPresent(minimum, forKey: .init(.minimum))
        try values.encodeIfPresent(maximum, forKey: .init(.maximum))
    }

    /// No two users have the same value.
    public static let unique = AttributeRules(isUnique: true)
    /// The whole value matches a regular expression of RFC 9485; see ``pattern``.
    public static func pattern(_ pattern: String) -> AttributeRules {
        AttributeRules(isUnique: false, pattern: pattern)
    }
    /// A text has at least this many Unicode scalars.
    public static func minimumLength(_ length: Int) -> AttributeRules {
        AttributeRules(isUnique: false, minimumLength: length)
    }
    /// A text has at most this many Unicode scalars.
    public static func maximumLength(_ length: Int) -> AttributeRules {
        AttributeRules(isUnique: false, maximumLength: length)
    }
    /// A number is not less than this one.
    public static func minimum(_ number: Double) -> AttributeRules { AttributeRules(isUnique: false, minimum: number) }
    /// A number is not greater than this one.
    public static func maximum(_ number: Double) -> AttributeRules { AttributeRules(isUnique: false, maximum: number) }

    private static func compiled(_ pattern: String?) -> Pattern? { pattern.flatMap { try? Pattern($0) } }

    /// Whether a rule looks at the value itself. Uniqueness looks at other users.
    var areForValues: Bool {
        pattern != nil || minimumLength != nil || maximumLength != nil || minimum != nil || maximum != nil
    }

    /// The rule that a value breaks, worded to follow the attribute's name, with advice; nil if the value obeys all of
    /// them.
    ///
    /// - Parameter steps: The steps that are left for patterns.
    func broken(by value: AttributeValue, steps: inout Int) -> BrokenRule? {
        if let pattern, let text = value.textOfRules {
            guard let matches = compiled?.matches(text, steps: &steps) else {
                return BrokenRule(
                    "takes too long to compare with its pattern",
                    "Give shorter or fewer values, or have an administrator simplify the pattern.")
            }
            guard matches else {
                return BrokenRule("does not match its pattern", "Give a value that matches '\(pattern)' as a whole.")
            }
        }
        if minimumLength != nil || maximumLength != nil, let text = value.text {
            let length = text.unicodeScalars.count
            if let minimumLength, length < minimumLength {
                return BrokenRule("is too short", "Give at least \(minimumLength) characters.")
            }
            if let maximumLength, length > maximumLength {
                return BrokenRule("is too long", "Give at most \(maximumLength) characters.")
            }
        }
        if let minimum, value.isLess(than: minimum) {
            return BrokenRule("is too small", "Give \(Self.text(minimum)) or more.")
        }
        if let maximum, value.isGreater(than: maximum) {
            return BrokenRule("is too large", "Give \(Self.text(maximum)) or less.")
        }
        return nil
    }

    /// A number without a fraction if it has none.
    static func text(_ number: Double) -> String {
        Int64(exactly: number).map(String.init) ?? String(number)
    }
}

/// The reason why a value is refused.
package struct BrokenRule {
    /// Worded to follow the attribute's name.
    package let problem: String
    package let advice: String

    init(_ problem: String, _ advice: String) {
        self.problem = problem
        self.advice = advice
    }
}

extension AttributeValue {
    /// The text that a pattern looks at; nil for values without text.
    fileprivate var textOfRules: String? {
        if case .integer(let number) = self { return String(number) }
        return text
    }

    fileprivate func isLess(than bound: Double) -> Bool {
        switch self {
        case .decimal(let number): number < bound
        // A bound beyond all whole numbers has no whole number as its ceiling.
        case .integer(let number): Int64(exactly: bound.rounded(.up)).map { number < $0 } ?? (bound > 0)
        default: false
        }
    }

    fileprivate func isGreater(than bound: Double) -> Bool {
        switch self {
        case .decimal(let number): number > bound
        case .integer(let number): Int64(exactly: bound.rounded(.down)).map { number > $0 } ?? (bound < 0)
        default: false
        }
    }
}
