import Foundation
import RosterText

extension AttributeDefinition {
    /// Converts a value to its stored form; returns nil for empty text and an empty list.
    ///
    /// - Throws: ``DirectoryError`` `invalidAttribute`.
    func checked(_ value: AttributeValue) throws -> AttributeValue? {
        if isMultiValued {
            guard value.elements.count <= DirectoryLimits.maximumValues else {
                throw refused("more than \(DirectoryLimits.maximumValues) values")
            }
            let elements = try value.elements.compactMap { try checkedElement($0) }
            guard elements.count > 1 else { return elements.isEmpty ? nil : .list(elements) }
            var seen: Set<AttributeValue> = []
            let distinct = elements.filter { seen.insert($0).inserted }
            guard distinct.filter(\.isPrimary).count <= 1 else { throw refused("more than one primary value") }
            return .list(distinct)
        }
        guard case .list(let elements) = value else { return try checkedElement(value) }
        guard elements.count <= 1 else { throw refused("\(elements.count) values, but it has one") }
        return try elements.first.flatMap { try checkedElement($0) }
    }

    private func checkedElement(_ value: AttributeValue) throws -> AttributeValue? {
        switch (kind, value) {
        case (.complex, .string(let text)) where name == "addresses" && !text.isEmpty:
            return .complex(["formatted": .string(try checkedText(text))])
        case (.string, .string(let text)), (.complex, .string(let text)):
            return text.isEmpty ? nil : .string(try checkedText(text))
        case (.integer, .integer), (.boolean, .boolean): return value
        case (.decimal, .integer(let number)): return .decimal(Double(number))
        case (.decimal, .decimal(let number)):
            guard number.isFinite else { throw refused("a number that is not finite") }
            return value
        case (.time, .time(let date)): return .time(Date(milliseconds: date.milliseconds))
        case (.binary, .binary(let data)):
            guard data.count <= DirectoryLimits.maximumBinaryBytes else {
                throw refused("more than \(DirectoryLimits.maximumBinaryBytes) bytes")
            }
            return data.isEmpty ? nil : value
        case (.complex, .complex(let parts)):
            var kept: [String: AttributeValue] = [:]
            for (given, part) in parts {
                let name = knownPart(given) ?? given
                guard !name.isEmpty, name.utf8.count <= 64, !name.hasPrefix("$"),
                    name.allSatisfy({ $0.isASCII && !$0.isWhitespace })
                else {
                    throw refused("a part named \(EntityName.shown(name))")
                }
                guard kept[name] == nil else { throw refused("two parts '\(name)'") }
                switch part {
                case .string(""): continue
                case .string(let text): kept[name] = .string(try checkedText(text))
                case .boolean, .integer: kept[name] = part
                case .time(let date): kept[name] = .time(Date(milliseconds: date.milliseconds))
                case .decimal(let number) where number.isFinite: kept[name] = part
                default: throw refused("a part '\(name)' that is not a plain value")
                }
            }
            // Only text has a short form, because checking a checked value must not change it.
            if kept.count == 1, case .string? = kept["value"] { return .element(kept) }
            return kept.isEmpty ? nil : .complex(kept)
        default:
            throw refused("a value of another type", advice: "Give \(kind.article).")
        }
    }

    /// The parts of built-in lists (RFC 7643, sections 2.4 and 4.1.2).
    private static let partsOfList = ["value", "display", "type", "primary"]
    private static let partsOfAddress = [
        "formatted", "streetAddress", "locality", "region", "postalCode", "country", "type", "primary",
    ]

    /// The names of the parts that SCIM defines for this attribute.
    package var knownParts: [String] { name == "addresses" ? Self.partsOfAddress : Self.partsOfList }

    /// Returns the stored name of a part that SCIM defines; nil for a part that an app has added. Upper and lower case are the same.
    package func knownPart(_ given: String) -> String? {
        if knownParts.contains(given) { return given }
        return knownParts.first { $0.lowercased() == given.lowercased() }
    }

    private func checkedText(_ text: String) throws -> String {
        guard text.utf8.count <= DirectoryLimits.maximumTextBytes else {
            throw refused("text of more than \(DirectoryLimits.maximumTextBytes) bytes")
        }
        guard !text.utf8.contains(0) else { throw refused("text with a NUL character") }
        return text
    }

    private func refused(_ what: String, advice: String? = nil) -> DirectoryError {
        DirectoryError(.invalidAttribute, "'\(name)' was given \(what).", advice: advice, attribute: name)
    }
}

extension AttributeDefinition.Kind {
    fileprivate var article: String {
        switch self {
        case .string: "text"
        case .integer: "a whole number"
        case .decimal: "a number"
        case .boolean: "true or false"
        case .time: "a time"
        case .binary: "binary data"
        case .complex: "text or an object with named parts"
        }
    }
}
