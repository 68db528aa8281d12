import Foundation
import Roster
import Testing
import TestSupport

@Suite("The names of the fields of an attribute's definition", .timeLimit(.minutes(1)))
struct AttributeFieldTests {
    private static let expected = AttributeDefinition(
        "langs", of: .user, kind: .string, isMultiValued: true, isCaseExact: true, isIndexed: false,
        rules: [.minimumLength(2), .maximumLength(5)], readers: .managers, writers: .person)

    @Test("A seed has the field by each of its names, older ones too", arguments: AttributeField.allCases)
    func seeds(field: AttributeField) throws {
        for name in [field.rawValue] + field.olderNames {
            let seed = Self.seed.replacingOccurrences(of: "\"\(field.rawValue)\":", with: "\"\(name)\":")
            let view = try Directory.inMemory().unrestricted
            try view.load(Seed(json: Data(seed.utf8), name: "s"))
            let declared = view.attributes.vocabulary().declared
            #expect(declared == [Self.expected], "\(name)")
            var exported = Data()
            try view.export(.json) { exported += $0 }
            let text = String(decoding: exported, as: UTF8.self)
            for older in AttributeField.allCases.flatMap(\.olderNames) { #expect(!text.contains("\"\(older)\":")) }
            #expect(text.contains("\"multiValued\": true") && text.contains("\"indexed\": false"), "\(text)")
        }
    }

    private static let seed = """
        {"attributes": [{"name": "langs", "of": "user", "type": "string", "multiValued": true, "caseExact": true,
        "indexed": false, "unique": false, "minimumLength": 2, "maximumLength": 5, "readers": "managers",
        "writers": "person"}]}
        """

    @Test("A seed with two names of one field is refused")
    func twice() throws {
        let seed = #"{"attributes": [{"name": "langs", "indexed": true, "searchable": false}]}"#
        let view = try Directory.inMemory().unrestricted
        let error = try #require(throws: DirectoryError.self) {
            try view.load(Seed(json: Data(seed.utf8), name: "s"))
        }
        #expect(error.code == .invalidInput && error.message.contains("another name of 'indexed'"), "\(error.message)")
    }

    @Test("The encoded form of an older version is decoded, and a definition is encoded with the names of today")
    func encoded() throws {
        let older = """
            {"name":"langs","entity":"user","kind":"string","isMultiValued":true,"isCaseExact":true,"isUnique":false,
            "isSearchable":false,"isReturnedOnRequest":false,"readers":3,"writers":"person","names":[],
            "rules":{"isUnique":false,"minimumLength":2,"maximumLength":5}}
            """
        let definition = try JSONDecoder().decode(AttributeDefinition.self, from: Data(older.utf8))
        #expect(definition == Self.expected)
        let encoded = try JSONEncoder().encode(definition)
        #expect(try JSONDecoder().decode(AttributeDefinition.self, from: encoded) == Self.expected)
        let text = String(decoding: encoded, as: UTF8.self)
        for older in AttributeField.allCases.flatMap(\.olderNames) {
            #expect(!text.contains("\"\(older)\":"), "\(text)")
        }
        #expect(text.contains("\"readers\":\"managers\""), "\(text)")
        let rules = try JSONDecoder().decode(AttributeRules.self, from: Data(#"{"isUnique":true}"#.utf8))
        #expect(rules == [.unique])
    }

    @Test("The library's older name of the index still declares and tells")
    func olderProperty() {
        let definition = AttributeDefinition("badge", isSearchable: false)
        #expect(!definition.isIndexed && !definition.isSearchable)
        #expect(AttributeDefinition(Attribute<String>("badge"), isSearchable: false) == definition)
    }
}
