import Testing
import TestSupport

import RosterSignIn

@Suite("A * stands for any characters")
struct WildcardPatternTests {
    /// What a pattern means, said as plainly as possible: with a table of which beginnings fit.
    static func naive(_ pattern: [Character], _ text: [Character]) -> Bool {
        var fits = [true] + Array(repeating: false, count: text.count)
        for letter in pattern {
            var next = Array(repeating: false, count: text.count + 1)
            next[0] = letter == "*" && fits[0]
            for index in text.indices {
                next[index + 1] =
                    letter == "*" ? next[index] || fits[index + 1] : fits[index] && text[index] == letter
            }
            fits = next
        }
        return fits[text.count]
    }

    @Test(
        "Any place will do for it, and it may stand for nothing",
        arguments: [
            ("", "", true), ("", "a", false), ("*", "", true), ("*", "anything", true), ("**", "", true),
            ("a*", "a", true), ("a*", "abc", true), ("a*", "ba", false), ("*a", "cba", true), ("*a", "ab", false),
            ("a*c", "ac", true), ("a*c", "abcbc", true), ("a*c", "acb", false), ("*b*", "abc", true),
            ("a*b*c", "a1b2b3c", true), ("a*b*c", "acb", false), ("*a*a*", "a", false), ("A", "a", false),
            ("a*", "*", false), ("*", "*", true), ("ü*", "über", true), ("a?", "ab", false), ("a.c", "abc", false),
        ])
    func vectors(pattern: String, text: String, fits: Bool) {
        #expect(WildcardPattern(pattern).matches(text) == fits)
        #expect(Self.naive(Array(pattern), Array(text)) == fits)
    }

    @Test("It agrees with the plainest way of matching, whatever the pattern and the text")
    func property() {
        let seed = randomSeed()
        var random = SeededNumbers(seed: seed)
        var matches = 0
        for _ in 0..<20_000 {
            let alphabet = Array("ab*")
            let pattern = (0..<Int.random(in: 0...8, using: &random)).map { _ in
                alphabet[Int.random(in: 0..<3, using: &random)]
            }
            let text = (0..<Int.random(in: 0...10, using: &random)).map { _ in
                alphabet[Int.random(in: 0..<3, using: &random)]
            }
            let fits = WildcardPattern(String(pattern)).matches(String(text))
            #expect(
                fits == Self.naive(pattern, text), "seed \(seed): \(String(pattern)) against \(String(text))")
            matches += fits ? 1 : 0
        }
        #expect(matches > 1_000 && matches < 19_000, "seed \(seed): both answers are tried")
    }

    @Test("Patterns made to go back and forth take no longer than length times length")
    func bounded() {
        let pattern = WildcardPattern(String(repeating: "a*", count: 100) + "b")
        let text = String(repeating: "a", count: 20_000)
        let elapsed = processorTime { #expect(!pattern.matches(text)) }
        #expect(elapsed < .seconds(10), "\(elapsed)")
    }
}
