import Foundation
package import RosterText

extension JSONValue {
    /// Reads a document, as ``init(parsing:allowsTrailingCommas:)`` does.
    ///
    /// - Parameters:
    ///   - bytes: The document.
    ///   - allowsTrailingCommas: Whether a comma may precede a closing bracket.
    /// - Throws: ``DirectoryError`` `invalidInput` with line and column.
    package init(strictly bytes: [UInt8], allowsTrailingCommas: Bool = false) throws {
        do throws(JSONScanner.Failure) {
            try self.init(parsing: bytes, allowsTrailingCommas: allowsTrailingCommas)
        } catch {
            throw DirectoryError.malformed(error, in: bytes)
        }
    }
}

extension JSONValue {
    /// An attribute's value as JSON, with times in the form of RFC 3339 and binary data in base64.
    package init(_ value: AttributeValue, hasMilliseconds: Bool = true) {
        switch value {
        case .string(let text): self = .string(text)
        case .integer(let number): self = .integer(number)
        case .decimal(let number): self = .decimal(number)
        case .boolean(let isTrue): self = .boolean(isTrue)
        case .time(let date): self = .string(Timestamp.text(date, hasMilliseconds: hasMilliseconds))
        case .binary(let data): self = .string(Base64.text(data))
        case .list(let elements): self = .array(elements.map { JSONValue($0, hasMilliseconds: hasMilliseconds) })
        case .complex(let parts):
            self = .object(
                parts.sorted { $0.key < $1.key }.map {
                    Member($0.key, JSONValue($0.value, hasMilliseconds: hasMilliseconds))
                })
        }
    }
}

extension AttributeValue {
    /// The value that JSON writes so; nil for `null`, and for an array or object that contains `null`.
    package init?(_ json: JSONValue) {
        switch json {
        case .string(let text): self = .string(text)
        case .integer(let number): self = .integer(number)
        case .decimal(let number): self = .decimal(number)
        case .boolean(let isTrue): self = .boolean(isTrue)
        case .null: return nil
        case .array(let elements):
            let values = elements.compactMap { Self($0) }
            guard values.count == elements.count else { return nil }
            self = .list(values)
        case .object(let members):
            var parts: [String: AttributeValue] = [:]
            for member in members { parts[member.name] = Self(member.value) }
            // Parts have no declared type: nothing else says that a part is a time.
            if parts.count == 1, case .integer(let milliseconds)? = parts["$time"] {
                self = .time(Date(milliseconds: milliseconds))
            } else if parts.count == members.count {
                self = .complex(parts)
            } else {
                return nil
            }
        }
    }
}

extension DirectoryError {
    /// The error for a mistake in a JSON document.
    static func malformed(_ failure: JSONScanner.Failure, in bytes: [UInt8]) -> DirectoryError {
        guard !bytes.starts(with: [0xFF, 0xFE]), !bytes.starts(with: [0xFE, 0xFF]) else {
            return malformed(
                line: 1, column: 1, "the document is UTF-16, but JSON is UTF-8.", advice: "Save it as UTF-8.")
        }
        let place = TextPlace(of: failure.offset, in: bytes)
        return malformed(
            line: place.line, column: place.column, failure.problem + ".", advice: "Correct the JSON there.")
    }
}
