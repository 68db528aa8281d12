import Foundation

/// People out of CSV.
struct CSVSource {
    /// What a column means.
    private enum Meaning {
        case uid, manager, active, memberOf
        case attribute(AttributeDefinition)
    }
    private var reader: CSVReader
    private let meanings: [(column: Int, meaning: Meaning)]
    /// Values are taken as they stand from our own exports, and without white space around them from elsewhere.
    private let isMapped: Bool
    /// The columns that mean nothing here.
    let ignored: [String]
    /// The columns that name roles, where the file may not give any.
    let notGranted: [String]
    /// The headers of the columns, by what comes from them.
    let fields: [AttributeName: String]
    /// Whether nothing more can be read after an error.
    var isBroken: Bool { reader.isBroken }

    init(_ data: Data, _ name: String, _ options: ImportOptions, _ vocabulary: Vocabulary) throws {
        func refuse(_ problem: String, _ advice: String) -> DirectoryError {
            DirectoryError(.invalidInput, "\(name), line 1: \(problem)", advice: advice)
        }
        do {
            reader = try CSVReader(data, isFromSpreadsheet: options.isFromSpreadsheet)
        } catch let error as DirectoryError {
            throw DirectoryError(.invalidInput, "\(name), \(error.message)", advice: error.advice)
        }
        isMapped = !options.columns.isEmpty
        let headers = reader.header.fields.map { $0.trimmingCharacters(in: .whitespaces) }
        var meanings: [(Int, Meaning)] = []
        var fields: [AttributeName: String] = [:]
        var notGranted: [Int] = []
        func add(_ column: Int, _ definition: AttributeDefinition) {
            fields[definition.name] = headers[column]
            switch definition.name {
            case "uid": meanings.append((column, .uid))
            case "manager": meanings.append((column, .manager))
            case "active": meanings.append((column, .active))
            case "memberOf" where options.grants == .nothing: notGranted.append(column)
            case "memberOf": meanings.append((column, .memberOf))
            default: if definition.writers != .nobody { meanings.append((column, .attribute(definition))) }
            }
        }
        if options.columns.isEmpty {
            for (column, header) in headers.enumerated() {
                if let definition = vocabulary.definition(named: header) { add(column, definition) }
            }
        } else {
            for (attribute, header) in options.columns.sorted(by: { $0.key < $1.key }) {
                guard let definition = vocabulary.definition(named: attribute.rawValue) else {
                    throw DirectoryError.unknownAttribute(attribute, of: .user)
                }
                guard let column = headers.firstIndex(of: header) else {
                    throw refuse(
                        "there is no column \(EntityName.shown(header)).",
                        "There are \(headers.map(EntityName.shown).joined(separator: ", ")).")
                }
                add(column, definition)
            }
        }
        let hasUID = meanings.contains { if case .uid = $0.1 { true } else { false } }
        guard hasUID else {
            throw refuse("no column is mapped to 'uid'.", "Say which column has the names: --map uid=\"Column\".")
        }
        self.meanings = meanings
        self.fields = fields
        self.notGranted = notGranted.map { headers[$0] }
        let known = Set(meanings.map(\.0) + notGranted)
        ignored = headers.indices.filter { !known.contains($0) }.map { headers[$0] }
    }

    mutating func next() throws -> ImportRow? {
        let row: CSVRow?
        do {
            row = try reader.next()
        } catch let error as DirectoryError {
            throw UnreadableRow(error)
        }
        guard let row else { return nil }
        var result = ImportRow(line: row.line, uid: "")
        for (column, meaning) in meanings where row.fields.indices.contains(column) {
            let field = row.fields[column]
            let text = isMapped ? field.trimmingCharacters(in: .whitespacesAndNewlines) : field
            guard !text.isEmpty else { continue }
            switch meaning {
            case .uid: result.uid = text
            case .manager: result.manager = text
            case .active: result.active = text
            case .memberOf:
                result.memberships =
                    Self.names(text).map { .init(name: $0, isRole: false, relation: .member) }
            case .attribute(let definition):
                result.values.append((definition.name, ExchangeText.value(of: text, definition)))
            }
        }
        return result
    }

