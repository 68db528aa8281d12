import Foundation
import Roster
import RosterText
import Testing

@Suite("Folded text")
struct FoldedTextTests {
    @Test("Folding twice changes nothing, for every Unicode scalar")
    func idempotent() {
        var wrong: [String] = []
        for value in 0...0x10FFFF as ClosedRange<UInt32> {
            guard let scalar = Unicode.Scalar(value) else { continue }
            switch scalar.properties.generalCategory {
            case .unassigned, .privateUse, .surrogate: continue
            // Hangul and ideographs have no case: every 97th is enough.
            case .otherLetter where value > 0x3400 && value % 97 != 0: continue
            default: break
            }
            let once = FoldedText.of(String(scalar))
            if !FoldedText.of(once).utf8.elementsEqual(once.utf8) { wrong.append(String(value, radix: 16)) }
        }
        #expect(wrong == [])
    }

    @Test("Upper, lower and title case fold to the same, for every Unicode scalar")
    func caseDoesNotMatter() {
        var wrong: [String] = []
        for value in 0...0x1FFFF as ClosedRange<UInt32> {
            guard let scalar = Unicode.Scalar(value), scalar.properties.isCased, value != 0x130 else { continue }
            let folded = FoldedText.of(String(scalar))
            let others = [scalar.properties.uppercaseMapping, scalar.properties.titlecaseMapping]
            if others.contains(where: { FoldedText.of($0) != folded }) { wrong.append(String(value, radix: 16)) }
        }
        #expect(wrong == [])
    }

    @Test("Composed and decomposed text folds to the same")
    func compositionDoesNotMatter() {
        for text in ["Ångström", "Ǖ", "が", "각", "Ậ", "ﷺ", "①"] {
            let folded = FoldedText.of(text)
            for form in [
                text.decomposedStringWithCanonicalMapping, text.precomposedStringWithCanonicalMapping,
                text.decomposedStringWithCompatibilityMapping, text.precomposedStringWithCompatibilityMapping,
            ] { #expect(FoldedText.of(form).utf8.elementsEqual(folded.utf8), "\(text)") }
        }
    }

    @Test("ASCII text folds the same way alone and beside other text")
    func asciiIsNoSpecialCase() {
        for value in 0..<0x80 as Range<UInt32> {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let alone = FoldedText.of(String(scalar))
            #expect(FoldedText.of("山" + String(scalar) + "山") == "山" + alone + "山", "U+\(String(value, radix: 16))")
        }
    }

    @Test("Letters that are folded one by one fold as they do in any text, alone and beside each other")
    func lettersFoldAlike() {
        let letters = ([0x20...0x17F, 0x3041...0x30FF, 0x4E00...0x4E40] as [ClosedRange<UInt32>]).joined()
            .compactMap(Unicode.Scalar.init).filter { FoldedText.foldedByLetter(String($0)) != nil }
        #expect(letters.count > 500)
        var state: UInt64 = 1
        func pick() -> Unicode.Scalar {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return letters[Int(state >> 33) % letters.count]
        }
        let texts = letters.map { String($0) } + (0..<20_000).map { _ in "\(pick())\(pick())\(pick())" }
        let wrong = texts.filter {
            FoldedText.foldedByLetter($0).map { Array($0.utf8) } != Array(FoldedText.foldedAsAWhole($0).utf8)
        }
        #expect(wrong == [])
        #expect(FoldedText.foldedByLetter("e\u{301}") == nil && FoldedText.foldedByLetter("か\u{3099}") == nil)
    }
}
