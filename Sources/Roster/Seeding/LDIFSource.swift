import Foundation

/// The rows of an LDIF document.
struct LDIFSource: Sequence, IteratorProtocol, Sendable {
    private var reader: LDIFReader
    private let vocabulary: Vocabulary
    private let grants: Grants
    /// The attributes that the directory does not know.
    private var ignored: Set<String> = []
    /// The attributes that name roles, where the document may not give any.
    private var notGranted: Set<String> = []
    private var isOver = false

    init(_ data: Data, _ vocabulary: Vocabulary, _ grants: Grants) {
        reader = LDIFReader(data)
        self.vocabulary = vocabulary
        self.grants = grants
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

    /// What the name of an LDAP attribute stands for. Names repeat in every record, so that each is looked up once.
    private enum Meaning {
        case objectClass
        case relation(RoleRelation)
        case attribute(AttributeDefinition)
        case unknown
    }
    private var meanings: [AttributeDefinition.Entity: [String: Meaning]] = [:]

    private mutating func meaning(of name: String, for entity: AttributeDefinition.Entity) -> Meaning {
        if let known = meanings[entity]?[name] { return known }
        let base = Self.base(of: name)
        let meaning: Meaning
        if base.lowercased() == "objectclass" {
            meaning = .objectClass
        } else if entity == .role, let relation = Self.relation(base) {
            meaning = .relation(relation)
        } else {
            meaning = vocabulary.definition(named: base, in: .ldap, for: entity).map { .attribute($0) } ?? .unknown
        }
        // The names are the document's own: no more of them are kept than any directory has.
        if meanings[entity, default: [:]].count < 2_000 { meanings[entity, default: [:]][name] = meaning }
        return meaning
    }

    /// The name without its options, such as `;binary`.
    private static func base(of name: String) -> String { name.split(separator: ";").first.map(String.init) ?? name }

    private mutating func row(_ record: LDIFRecord) -> ImportRow? {
        let classes = record.attributes.filter {
            if case .objectClass = meaning(of: $0.name, for: .user) { true } else { false }
        }.compactMap { $0.text?.lowercased() }
        let isRole = classes.contains { $0.hasPrefix("group") || $0 == "organizationalrole" }
        // A container such as `ou=people` is neither a user nor a role.
        let isContainer = classes.contains {
            ["organizationalunit", "organization", "dcobject", "domain"].contains($0)
        }
        if isContainer && !isRole { return nil }
        var row = ImportRow(line: record.line, isRole: isRole)
        let entity: AttributeDefinition.Entity = isRole ? .role : .user
        var grouped: [AttributeName: [AttributeValue]] = [:]
        var order: [AttributeName] = []
        for attribute in record.attributes {
            let definition: AttributeDefinition
            switch meaning(of: attribute.name, for: entity) {
            case .objectClass: continue
            case .unknown:
                ignored.insert(Self.base(of: attribute.name))
                continue
            case .relation(let relation):
                if grants == .nothing {
                    notGranted.insert(Self.base(of: attribute.name))
                } else if let text = attribute.text, let subject = Self.subject(text) {
                    row.memberships.append(
                        .init(
                            name: subject.name, isRole: subject.isRole, relation: relation, line: record.line,
                            field: relation == .owner ? "owner" : "member"))
                }
                continue
            case .attribute(let known): definition = known
            }
            let text = attribute.text
            switch definition.name {
            case "uid", "name":
                if row.name.text.isEmpty { row.name = .init(text: text ?? "", line: record.line) }
            case "active": row.active = text.map { .string($0) }
            case "manager":
                row.manager = text.map { .init(text: Self.subject($0)?.name ?? $0, line: record.line) }
            case "memberOf" where grants == .nothing: notGranted.insert(Self.base(of: attribute.name))
            case "memberOf":
                if let text {
                    row.memberships.append(
                        .init(
                            name: Self.subject(text)?.name ?? text, isRole: false, relation: .member,
                            line: record.line, field: "memberOf"))
                }
            case _ where definition.writers == .nobody: continue
            default:
                let value: AttributeValue =
                    definition.kind == .binary
                    ? .binary(attribute.value) : ExchangeText.value(of: text ?? "", definition)
                if grouped[definition.name] == nil { order.append(definition.name) }
                grouped[definition.name, default: []] += value.elements
            }
        }
        if row.name.text.isEmpty {
            row.name = .init(text: record.firstComponent.first?.text ?? "", line: record.line)
        }
        // Views such as `telephoneNumber` first, so that the list they are part of has the last word.
        let views = order.filter { StandardAttributes.element(of: $0) != nil && $0 != "mail" }
        func add(_ name: AttributeName, _ value: AttributeValue) {
            row.values.append(.init(name: name, value: value, line: record.line))
        }
        for name in views + order.filter({ !views.contains($0) }) {
            guard let values = grouped[name] else { continue }
            if name == "mail", entity == .user {
                add("emails", .list(values))
            } else if vocabulary.definition(of: name, for: entity)?.isMultiValued == true {
                add(name, .list(values))
            } else if let first = values.first {
                // Of an attribute with one value LDAP may have several: the first is taken.
                add(name, first)
            }
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
    private static func subject(_ text: String) -> (name: String, isRole: Bool)? {
        guard text.contains("="), let first = try? DistinguishedName.firstComponent(of: text).first,
            let name = first.text
        else {
            return text.isEmpty ? nil : (text, false)
        }
        return (name, first.name.lowercased() == "cn" && text.lowercased().contains("ou=roles"))
    }
}
