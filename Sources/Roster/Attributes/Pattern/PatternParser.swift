/// Parses the grammar of RFC 9485, section 5.3.
struct PatternParser {
    /// The deepest nesting of parentheses.
    private static let maximumDepth = 50
    private let scalars: [Unicode.Scalar]
    private var next = 0
    private var depth = 0

    /// - Throws: ``PatternMistake`` for a pattern that is too long.
    init(_ text: String) throws {
        scalars = Array(text.unicodeScalars.prefix(Pattern.maximumScalars + 1))
        guard scalars.count <= Pattern.maximumScalars else {
            throw PatternMistake(
                problem: "is longer than \(Pattern.maximumScalars) characters", advice: "Write a shorter pattern.")
        }
    }

    mutating func parse() throws -> PatternNode {
        let node = try choice()
        guard next == scalars.count else {
            throw mistake("has a ')' without a '('", advice: "Write '\\)' for the character itself.")
        }
        return node
    }

    // MARK: Branches

    private mutating func choice() throws -> PatternNode {
        var branches = [try branch()]
        while take("|") { branches.append(try branch()) }
        return branches.count == 1 ? branches[0] : .choice(branches)
    }

    private mutating func branch() throws -> PatternNode {
        var pieces: [PatternNode] = []
        while let scalar = peek, scalar != "|", scalar != ")" { pieces.append(try piece()) }
        return pieces.isEmpty ? .empty : pieces.count == 1 ? pieces[0] : .sequence(pieces)
    }

    private mutating func piece() throws -> PatternNode {
        let atom = try atom()
        if take("*") { return .repetition(atom, least: 0, most: nil) }
        if take("+") { return .repetition(atom, least: 1, most: nil) }
        if take("?") { return .repetition(atom, least: 0, most: 1) }
        guard take("{") else { return atom }
        let least = try number()
        var most: Int? = least
        if take(",") { most = peek == "}" ? nil : try number() }
        guard take("}") else { throw mistake("has a repetition without its '}'", advice: "Write it as in 'a{2,5}'.") }
        if let most, most < least {
            throw mistake("has a repetition whose maximum is less than its minimum", advice: "Write it as in 'a{2,5}'.")
        }
        return .repetition(atom, least: least, most: most)
    }

    /// Numbers beyond a million count as a million, which is too large for a program anyway.
    private mutating func number() throws -> Int {
        let start = next
        var number = 0
        while let scalar = peek, ("0"..."9").contains(scalar) {
            number = min(number * 10 + Int(scalar.value - 48), 1_000_000)
            next += 1
        }
        guard next > start else {
            throw mistake(
                "has a repetition without a number", advice: "Write it as in 'a{2,5}', and '\\{' for a brace.")
        }
        return number
    }

    // MARK: Atoms

    private mutating func atom() throws -> PatternNode {
        guard let scalar = peek else { return .empty }
        next += 1
        switch scalar {
        case "(":
            depth += 1
            guard depth <= Self.maximumDepth else {
                throw mistake(
                    "nests more than \(Self.maximumDepth) parentheses", advice: "Write a simpler pattern.")
            }
            let node = try choice()
            guard take(")") else { throw mistake("has a '(' without its ')'", advice: "Close it, or write '\\('.") }
            depth -= 1
            return node
        case ".": return .scalars(.withoutLineEnds)
        case "[": return .scalars(try list())
        case "\\": return .scalars(ScalarSet([try escape()]))
        case "*", "+", "?", "{":
            throw mistake("repeats nothing with '\(scalar)'", advice: "Write '\\\(scalar)' for the character itself.")
        case "]", "}":
            throw mistake(
                "has a '\(scalar)' without its bracket", advice: "Write '\\\(scalar)' for the character itself.")
        default: return .scalars(.only(scalar))
        }
    }

    /// Parses the rest of an escape after its backslash.
    private mutating func escape() throws -> ScalarSet.Part {
        guard let scalar = peek else { throw mistake("ends with a '\\'", advice: "Write '\\\\' for a backslash.") }
        next += 1
        switch scalar {
        case "n": return .range(10...10)
        case "r": return .range(13...13)
        case "t": return .range(9...9)
        case "(", ")", "*", "+", "-", ".", "?", "[", "\\", "]", "^", "{", "|", "}":
            return .range(scalar.value...scalar.value)
        case "p", "P":
            guard take("{"), let end = scalars[next...].firstIndex(of: "}") else {
                throw mistake("has a '\\\(scalar)' without a category", advice: "Write it as in '\\p{Lu}'.")
            }
            var name = String.UnicodeScalarView()
            name.append(contentsOf: scalars[next..<min(end, next + 3)])
            let categories = Unicode.GeneralCategory.named(String(name))
            guard !categories.isEmpty else {
                throw mistake(
                    "names a category that Unicode does not have", advice: "Name one such as L, Lu, Nd or P.")
            }
            next = end + 1
            return .categories(categories, isNegated: scalar == "P")
        default:
            throw mistake(
                "has an unknown escape '\\\(scalar)'",
                advice: "RFC 9485 has no \\d, \\w and \\s: write [0-9], \\p{L} or a space.")
        }
    }

    /// Parses a list in brackets, after its opening bracket.
    private mutating func list() throws -> ScalarSet {
        var set = ScalarSet([], isNegated: take("^"))
        if take("-") { set.parts.append(.range(45...45)) }
        while !take("]") {
            guard let scalar = peek else {
                throw mistake("has a '[' without its ']'", advice: "Close it, or write '\\['.")
            }
            if scalar == "-" {
                next += 1
                guard peek == "]" else {
                    throw mistake(
                        "has a '-' inside a list", advice: "Write '\\-' for a hyphen, or put it first or last.")
                }
                set.parts.append(.range(45...45))
                continue
            }
            let first = try member()
            guard case .range(let range) = first, peek == "-", next + 1 < scalars.count, scalars[next + 1] != "]" else {
                set.parts.append(first)
                continue
            }
            next += 1
            guard case .range(let last) = try member(), range.lowerBound <= last.lowerBound else {
                throw mistake("has a range whose ends are not in order", advice: "Write it as in '[a-z]'.")
            }
            set.parts.append(.range(range.lowerBound...last.lowerBound))
        }
        guard !set.parts.isEmpty else { throw mistake("has an empty list", advice: "List characters, as in '[a-z]'.") }
        return set
    }

    private mutating func member() throws -> ScalarSet.Part {
        guard let scalar = peek else { throw mistake("has a '[' without its ']'", advice: "Close it, or write '\\['.") }
        next += 1
        switch scalar {
        case "\\": return try escape()
        case "[", "]", "-":
            throw mistake("has a '\(scalar)' inside a list", advice: "Write '\\\(scalar)' for the character itself.")
        default: return .range(scalar.value...scalar.value)
        }
    }

    // MARK: Scalars

    private var peek: Unicode.Scalar? { next < scalars.count ? scalars[next] : nil }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard peek == scalar else { return false }
        next += 1
        return true
    }

    private func mistake(_ problem: String, advice: String) -> PatternMistake {
        PatternMistake(problem: "\(problem), at character \(max(next, 1))", advice: advice)
    }
}
