import Foundation
import Testing

@testable import Roster

@Suite("Stored definitions of attributes")
struct StoredDefinitionTests {
    @Test("A definition is stored with the names that programs of older versions read")
    func olderNames() throws {
        let definition = AttributeDefinition(
            "badge", kind: .integer, isMultiValued: true, isIndexed: true, rules: [.unique, .minimum(1)],
            readers: .managers)
        let stored = try JSONSerialization.jsonObject(with: Data(definition.json.utf8)) as? [String: Any]
        let expected: Set = [
            "name", "entity", "kind", "isMultiValued", "isCaseExact", "isUnique", "isSearchable", "isReturnedOnRequest",
            "readers", "writers", "names", "rules",
        ]
        #expect(Set(try #require(stored).keys) == expected)
        #expect(stored?["readers"] as? Int == 3 && stored?["isUnique"] as? Bool == true)
        #expect(try JSONDecoder().decode(AttributeDefinition.self, from: Data(definition.json.utf8)) == definition)
    }
}
