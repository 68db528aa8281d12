import Foundation
import Roster
import RosterText

extension AttributeValue {
    /// The values as LDAP has them. Values with parts have no form in LDAP.
    var ldapValues: [[UInt8]] {
        switch self {
        case .string(let text): [Array(text.utf8)]
        case .integer(let number): [Array(String(number).utf8)]
        case .decimal(let number): [Array(String(number).utf8)]
        case .boolean(let isTrue): [Array((isTrue ? "TRUE" : "FALSE").utf8)]
        case .time(let date): [Array(GeneralizedTime.text(date).utf8)]
        case .binary(let data): [Array(data)]
        case .complex: text.map { [Array($0.utf8)] } ?? []
        case .list(let elements): elements.flatMap(\.ldapValues)
        }
    }
}

enum GeneralizedTime {
    /// A moment to the second, such as `20260131120000Z` (RFC 4517, section 3.3.13).
    static func text(_ date: Date) -> String {
        Timestamp.text(date, hasMilliseconds: false).filter { $0.isNumber } + "Z"
    }
}

extension LDAPAttribute {
    init(_ name: String, _ texts: String...) { self.init(name, texts.map { Array($0.utf8) }) }
}

/// The attributes of users or roles that an entry shows besides those of the tree.
struct ShownAttributes: Sendable {
    struct Shown: Sendable {
        /// The name in LDAP.
        let name: String
        let definition: AttributeDefinition
    }

    let list: [Shown]

    /// The attributes of the directory that the tree shows in its own way, or not at all.
    private static let own: Set<AttributeName> = [
        "id", "uid", "name", "active", "manager", "memberOf", "members", "created", "modified", "version", "externalId",
        "password",
    ]

    init(_ vocabulary: Vocabulary, _ entity: AttributeDefinition.Entity) {
        list = vocabulary.definitions(for: entity).compactMap { definition in
            guard !Self.own.contains(definition.name), definition.readers != .nobody else { return nil }
            return Self.name(of: definition, in: vocabulary).map { Shown(name: $0, definition: definition) }
        }
    }

    /// The name of an attribute in LDAP: that of the standards, or a declared attribute's own one. LDAP has no `_` in names.
    static func name(of definition: AttributeDefinition, in vocabulary: Vocabulary) -> String? {
        if let name = definition.names[.ldap] { return name }
        guard vocabulary.declared.contains(where: { $0.name == definition.name && $0.entity == definition.entity })
        else { return nil }
        return definition.name.rawValue.replacing("_", with: "-")
    }
}
