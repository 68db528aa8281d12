import Foundation

/// The rows of an LDIF document.
struct LDIFSource: Sequence, IteratorProtocol, Sendable {
    private var reader: LDIFReader
    private let vocabulary: Vocabulary
    private let grants: Grants
    /// The attributes that the directory does not know.
    private var ignored: Set<String> = []
    /// The attributes that name roles, if the document may not give any.
    private var notGranted: Set<String> = []
    private var isOver = false

    init(_ data: Data, _ vocabulary: Vocabulary, _ grants: Grants) {
        reader = LDIFReader(data)
        self.vocabulary = vocabulary
        self.grants = grants
        var entries = reader
        while true {
            // The rows report values that cannot be read.
            guard let record = try? entries.next() else {
                if entries.isAtEnd { break } else { continue }
            }
            noteSubject(record)
        }
    }

    /// The users and roles whose distinguished name does not say what they are: roles, and users whose name is not in it.
    private var subjects: [String: Subject] = [:]
    private typealias Subject = (name: String, isRole: Bool)

    private mutating func noteSubject(_ record: LDIFRecord) {
        let isRole = Self.kind(of: record) == .role
        let first = record.firstComponent.first
        let key = isRole ? "cn" : "uid"
        guard isRole || first?.name.lowercased() != key, let dn = DistinguishedName.key(record.dn),
            let name = record.attributes.first(where: { $0.name.lowercased() == key })?.text ?? first?.text
        else { return }
        subjects[dn] = (name, isRole)
    }

    private enum Kind { case user, role, other }

    private static let containers: Set<String> = [
        "organizationalunit", "organization", "dcobject", "domain", "country", "locality",
    ]
    private static let people: Set<String> = [
        "person", "organizationalperson", "inetorgperson", "account", "posixaccount", "user",
    ]

    /// The kind of entry that a record describes. A container such as `ou=people`, the server's own account `cn=admin` and a printer are neither
    /// users nor roles.
    private static func kind(of record: LDIFRecord) -> Kind {
        var (isRole, isContainer, isPerson, hasClass) = (false, false, false, false)
        for attribute in record.attributes where attribute.name.lowercased() == "objectclass" {
            guard let name = attribute.text?.lowercased() else { continue }
            hasClass = true
            if name == "simplesecurityobject" { return .other }
            if name.hasPrefix("group") || name == "posixgroup" || name == "organizationalrole" { isRole = true }
            if containers.contains(name) { isContainer = true }
            if people.contains(name) { isPerson = true }
        }
        if isRole { return .role }
        if isContainer { return .other }
        return isPerson || !hasClass || record.attributes.contains { $0.name.lowercased() == "uid" } ? .user : .other
    }

    mutating func next() -> ImportItem? {
        guard !isOver else { return nil }
        do {
            while let record = try reader.next() {
                if let row = row(record) { return .row(row) }
            }
        } catch let error as DirectoryError {
            return .unreadable(error, isLast: false)
        } catch {}
        isOver = true
        return .end(ignored: ignored.sorted(), notGranted: notGranted.sorted())
    }

    /// The meaning of the name of an LDAP attribute.
    private enum Meaning {
        case objectClass
        case relation(RoleRelation)
        /// A value that no standard attribute can carry, or the name of an attribute without one.
        case own, unset
        /// - Parameter isView: Whether the attribute is a view of a part of another one.
        indirect case attribute(AttributeDefinition, isView: Bool)
        case unknown
    }
    /// The meanings that were looked up. Names repeat in every record, so each name is looked up once.
    private var meanings: [String: (user: Meaning, role: Meaning)] = [:]

    private mutating func meaning(of name: String) -> (user: Meaning, role: Meaning) {
        if let known = meanings[name] { return known }
        let base = Self.base(of: name)
        func meaning(for entity: AttributeDefinition.Entity) -> Meaning {
            if base.lowercased() == "objectclass" { return .objectClass }
            if base.lowercased() == LDAPSchema.rosterAttribute.lowercased() { return .own }
            if base.lowercased() == LDAPSchema.rosterUnset.lowercased() { return .unset }
            if entity == .role, let relation = Self.relation(base) { return .relation(relation) }
            guard let definition = vocabulary.definition(named: base, in: .ldap, for: entity) else { return .unknown }
            let isView = StandardAttributes.element(of: definition.name) != nil && definition.name != "mail"
            return .attribute(definition, isView: isView)
        }
        let meaning = (user: meaning(for: .user), role: meaning(for: .role))
        // The document chooses the names, so the number of stored meanings is limited.
        if meanings.count < 2_000 { meanings[name] = meaning }
        return meaning
    }

    /// The name without its options, such as `;binary`.
    private static func base(of name: String) -> String { name.split(separator: ";").first.map(String.init) ?? name }