    /// A list in JSON, or names between semicolons.
    private static func names(_ text: String) -> [String] {
        if case .list(let elements)? = ExchangeText.parsed(text) { return elements.compactMap(\.text) }
        return text.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
    }
}

/// People and roles out of LDIF.
struct LDIFSource {
    private var reader: LDIFReader
    private let vocabulary: Vocabulary
    /// The attributes that mean nothing here.
    private(set) var ignored: Set<String> = []
    /// The attributes that give roles, where the file may not give any.
    private(set) var notGranted: Set<String> = []
    private let grants: Grants

    init(_ data: Data, _ vocabulary: Vocabulary, _ grants: Grants) {
        reader = LDIFReader(data)
        self.vocabulary = vocabulary
        self.grants = grants
    }

    mutating func next() throws -> ImportRow? {
        do {
            while let record = try reader.next() {
                if let row = try row(record) { return row }
            }
            return nil
        } catch let error as DirectoryError {
            throw UnreadableRow(error)
        }
    }

    private mutating func row(_ record: LDIFRecord) throws -> ImportRow? {
        let classes = record.attributes.filter { $0.name.lowercased() == "objectclass" }.compactMap {
            $0.text?.lowercased()
        }
        let isRole = classes.contains { $0.hasPrefix("group") || $0 == "organizationalrole" }
        // What only holds others together, such as `ou=people`, is nobody.
        let isContainer = classes.contains {
            ["organizationalunit", "organization", "dcobject", "domain"].contains($0)
        }
        if isContainer && !isRole { return nil }
        var row = ImportRow(line: record.line, uid: "", isRole: isRole)
        let entity: AttributeDefinition.Entity = isRole ? .role : .user
        var grouped: [AttributeName: [AttributeValue]] = [:]
        var order: [AttributeName] = []
        for attribute in record.attributes {
            let base = attribute.name.split(separator: ";").first.map(String.init) ?? attribute.name
            if base.lowercased() == "objectclass" { continue }
            if isRole, let relation = Self.relation(base) {
                guard grants > .nothing else {
                    notGranted.insert(base)
                    continue
                }
                if let text = attribute.text, let subject = Self.subject(text) {
                    row.memberships.append(.init(name: subject.name, isRole: subject.isRole, relation: relation))
                }
                continue
            }
            guard let definition = vocabulary.definition(named: base, in: .ldap, for: entity) else {
                ignored.insert(base)
                continue
            }
            let text = attribute.text
            switch definition.name {
            case "uid", "name": if row.uid.isEmpty { row.uid = text ?? "" }
            case "active": row.active = text
            case "manager": row.manager = text.flatMap { Self.subject($0)?.name ?? $0 }
            case "memberOf" where grants == .nothing: notGranted.insert(base)
            case "memberOf":
                if let text {
                    row.memberships.append(
                        .init(name: Self.subject(text)?.name ?? text, isRole: false, relation: .member))
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
        if row.uid.isEmpty { row.uid = record.firstComponent.first?.text ?? "" }
        // Views such as `telephoneNumber` first, so that the list they are part of has the last word.
        let views = order.filter { StandardAttributes.element(of: $0) != nil && $0 != "mail" }
        for name in views + order.filter({ !views.contains($0) }) {
            guard let values = grouped[name] else { continue }
            if name == "mail", entity == .user {
                row.values.append(("emails", .list(values)))
            } else if vocabulary.definition(of: name, for: entity)?.isMultiValued == true {
                row.values.append((name, .list(values)))
            } else if let first = values.first {
                // Of an attribute with one value LDAP may have several: the first is taken.
                row.values.append((name, first))
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

    /// Whom a distinguished name, or a bare name, means.
    private static func subject(_ text: String) -> (name: String, isRole: Bool)? {
        guard text.contains("="), let first = try? DistinguishedName.firstComponent(of: text).first,
            let name = first.text
        else {
            return text.isEmpty ? nil : (text, false)
        }
        return (name, first.name.lowercased() == "cn" && text.lowercased().contains("ou=roles"))
    }
}
