import Foundation
import Roster
import Testing
import TestSupport

@Suite("Names and descriptions of attributes, in each language")
struct AttributeTextsTests {
    private static let texts = AttributeTexts(
        labels: ["en": "Badge", "de": "Ausweis", "de-CH": "Badge der Schweiz", "zh-Hant-x-private": "證"],
        descriptions: ["en": "On the back of the card."])

    @Test("A text is found in the language, in a wider one, or in English, without regard to case")
    func lookUp() {
        for (language, text) in [
            "de": "Ausweis", "DE-at": "Ausweis", "de-ch": "Badge der Schweiz", "de-CH-1996": "Badge der Schweiz",
            "fr": "Badge", "": "Badge", "zh-Hant-x-private": "證", "zh-Hant-x": "Badge", "deu": "Badge",
        ] { #expect(Self.texts.label(in: language) == text, "\(language)") }
        #expect(Self.texts.description(in: "de") == "On the back of the card.")
        #expect(AttributeTexts(labels: ["de": "Ausweis"]).label(in: "fr") == nil)
    }

    @Test(
        "Texts stay with the attribute when it is renamed, widened, ruled and opened again, and go when they are taken away"
    )
    func life() throws {
        try withDirectory(.file) { directory in
            let attributes = directory.unrestricted.attributes
            try attributes.declare(AttributeDefinition("badge", kind: .integer, texts: Self.texts))
            try attributes.rename("badge", to: "pass")
            try attributes.widen("pass", to: .string)
            try attributes.setRules(.unique, of: "pass")
            try attributes.setRights(of: "pass", readers: .managers)
            #expect(attributes.vocabulary().definition(of: "pass")?.texts == Self.texts)
            let other = AttributeTexts(labels: ["ja": "バッジ"])
            try attributes.setTexts(other, of: "pass")
            #expect(attributes.vocabulary().definition(of: "pass")?.texts == other)
            let last = try #require(try directory.unrestricted.changes.since(0, limit: 1_000).last)
            #expect(last.entity == .attribute && last.kind == .modified)
            #expect(last.before["labels"] == .complex(Self.texts.labels.mapValues { .string($0) }))
            #expect(last.after["labels"] == ["ja": "バッジ"] && last.after["descriptions"] == nil)
            try attributes.setTexts(other, of: "pass")
            #expect(try directory.unrestricted.changes.lastSequence() == last.sequence)
            try attributes.setTexts(AttributeTexts(), of: "pass")
            #expect(attributes.vocabulary().definition(of: "pass")?.texts.isEmpty == true)
        }
    }

    @Test("Administrators who change different languages from the same texts both keep their changes")
    func changed() throws {
        try withDirectory(.file) { directory in
            let attributes = directory.unrestricted.attributes
            func texts() -> AttributeTexts? { attributes.vocabulary().definition(of: "badge")?.texts }
            try attributes.declare(AttributeDefinition("badge", texts: Self.texts))
            try attributes.changeTexts(labels: ["fr": "Carte"], of: "badge")
            try attributes.changeTexts(descriptions: ["fr": "Au dos de la carte."], of: "badge")
            try attributes.changeTexts(labels: ["ja": "バッジ", "DE-ch": "Ausweis CH", "de": nil], of: "badge")
            #expect(
                texts()
                    == AttributeTexts(
                        labels: [
                            "en": "Badge", "fr": "Carte", "ja": "バッジ", "DE-ch": "Ausweis CH", "zh-Hant-x-private": "證",
                        ], descriptions: ["en": "On the back of the card.", "fr": "Au dos de la carte."]))
            let last = try directory.unrestricted.changes.lastSequence()
            try attributes.changeTexts(labels: ["fr": "Carte", "es": nil], of: "badge")
            #expect(try directory.unrestricted.changes.lastSequence() == last)
            for wrong in [["fr": ""], ["it": "a", "IT": "b"], ["a b": "x"]] as [[String: String?]] {
                #expect(throws: DirectoryError.self) { try attributes.changeTexts(labels: wrong, of: "badge") }
            }
            #expect(throws: DirectoryError.self) { try attributes.changeTexts(labels: ["fr": "Titre"], of: .title) }
            #expect(try directory.unrestricted.changes.lastSequence() == last)
        }
    }

