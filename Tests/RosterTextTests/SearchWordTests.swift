import RosterText
import TestSupport
import Testing

@Suite("Words of text")
struct SearchWordTests {
    @Test("A word with an umlaut has both of its forms, and a name with an apostrophe its last part, too")
    func forms() {
        func forms(_ text: String) -> [[String]] { SearchWord.words(of: text).map(\.forms) }
        #expect(forms("Jürgen Groß") == [["jurgen", "juergen"], ["gross"]])
        #expect(forms("Ærø, Ångström") == [["aero", "aeroe"], ["angstrom", "aangstroem"]])
        #expect(forms("İpek D'Angelo") == [["ipek"], ["dangelo"], ["angelo"]])
        #expect(forms("D'Ängelo") == [["dangelo", "daengelo"], ["angelo", "aengelo"]])
        #expect(forms("Łódź × 2") == [["lodz"], ["2"]])
    }

    @Test("Latin text has the words that it has beside other text", arguments: [UInt64.random(in: 0...1_000_000_000)])
    func latin(_ seedNumber: UInt64) {
        var random = SeededNumbers(seed: seedNumber)
        let letters =
            (0x20...0x17F).compactMap { Unicode.Scalar(UInt32($0)) }.map { String(Character($0)) } + ["'", " ", "ü"]
        for _ in 0..<2_000 {
            let text = (0..<Int.random(in: 1...12, using: &random)).map { _ in
                letters.randomElement(using: &random) ?? ""
            }.joined()
            // A Chinese letter is a word of its own.
            let beside = SearchWord.words(of: text + " 一").dropLast()
            #expect(SearchWord.words(of: text) == Array(beside), "\(text.debugDescription), seed number \(seedNumber)")
        }
    }
}
