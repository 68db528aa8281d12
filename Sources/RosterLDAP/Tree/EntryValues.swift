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
        let digits = Timestamp.text(date, hasMilliseconds: false).utf8.filter { (0x30...0x39).contains($0) }
        return String(decoding: digits, as: UTF8.self) + "Z"
    }
}

extension LDAPAttribute {
    init(_ name: String, _ texts: String...) { self.init(name, texts.map { Array($0.utf8) }) }
}

/// The attributes of users or roles that an entry shows besides those of the tree.
final class ShownAttributes: Sendable {
    /// An attribute. A class, because a definition takes longer to copy than a whole search may take.
    final class Shown: Sendable {
        /// The name in LDAP.
        let name: String
        let definition: AttributeDefinition

        init(_ name: String, _ definition: AttributeDefinition) { (self.name, self.definition) = (name, definition) }
    }

    let list: [Shown]
    /// The attributes by their canonical names.
    private let named: [String: Shown]
    /// The declared attributes that ``PosixView`` computes for entries without a value, by their canonical names.
    let posix: [String: AttributeName]

    /// The attributes of the directory that the tree shows in its own way, or not at all.
    private static let own: Set<AttributeName> = [
        "id", "uid", "name", "active", "manager", "memberOf", "members", "created", "modified", "version", "externalId",
        "password",
    ]

    init(_ vocabulary: Vocabulary, _ entity: AttributeDefinition.Entity) {
        list = vocabulary.definitions(for: entity).compactMap { definition in
            guard !Self.own.contains(definition.name), definition.readers != .nobody else { return nil }
            return Self.name(of: definition, in: vocabulary).map { Shown($0, definition) }
        }
        named = Dictionary(list.map { (AttributeNames.canonical($0.name), $0) }) { first, _ in first }
        posix = named.filter { PosixView.names.contains($0.key) }.mapValues(\.definition.name)
    }

    /// The attribute with a canonical name.
    subscript(name: String) -> Shown? { named[name] }

    /// Keeps the attributes of the latest vocabulary.
    final class Memory: Sendable {
        private let latest = Locked<(vocabulary: Vocabulary, users: ShownAttributes, roles: ShownAttributes)?>(nil)

        func attributes(_ vocabulary: Vocabulary, _ entity: AttributeDefinition.Entity) -> ShownAttributes {
            latest.withLock { latest in
                if latest.map({ !$0.vocabulary.isSame(as: vocabulary) }) ?? true {
                    latest = (vocabulary, ShownAttributes(vocabulary, .user), ShownAttributes(vocabulary, .role))
                }
                return latest.map { entity == .user ? $0.users : $0.roles } ?? ShownAttributes(vocabulary, entity)
            }
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
