import Foundation
import RosterText
import TestSupport
import Testing

@Suite("Keys of text")
struct TextKeyTests {
    private static func sorted(_ texts: [String]) -> [String] {
        texts.sorted { TextKey.sorting($0).utf8.lexicographicallyPrecedes(TextKey.sorting($1).utf8) }
    }

    @Test(
        "Text sorts by base letters, then by accents, then by case",
        arguments: [
            ["Äb", "Ärger", "éa", "Öl", "Ost", "ße", "Zoe"],
            ["anna", "aNNA", "Anna", "ANna", "ANNA", "annab"],
            ["muller", "Muller", "MULLER", "müller", "Müller", "Mullers", "Müllers", "Mulz"],
            ["cote", "coté", "côte", "côté"],
            ["de la Cruz", "de La Cruz", "De la Cruz", "De La Cruz"],
            ["Ærø", "Aesop", "Afra"], ["Lodge", "Łódź", "Lof"], ["Oslo", "Øst", "Östersund"],
            ["か", "が", "き"], ["Елена", "Ёлка", "Ель"], ["и", "й", "к"], ["Nguyen", "Nguyễn", "Nguyens"],
            ["", "a", "á", "b"], ["שלום", "שָׁלוֹם", "שלומי"],
        ])
    func order(texts: [String]) {
        #expect(Self.sorted(texts.reversed()) == texts)
    }

    @Test("64 KB of letters that expand to eighteen take time in proportion to their number, because the writer waits")
    func expanding() {
        let text = String(repeating: "\u{FDFA}", count: 21_000)
        let time = processorTime { #expect(TextKey.sorting(text).utf8.count > 600_000) }
        #expect(time < .milliseconds(2_500), "\(time)")
    }

    @Test("A capital letter far into a long text still decides")
    func longText() {
        let long = String(repeating: "x", count: 100)
        #expect(
            Self.sorted([long + "AB", long + "Ab", long + "aB", long + "ab"])
                == ["ab", "aB", "Ab", "AB"].map { long + $0 })
    }

    @Test(
        "Two texts have the same key exactly if they fold alike; the sort key begins with it and tells the folded text")
    func foldedText() {
        let seed = randomSeed()
        var numbers = SeededNumbers(seed: seed)
        let letters =
            "aAbBzZäÄöÖßéÉæÆøŁ1 -_~'".map(String.init) + ["e\u{301}", "ｆ", "か", "が", "й", "Ё", "한", "漢", "ı", "İ"]
        func text() -> String {
            (0..<Int.random(in: 0...4, using: &numbers)).compactMap { _ in letters.randomElement(using: &numbers) }
                .joined()
        }
        for _ in 0..<3_000 {
            let (one, other) = (text(), text())
            let folded = FoldedText.of(one)
            let isSame = folded.utf8.elementsEqual(FoldedText.of(other).utf8)
            #expect(
                TextKey.of(one).utf8.elementsEqual(TextKey.of(other).utf8) == isSame,
                "'\(one)' '\(other)', seed \(seed)")
            let key = TextKey.sorting(one)
            #expect(key.utf8.starts(with: TextKey.of(one).utf8), "'\(one)', seed \(seed)")
            #expect(TextKey.folded(key).utf8.elementsEqual(folded.utf8), "'\(one)', seed \(seed)")
            let end = TextKey.end(of: TextKey.of(other))
            let isInRange =
                !key.utf8.lexicographicallyPrecedes(TextKey.of(other).utf8)
                && key.utf8.lexicographicallyPrecedes(end.utf8)
            #expect(isInRange == isSame, "'\(one)' '\(other)', seed \(seed)")
        }
    }

    @Test("Lower-case ASCII text is its own key, and control characters cannot forge a key")
    func plainText() {
        #expect(TextKey.sorting("ada lovelace") == "ada lovelace")
        #expect(TextKey.of("ada\u{1}lovelace") == "ada\u{1}lovelace", "no other name for her account")
        let forged = ["muller\u{2}müller", "muller\u{2}muller", "muller\u{2}", "\u{2}müller", "müller\u{1}"]
        let keys = forged.map { TextKey.of($0) } + [TextKey.of("müller"), TextKey.of("muller")]
        #expect(Set(keys.map { Array($0.utf8) }).count == keys.count)
        #expect(TextKey.folded(TextKey.sorting("a\u{1}\u{1F}Ä\u{2}")) == "a  ä ")
    }
}