    private mutating func row(_ record: LDIFRecord) -> ImportRow? {
        let meanings = record.attributes.map { meaning(of: $0.name) }
        let kind = Self.kind(of: record)
        guard kind != .other else { return nil }
        let isRole = kind == .role
        var row = ImportRow(line: record.line, isRole: isRole)
        var values: [(name: AttributeName, isMultiValued: Bool, isView: Bool, value: AttributeValue)] = []
        values.reserveCapacity(meanings.count)
        var own: [LDIFAttribute] = []
        for (attribute, meaning) in zip(record.attributes, meanings) {
            let definition: AttributeDefinition
            let isView: Bool
            switch isRole ? meaning.role : meaning.user {
            case .objectClass: continue
            case .unknown:
                let name = Self.base(of: attribute.name)
                if !LDAPSchema.operational.contains(name.lowercased()) { ignored.insert(name) }
                continue
            case .own, .unset:
                own.append(attribute)
                continue
            case .relation(let relation):
                if grants == .nothing {
                    notGranted.insert(Self.base(of: attribute.name))
                } else if let text = attribute.text, let subject = subject(text) {
                    row.memberships.append(
                        .init(
                            name: subject.name, isRole: subject.isRole, relation: relation, line: record.line,
                            field: relation == .owner ? "owner" : "member"))
                }
                continue
            case .attribute(let known, let isKnownView): (definition, isView) = (known, isKnownView)
            }
            let text = attribute.text
            switch definition.name {
            case "uid", "name":
                if row.name.text.isEmpty { row.name = .init(text: text ?? "", line: record.line) }
            case "active": row.active = text.map { .string($0) }
            case "manager":
                row.manager = text.map { .init(text: subject($0)?.name ?? $0, line: record.line) }
            case "memberOf" where grants == .nothing: notGranted.insert(Self.base(of: attribute.name))
            case "memberOf":
                if let text {
                    row.memberships.append(
                        .init(
                            name: subject(text)?.name ?? text, isRole: false, relation: .member,
                            line: record.line, field: "memberOf"))
                }
            // A hash of crypt(3) is taken; the schemes of LDAP servers, such as {SSHA}, are not.
            case "password" where text?.hasPrefix("$") != true: ignored.insert(Self.base(of: attribute.name))
            case _ where definition.writers == .nobody: continue
            default:
                let value: AttributeValue =
                    definition.kind == .binary
                    ? .binary(attribute.value) : ExchangeText.value(of: text ?? "", definition)
                if let index = values.firstIndex(where: { $0.name == definition.name }) {
                    values[index].value = .list(values[index].value.elements + value.elements)
                } else {
                    values.append((definition.name, definition.isMultiValued, isView, value))
                }
            }
        }
        for attribute in own {
            guard case .complex(let parts)? = attribute.text.flatMap(ExchangeText.parsed) else {
                values.removeAll { $0.name.rawValue == attribute.text }
                continue
            }
            for (name, value) in parts {
                if name == "active" { row.active = value }
                guard let definition = vocabulary.definition(of: AttributeName(name), for: isRole ? .role : .user),
                    !Vocabulary.system.contains(definition.name)
                else {
                    if name != "active" { ignored.insert(name) }
                    continue
                }
                values.removeAll { $0.name == definition.name || definition.name == "emails" && $0.name == "mail" }
                values.append((definition.name, definition.isMultiValued, false, value))
            }
        }
        if row.name.text.isEmpty {
            row.name = .init(text: record.firstComponent.first?.text ?? "", line: record.line)
        }
        // Views such as `telephoneNumber` come first, so that the list that contains them overrides them.
        row.values.reserveCapacity(values.count)
        for (name, isMultiValued, _, value) in values.filter({ $0.isView }) + values.filter({ !$0.isView }) {
            let isAddress = name == "mail" && !isRole
            // LDAP may have several values of a single-valued attribute. The first value counts.
            guard let value = isMultiValued || isAddress ? .list(value.elements) : value.elements.first else {
                continue
            }
            row.values.append(.init(name: isAddress ? "emails" : name, value: value, line: record.line))
        }
        return row
    }

    private static func relation(_ name: String) -> RoleRelation? {
        switch name.lowercased() {
        case "member", "uniquemember", "memberuid": .member
        case "owner": .owner
        default: nil
        }
    }

    /// The user or the role that a distinguished name, or a bare name, stands for.
    private func subject(_ text: String) -> Subject? {
        if !subjects.isEmpty, let key = DistinguishedName.key(text), let known = subjects[key] { return known }
        guard text.utf8.contains(UInt8(ascii: "=")), let first = try? DistinguishedName.firstComponent(of: text).first,
            let name = first.text
        else {
            return text.isEmpty ? nil : (text, false)
        }
        return (
            name,
            first.name.lowercased() == "cn" && ["ou=roles", "ou=groups"].contains { text.lowercased().contains($0) }
        )
    }
}
