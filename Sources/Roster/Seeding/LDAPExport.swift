import Foundation
import RosterText

/// Makes the entries that an LDAP server takes as they are.
///
/// A value that a standard attribute cannot carry exactly is written in full in `rosterAttribute`, which an import prefers.
struct LDAPEntries {
    let people: String
    let groups: String
    private let base: String
    private let baseAttribute: LDIFAttribute
    private let baseClass: String
    private let vocabulary: Vocabulary

    /// - Throws: ``DirectoryError`` `invalidInput` for a base that is not a distinguished name, or none of a container.
    init(under base: String, _ vocabulary: Vocabulary) throws {
        let classes = ["dc": "domain", "o": "organization", "ou": "organizationalUnit"]
        guard let first = try DistinguishedName.firstComponent(of: base).first, let value = first.text, !value.isEmpty,
            let baseClass = classes[first.name.lowercased()],
            baseClass != "domain" || LDAPSchema.Syntax.ia5.allows(value)
        else {
            throw DirectoryError(
                .invalidInput, "The base must begin with 'dc', 'o' or 'ou'.",
                advice: "Write it as in 'dc=example,dc=com'.")
        }
        (self.base, self.baseClass, baseAttribute) = (base, baseClass, first)
        (people, groups) = ("ou=people," + base, "ou=groups," + base)
        self.vocabulary = vocabulary
    }

    /// Writes the entries above the users and the roles.
    func writeContainers(_ writer: inout LDIFWriter) throws {
        try writer.append(dn: base, [LDIFAttribute("objectClass", baseClass), baseAttribute])
        for (name, dn) in [("people", people), ("groups", groups)] {
            try writer.append(
                dn: dn, [LDIFAttribute("objectClass", "organizationalUnit"), LDIFAttribute("ou", name)])
        }
    }

    func attributes(of user: User, manager: String?) -> [LDIFAttribute] {
        var (standard, own) = attributes(user.attributes, of: .user)
        let written = Set(standard.map(\.name))
        // LDAP demands both names of a person.
        let fallback = standard.first { $0.name == "cn" || $0.name == "displayName" }?.text ?? user.uid
        for (name, attribute) in [("cn", "commonName"), ("sn", "familyName")] where !written.contains(name) {
            standard.append(LDIFAttribute(name, fallback))
            if user.attributes[AttributeName(attribute)] == nil {
                own.append(LDIFAttribute(LDAPSchema.rosterUnset, attribute))
            }
        }
        if !user.isActive { own.append(Self.own("active", .boolean(false))) }
        let head = [
            LDIFAttribute("objectClass", "inetOrgPerson"), LDIFAttribute("objectClass", LDAPSchema.rosterEntry),
            LDIFAttribute("uid", user.uid),
        ]
        let line = manager.map { [LDIFAttribute("manager", DistinguishedName.text("uid", $0, under: people))] } ?? []
        return head + line + standard + own
    }

    /// The attributes of a role before its members and owners.
    func attributes(of role: Role, hasMembers: Bool) -> [LDIFAttribute] {
        let (standard, own) = attributes(role.attributes, of: .role)
        // A groupOfNames without a member is refused.
        let structural = hasMembers ? "groupOfNames" : "organizationalRole"
        // An organizationalRole has neither of these.
        let isOwn = { (attribute: LDIFAttribute) in
            structural == "organizationalRole" && ["o", "businessCategory"].contains(attribute.name)
        }
        let moved = standard.filter(isOwn).compactMap { attribute in
            attribute.text.map { Self.own(attribute.name == "o" ? "organization" : "category", .string($0)) }
        }
        return [
            LDIFAttribute("objectClass", structural), LDIFAttribute("objectClass", LDAPSchema.rosterEntry),
            LDIFAttribute("cn", role.name),
        ] + standard.filter { !isOwn($0) } + own + moved
    }

    private func attributes(
        _ set: AttributeSet, of entity: AttributeDefinition.Entity
    ) -> (standard: [LDIFAttribute], own: [LDIFAttribute]) {
        var standard: [LDIFAttribute] = []
        var own: [LDIFAttribute] = []
        let syntaxes = entity == .user ? LDAPSchema.user : LDAPSchema.role
        func write(_ text: String, as name: String?) -> Bool {
            guard let name, syntaxes[name]?.allows(text) == true else { return false }
            standard.append(LDIFAttribute(name, text))
            return true
        }
        for entry in set {
            let name =
                StandardAttributes.isBuiltIn(entry.name, of: entity)
                ? vocabulary.definition(of: entry.name, for: entity)?.names[.ldap] : nil
            var isWhole = false
            switch entry.value {
            case .string(let text): isWhole = write(text, as: name)
            case .binary(let data) where name == "jpegPhoto" && data.starts(with: [0xFF, 0xD8, 0xFF]):
                standard.append(LDIFAttribute("jpegPhoto", data))
                isWhole = true
            case .list(let elements) where entry.name == "emails":
                // A server refuses a value that an entry has already, without regard to case.
                var seen: Set<String> = []
                isWhole = true
                for element in elements {
                    let isPlain = if case .string = element { true } else { false }
                    let isNew = element.text.map { seen.insert($0.lowercased()).inserted } ?? false
                    let isWritten = isNew && element.text.map { write($0, as: "mail") } == true
                    isWhole = isWhole && isPlain && isWritten
                }
            default:
                for definition in StandardAttributes.user where definition.element?.attribute == entry.name {
                    if let text = set[definition.name]?.text { _ = write(text, as: definition.names[.ldap]) }
                }
            }
            if !isWhole { own.append(Self.own(entry.name, entry.value)) }
        }
        return (standard, own)
    }

    private static func own(_ name: AttributeName, _ value: AttributeValue) -> LDIFAttribute {
        LDIFAttribute(
            LDAPSchema.rosterAttribute, ExchangeText.text(.complex([name.rawValue: ExchangeText.plain(value)])))
    }
}
