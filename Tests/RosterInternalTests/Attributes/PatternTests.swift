import Foundation
import RosterText
import Testing
import TestSupport

@testable import Roster

/// A pattern with texts that it matches, and others.
struct PatternRow: CustomStringConvertible {
    let pattern: String
    let matches: [String]
    let others: [String]
    var description: String { pattern }

    init(_ pattern: String, _ matches: [String], not others: [String] = []) {
        self.pattern = pattern
        self.matches = matches
        self.others = others
    }
}

extension Pattern {
    /// Whether the pattern matches the whole text, however many steps that takes.
    fileprivate func matches(_ text: String) -> Bool {
        var steps = Int.max
        return matches(text, steps: &steps) == true
    }
}

@Suite("Patterns of RFC 9485")
struct PatternTests {
    static let cases: [PatternRow] = [
        PatternRow("", [""], not: ["a"]), PatternRow("a", ["a"], not: ["", "aa", "A", "b"]),
        PatternRow("abc", ["abc"], not: ["ab", "abcd", "xabc"]), PatternRow("a|b|", ["a", "b", ""], not: ["ab"]),
        PatternRow("(a|bc)d", ["ad", "bcd"], not: ["d", "abcd"]), PatternRow("()", [""], not: ["a"]),
        PatternRow("a*", ["", "a", "aaaa"], not: ["b", "ab"]), PatternRow("a+", ["a", "aa"], not: [""]),
        PatternRow("a?b", ["b", "ab"], not: ["aab"]), PatternRow("a{3}", ["aaa"], not: ["aa", "aaaa"]),
        PatternRow("a{2,}", ["aa", "aaaaa"], not: ["a"]), PatternRow("a{1,3}b", ["ab", "aaab"], not: ["b", "aaaab"]),
        PatternRow("a{0}", [""], not: ["a"]), PatternRow("(ab){2}", ["abab"], not: ["ab", "ababab"]),
        PatternRow("(a*)*", ["", "aaa"], not: ["b"]), PatternRow("(a|b)*abb", ["abb", "aababb"], not: ["ab", "abba"]),
        PatternRow(".", ["a", "ä", "漢", "😀", "\t", "\u{2028}"], not: ["", "\n", "\r", "ab"]),
        PatternRow("^a$", ["^a$"], not: ["a"]), PatternRow("a/b,c-d'e\"f", ["a/b,c-d'e\"f"]),
        PatternRow(#"\(\)\*\+\-\.\?\[\\\]\^\{\|\}"#, [#"()*+-.?[\]^{|}"#]), PatternRow(#"\n\r\t"#, ["\n\r\t"]),
        PatternRow("[a-c]", ["a", "b", "c"], not: ["d", "-", ""]),
        PatternRow("[^a-c]", ["d", "\n", "漢"], not: ["a", "c"]),
        PatternRow("[a-]", ["a", "-"], not: ["b"]), PatternRow("[-a]", ["a", "-"], not: ["b"]),
        PatternRow("[^-]", ["a"], not: ["-"]),
        PatternRow("[a-c-]", ["b", "-"], not: ["d"]), PatternRow("[--]", ["-"], not: ["a"]),
        PatternRow(#"[\]\[\-\\]"#, ["]", "[", "-", "\\"], not: ["a"]),
        PatternRow("[.*?+(){}|$^]", [".", "*", "$", "^", "{"], not: ["a"]),
        PatternRow("[^^]", ["a"], not: ["^"]), PatternRow("[a^]", ["a", "^"], not: ["b"]),
        PatternRow("[äöü]+", ["äöü"], not: ["a\u{308}"]), PatternRow("[😀-😂]", ["😁"], not: ["😃"]),
        PatternRow(#"\p{L}+"#, ["Zoë", "漢字", "Яша"], not: ["a1", "", "a b"]),
        PatternRow(#"\p{Lu}"#, ["A", "Ä"], not: ["a", "1"]),
        PatternRow(#"\P{L}"#, ["1", " ", "-"], not: ["a"]), PatternRow(#"\p{Nd}{2}"#, ["12", "٣٤"], not: ["1", "Ⅷ1"]),
        PatternRow(#"\p{N}"#, ["1", "Ⅷ", "½"], not: ["a"]), PatternRow(#"\p{Sc}"#, ["€", "$"], not: ["+"]),
        PatternRow(#"\p{Zs}"#, [" ", "\u{A0}"], not: ["\n", "\u{2028}"]),
        PatternRow(#"\p{P}"#, ["!", "-", "«"], not: ["+"]),
        PatternRow(#"\p{Cc}"#, ["\u{1}", "\n"], not: ["a"]), PatternRow(#"\p{Cn}"#, ["\u{378}"], not: ["a"]),
        PatternRow(#"\p{Co}"#, ["\u{E000}"], not: ["a"]), PatternRow(#"\p{M}"#, ["\u{301}"], not: ["e"]),
        PatternRow(#"[\p{Lu}0-9_]"#, ["A", "5", "_"], not: ["a", "-"]), PatternRow(#"[^\p{L}]"#, ["1"], not: ["é"]),
        PatternRow(#"[\P{L}a]"#, ["1", "a"], not: ["b"]),
        PatternRow("[0-9]{4}", ["0420"], not: ["420", "04200", "a420"]),
        PatternRow(#"[A-Z]{2}[0-9]{2}(-[0-9]{1,3})?"#, ["AB12", "AB12-7"], not: ["AB12-", "AB1"]),
    ]

    @Test("A pattern matches a whole text, and no part of one", arguments: cases)
    func table(row: PatternRow) throws {
        let pattern = try Pattern(row.pattern)
        for text in row.matches { #expect(pattern.matches(text), "\(text.debugDescription)") }
        for text in row.others { #expect(!pattern.matches(text), "\(text.debugDescription)") }
    }

    static let refused: [String] = [
        "(", "a(", "a)", ")", "[", "[]", "[^]", "[a", "[a-", "[z-a]", "[a-b-c]", "[[]", "*", "+a", "?", "|*", "(*)",
        "a**",
        "a+?", "a{2}{3}", "{2}", "a{", "a{}", "a{,3}", "a{3,2}", "a{2", "a{2,", "a{x}", "a}", "]", "\\", "\\d", "\\w",
        "\\s", "\\S", "\\b", "\\1", "\\$", "\\u0041", "\\/", "\\p", "\\pL", "\\p{", "\\p{}", "\\p{X}", "\\p{Lx}",
        "\\p{Cs}", "\\p{IsLatin}", "\\p{Lu", "[\\d]", "[\\p{L}-z]", "[a-\\p{L}]",
        String(repeating: "(", count: 200) + String(repeating: ")", count: 200), String(repeating: "a", count: 5_000),
        "(a{1000}){1000}", "a{1000000}", "a{99999999999999999999}", "((((a{99}){99}){99}){99}){99}", "(){1000000}",
        "(){99999}{2}", "(a{0}){1000000}", "(a|b|c|d){1,2000}", "a{2001}",
    ]

    @Test("A mistake in a pattern, and a pattern that is too large, are refused at once", arguments: refused)
    func mistakes(text: String) throws {
        let time = processorTime {
            #expect(throws: PatternMistake.self, "\(text.prefix(50))") { try Pattern(text) }
        }
        #expect(time < .milliseconds(500))
    }

    @Test("The mistake says where it is")
    func places() {
        for (text, problem) in [
            ("ab(c", "at character 4"), ("[z-a]", "not in order"), ("a{1000}{2}", "repeats nothing"),
            ("\\d", "unknown escape"),
        ] {
            let error = #expect(throws: PatternMistake.self) { try Pattern(text) }
            #expect(error?.problem.contains(problem) == true, "\(error.debugDescription)")
        }
    }

    @Test(
        "Matching takes linear time for patterns that make others backtrack",
        arguments: ["(a|a)*b", "(a*)*b", "(a+)+b", "(a|aa)+b", "((a*)*)*b", "(a?){20}a{20}b*c", ".*.*.*.*b"])
    func linearTime(text: String) throws {
        let pattern = try Pattern(text)
        let half = String(repeating: "a", count: text == "(a|a)*b" ? 50_000 : 5_000)
        let time = processorTime { #expect(!pattern.matches(half)) }
        let double = processorTime { #expect(!pattern.matches(half + half)) }
        #expect(double < .seconds(30), "\(double)")
        #expect(double < time * 6 + .milliseconds(100), "\(time), then \(double)")
    }

    @Test("Matching ends when the steps are used up, and takes none for others that compare a scalar with the same set")
    func boundedSteps() throws {
        let long = String(repeating: "a", count: 65_536)
        for text in ["(a*){600}", "(.*){600}", #"(\p{L}*){600}"#, #"([\p{L}0-9]*){600}"#] {
            let pattern = try Pattern(text)
            var steps = 2_000_000
            #expect(pattern.matches(long, steps: &steps) == nil && steps <= 0 && steps > -10_000, "\(text) \(steps)")
            #expect(pattern.matches("a", steps: &steps) == nil, "nothing is left")
        }
        let many = String((0..<1_900).compactMap { UnicodeScalar(0x4E00 + $0 * 2).map { Character($0) } })
        let pattern = try Pattern("([\(many)a]*){600}")
        var steps = 10_000_000
        #expect(pattern.matches(String(repeating: "a", count: 1_000), steps: &steps) == true)
        #expect(10_000_000 - steps < 1_000 * (1_901 + 3_700), "one look at the set for each scalar, not 600")
    }

    @Test("Random patterns and texts never crash", arguments: 1...20 as ClosedRange<UInt64>)
    func fuzz(seed: UInt64) {
        print("seed number \(seed)")
        var noise = NastyText(seed: seed)
        let pieces = [
            "a", "b", "(", ")", "[", "]", "{", "}", "*", "+", "?", "|", ".", "^", "-", "\\", "\\p{L}", "\\P{Nd}", "{2}",
            "{1,3}", "{0,}", "é", "😀", "\n", ",", "9",
        ]
        var compiled = 0
        for _ in 0..<2_000 {
            func some(_ most: Int) -> String {
                (0..<Int.random(in: 0...most, using: &noise)).map { _ in pieces.randomElement(using: &noise) ?? "" }
                    .joined()
            }
            guard let pattern = try? Pattern(some(12)) else { continue }
            compiled += 1
            for _ in 0..<3 { _ = pattern.matches(some(20)) }
        }
        #expect(compiled > 100)
    }

    @Test(
        "Random small patterns match the same texts as a slow reference implementation",
        arguments: 1...20 as ClosedRange<UInt64>)
    func againstDefinition(seed: UInt64) throws {
        print("seed number \(seed)")
        var noise = NastyText(seed: seed)
        let texts = (0...5).flatMap { length in
            (0..<(1 << length)).map { number in
                (0..<length).map { number >> $0 & 1 == 0 ? "a" : "b" }.joined()
            }
        }
        for _ in 0..<40 {
            let node = Self.random(&noise, depth: 3)
            let pattern = try Pattern(Self.text(node))
            for text in texts {
                let ends = Self.ends(node, Array(text.unicodeScalars), 0)
                #expect(pattern.matches(text) == ends.contains(text.count), "\(pattern.text) \(text)")
            }
        }
    }

    private static func random(_ noise: inout NastyText, depth: Int) -> PatternNode {
        switch Int.random(in: 0..<(depth > 0 ? 6 : 2), using: &noise) {
        case 0: return .scalars(.only("a"))
        case 1: return .scalars(.only("b"))
        case 2: return .sequence([random(&noise, depth: depth - 1), random(&noise, depth: depth - 1)])
        case 3: return .choice([random(&noise, depth: depth - 1), .empty, random(&noise, depth: depth - 1)])
        case 4:
            return .repetition(random(&noise, depth: depth - 1), least: Int.random(in: 0...2, using: &noise), most: nil)
        default:
            let least = Int.random(in: 0...2, using: &noise)
            return .repetition(
                random(&noise, depth: depth - 1), least: least, most: least + Int.random(in: 0...2, using: &noise))
        }
    }

    private static func text(_ node: PatternNode) -> String {
        switch node {
        case .empty: ""
        case .scalars(let set): set.contains("a") ? "a" : "b"
        case .sequence(let nodes): nodes.map(text).joined()
        case .choice(let nodes): "(" + nodes.map(text).joined(separator: "|") + ")"
        case .repetition(let node, let least, let most):
            "(\(text(node))){\(least)" + (most.map { ",\($0)}" } ?? ",}")
        }
    }

    /// The places in the text at which a match that begins at `start` can end.
    private static func ends(_ node: PatternNode, _ text: [Unicode.Scalar], _ start: Int) -> Set<Int> {
        switch node {
        case .empty: return [start]
        case .scalars(let set): return start < text.count && set.contains(text[start]) ? [start + 1] : []
        case .sequence(let nodes):
            return nodes.reduce([start]) { places, node in
                places.reduce(into: []) { $0.formUnion(ends(node, text, $1)) }
            }
        case .choice(let nodes): return nodes.reduce(into: []) { $0.formUnion(ends($1, text, start)) }
        case .repetition(let node, let least, let most):
            var places: Set<Int> = [start]
            for _ in 0..<least { places = places.reduce(into: []) { $0.formUnion(ends(node, text, $1)) } }
            var all = places
            for _ in 0..<(most.map { $0 - least } ?? text.count + 1) {
                places = places.reduce(into: []) { $0.formUnion(ends(node, text, $1)) }
                all.formUnion(places)
            }
            return all
        }
    }
}
