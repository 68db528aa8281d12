import Foundation
import Roster
package import RosterWire

extension JSONValue {
    /// Reads a document: strictly, with no name twice in an object and at most 64 levels.
    ///
    /// - Parameter allowsTrailingCommas: Whether a comma may stand before a closing bracket.
    /// - Throws: `DirectoryError` `invalidInput` with line and column.
    package init(strictly bytes: [UInt8], allowsTrailingCommas: Bool = false) throws {
        self.init(try JSONDocument(Data(bytes), allowsTrailingCommas: allowsTrailingCommas))
    }

    init(_ document: JSONDocument) {
        switch document.content {
        case .object(let members): self = .object(members.map { Member($0.name, JSONValue($0.value)) })
        case .array(let elements): self = .array(elements.map { JSONValue($0) })
        case .string(let text): self = .string(text)
        case .integer(let number): self = .integer(number)
        case .decimal(let number): self = .decimal(number)
        case .boolean(let isTrue): self = .boolean(isTrue)
        case .null: self = .null
        }
    }
}