    @Test("An app that repeats its declaration keeps the texts that administrators have set meanwhile")
    func repeated() throws {
        try withDirectory(.memory) { directory in
            let attributes = directory.unrestricted.attributes
            try attributes.declare(AttributeDefinition("badge", texts: AttributeTexts(labels: ["en": "Card"])))
            try attributes.setTexts(Self.texts, of: "badge")
            try attributes.declare(AttributeDefinition("badge"))
            try attributes.declare(AttributeDefinition("badge", texts: AttributeTexts(labels: ["en": "Card"])))
            #expect(attributes.vocabulary().definition(of: "badge")?.texts == Self.texts)
            #expect(throws: DirectoryError.self) {
                try attributes.declare(AttributeDefinition("badge", kind: .integer))
            }
        }
    }

    @Test(
        "What is no language, and a text that is empty, too long or of several lines, is refused and named",
        arguments: [
            AttributeTexts(labels: ["german language": "x"]), AttributeTexts(labels: ["": "x"]),
            AttributeTexts(labels: ["d": "x"]), AttributeTexts(labels: ["de-": "x"]),
            AttributeTexts(labels: ["1a": "x"]),
            AttributeTexts(labels: ["de": ""]), AttributeTexts(labels: ["de": " \u{3000}"]),
            AttributeTexts(labels: ["de": "a\nb"]), AttributeTexts(descriptions: ["de": "a\u{2028}b"]),
            AttributeTexts(labels: ["de": String(repeating: "a", count: 101)]),
            AttributeTexts(labels: ["de": "a", "DE": "b"]),
            AttributeTexts(descriptions: ["de": String(repeating: "a", count: 501)]),
            AttributeTexts(labels: Dictionary(uniqueKeysWithValues: (100...120).map { ("de-\($0)", "x") })),
        ])
    func refused(texts: AttributeTexts) throws {
        try withDirectory(.memory) { directory in
            let attributes = directory.unrestricted.attributes
            try attributes.declare(AttributeDefinition("badge", texts: Self.texts))
            let set = #expect(throws: DirectoryError.self) { try attributes.setTexts(texts, of: "badge") }
            #expect(set?.code == .invalidAttribute && set?.attribute == "badge")
            #expect(throws: DirectoryError.self) { try attributes.declare(AttributeDefinition("other", texts: texts)) }
            #expect(attributes.vocabulary().definition(of: "badge")?.texts == Self.texts)
            #expect(attributes.vocabulary().definition(of: "other") == nil)
        }
    }

    @Test("Only administrators set texts, and only of declared attributes")
    func rights() throws {
        try withDirectory(.memory) { directory in
            let view = directory.unrestricted
            try view.attributes.declare(AttributeDefinition("badge"))
            let ada = try view.users.create("ada").id
            let refusal = #expect(throws: DirectoryError.self) {
                try directory.acting(as: .user(ada)).attributes.setTexts(Self.texts, of: "badge")
            }
            #expect(refusal?.code == .notPermitted)
            for name in ["title", "nothing"] as [AttributeName] {
                let refusal = #expect(throws: DirectoryError.self) {
                    try view.attributes.setTexts(Self.texts, of: name)
                }
                #expect(refusal?.code == .invalidAttribute, "\(name)")
            }
        }
    }

    @Test("A seed carries the texts; a seed with other texts changes them, and one without any keeps them")
    func seeds() throws {
        let origin = try Directory.inMemory()
        defer { origin.close() }
        try origin.unrestricted.attributes.declare(AttributeDefinition("badge", texts: Self.texts))
        var seed = Data()
        try origin.unrestricted.export(.json) { seed += $0 }
        let copy = try Directory.inMemory()
        defer { copy.close() }
        #expect(try copy.unrestricted.load(Seed(json: seed, name: "seed.json")).attributes.created == 1)
        func texts() -> AttributeTexts? { copy.unrestricted.attributes.vocabulary().definition(of: "badge")?.texts }
        #expect(texts() == Self.texts)
        #expect(try copy.unrestricted.load(Seed(json: seed, name: "seed.json")).attributes.unchanged == 1)
        let other = #"{"attributes": [{"name": "badge", "labels": {"fr": "Carte"}}]}"#
        #expect(try copy.unrestricted.load(Seed(json: Data(other.utf8), name: "seed.json")).attributes.changed == 1)
        #expect(texts() == AttributeTexts(labels: ["fr": "Carte"]))
        let without = #"{"attributes": [{"name": "badge"}]}"#
        #expect(try copy.unrestricted.load(Seed(json: Data(without.utf8), name: "seed.json")).attributes.unchanged == 1)
        #expect(texts() == AttributeTexts(labels: ["fr": "Carte"]))
        for wrong in [
            #"{"attributes": [{"name": "b", "labels": "Carte"}]}"#,
            #"{"attributes": [{"name": "b", "labels": {"fr": 5}}]}"#,
            #"{"attributes": [{"name": "title", "labels": {"fr": "Titre"}}]}"#,
        ] {
            let refusal = #expect(throws: DirectoryError.self) {
                try copy.unrestricted.load(Seed(json: Data(wrong.utf8), name: "seed.json"))
            }
            #expect(refusal?.place?.line == 1, "\(wrong)")
        }
    }
}
