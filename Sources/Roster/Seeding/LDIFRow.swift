import Foundation

/// The values of an attribute that a record of LDIF has.
private struct LDIFValues {
    struct Found {
        let value: AttributeValue
        let field: String
        let line: Int
        /// The place of the field among those that have the attribute. Values with a language come after all others.
        let rank: Int
    }
    let definition: AttributeDefinition
    var found: [Found] = []

    /// The value that counts if the attribute has only one: the first one of the lowest rank.
    var best: Found? { found.min { $0.rank < $1.rank } }
}

extension LDIFSource {
    /// Reads a record as a row. Every value is part of the row, or counted as unread.
    mutating func row(_ record: LDIFRecord, isRole: Bool) -> ImportRow {
        var row = ImportRow(line: record.line, isRole: isRole)
        var values: [LDIFValues] = []
        var own: [(attribute: LDIFAttribute, isUnset: Bool)] = []
        var names: [LDIFValues.Found] = []
        for attribute in record.attributes where !attribute.value.isEmpty {
            let meaning = meanings.meaning(of: attribute.name)
            let text = attribute.text
            let (field, line) = (attribute.name, attribute.line)
            switch isRole ? meaning.role : meaning.user {
            case .objectClass: break
            case .unknown: unread.ignored.note(LDIFMeanings.base(of: field), line: line)
            case .skipped: unread.skipped.note(LDIFMeanings.base(of: field), line: line)
            case .own: own.append((attribute, false))
            case .unset: own.append((attribute, true))
            case .relation(let relation): relate(attribute, relation, in: &row)
            case .name(let rank):
                names.append(.init(value: .string(text ?? ""), field: field, line: line, rank: rank))
            case .state(let state): row.take(text ?? "", of: state, named: field, line: line)
            case .attribute(let definition, let rank): take(attribute, definition, rank, &row, &values)
            }
        }
        setName(of: &row, names, record)
        takeOwn(own, in: &row, &values)
        add(values, to: &row)
        return row
    }

    private mutating func relate(_ attribute: LDIFAttribute, _ relation: RoleRelation, in row: inout ImportRow) {
        guard grants > .nothing else {
            return unread.notGranted.note(LDIFMeanings.base(of: attribute.name), line: attribute.line)
        }
        guard let subject = attribute.text.flatMap({ subject($0) }) else {
            return row.leaveOut(attribute, "is not a distinguished name")
        }
        row.memberships.append(
            .init(
                name: subject.name, isRole: subject.isRole, relation: relation, line: attribute.line,
                field: relation == .owner ? "owner" : "member"))
    }

    private mutating func take(
        _ attribute: LDIFAttribute, _ definition: AttributeDefinition, _ rank: Int, _ row: inout ImportRow,
        _ values: inout [LDIFValues]
    ) {
        let base = LDIFMeanings.base(of: attribute.name)
        guard let text = attribute.text ?? (definition.kind == .binary ? "" : nil) else {
            return row.leaveOut(attribute, "is not text")
        }
        switch definition.name {
        case "name":
            if row.name.text.isEmpty {
                row.name = .init(text: text, line: attribute.line)
            } else if row.name.text != text {
                row.leaveOut(attribute, "is a second name")
            }
        case "active": row.take(activeWord: text, line: attribute.line)
        case "manager":
            guard row.manager == nil else {
                return row.leaveOut(attribute, "is a second manager, and a person has one")
            }
            row.manager = .init(text: subject(text)?.name ?? text, line: attribute.line)
        case "memberOf" where grants == .nothing: unread.notGranted.note(base, line: attribute.line)
        case "memberOf":
            row.memberships.append(
                .init(
                    name: subject(text)?.name ?? text, isRole: false, relation: .member, line: attribute.line,
                    field: "memberOf"))
        case "password":
            guard let passwordProblem else { return unread.notGranted.note(base, line: attribute.line) }
            if let problem = passwordProblem(text) {
                row.leftOut.append(.init(field: attribute.name, line: attribute.line, message: problem))
            } else if row.values.contains(where: { $0.name == "password" }) {
                row.leaveOut(attribute, "is a second password")
            } else {
                row.values.append(.init(name: "password", value: .string(text), line: attribute.line))
            }
        // The directory keeps its own identifiers, versions and times.
        case _ where definition.writers == .nobody: unread.skipped.note(base, line: attribute.line)
        default:
            let value: AttributeValue =
                definition.kind == .binary ? .binary(attribute.value) : ExchangeText.value(of: text, definition)
            let found = LDIFValues.Found(
                value: value, field: attribute.name, line: attribute.line,
                rank: LDIFMeanings.hasLanguage(attribute.name) ? rank + 1_000 : rank)
            if let index = values.firstIndex(where: { $0.definition.name == definition.name }) {
                values[index].found.append(found)
            } else {
                values.append(LDIFValues(definition: definition, found: [found]))
            }
        }
    }

    private mutating func setName(of row: inout ImportRow, _ names: [LDIFValues.Found], _ record: LDIFRecord) {
        if let best = names.min(by: { $0.rank < $1.rank }) {
            row.name = .init(text: best.value.text ?? "", line: best.line)
            for other in names where other.value != best.value {
                if other.field.lowercased() == "userprincipalname" {
                    unread.skipped.note(other.field, line: other.line)
                } else {
                    row.leftOut.append(
                        .init(field: other.field, line: other.line, message: "'\(other.field)' is a second name."))
                }
            }
        }
        if row.name.text.isEmpty {
            row.name = .init(text: record.firstComponent.first?.text ?? "", line: record.line)
        }
    }

    /// Takes the values that an export of this directory has beside the standard attributes.
    private mutating func takeOwn(
        _ own: [(attribute: LDIFAttribute, isUnset: Bool)], in row: inout ImportRow, _ values: inout [LDIFValues]
    ) {
        for (attribute, isUnset) in own {
            if isUnset {
                values.removeAll { $0.definition.name.rawValue == attribute.text }
                continue
            }
            guard case .complex(let parts)? = attribute.text.flatMap(ExchangeText.parsed) else {
                row.leaveOut(attribute, "is not an object of JSON")
                continue
            }
            for (name, value) in parts {
                if name == "active" { row.active = value }
                guard let definition = vocabulary.definition(of: AttributeName(name), for: row.isRole ? .role : .user),
                    !Vocabulary.system.contains(definition.name)
                else {
                    if name != "active" { unread.ignored.note(name, line: attribute.line) }
                    continue
                }
                values.removeAll {
                    $0.definition.name == definition.name
                        || definition.name == "emails" && $0.definition.name == "mail"
                        || $0.definition.element?.attribute == definition.name
                }
                values.append(
                    LDIFValues(
                        definition: definition,
                        found: [.init(value: value, field: attribute.name, line: attribute.line, rank: 0)]))
            }
        }
    }

    private func add(_ values: [LDIFValues], to row: inout ImportRow) {
        let phones = phoneNumbers(values)
        let values = row.isRole ? values : Self.withOneListOfAddresses(values)
        row.values.reserveCapacity(values.count)
        for value in values {
            let definition = value.definition
            guard let best = value.best else { continue }
            if phones != nil, definition.element?.attribute == "phoneNumbers" { continue }
            let isAddress = definition.name == "mail" && !row.isRole
            if definition.isMultiValued || isAddress {
                row.values.append(
                    .init(
                        name: isAddress ? "emails" : definition.name,
                        value: .list(value.found.flatMap(\.value.elements)), line: best.line))
                continue
            }
            row.values.append(
                .init(name: definition.name, value: best.value.elements.first ?? best.value, line: best.line))
            for other in value.found where other.value != best.value {
                row.leftOut.append(
                    .init(
                        field: other.field, line: other.line,
                        message: "'\(other.field)' has a further value, and '\(definition.name)' keeps one."))
            }
        }
        if let phones { row.values.append(phones) }
    }

    /// Moves the values of `mail` to those of `emails` if a record has both.
    private static func withOneListOfAddresses(_ values: [LDIFValues]) -> [LDIFValues] {
        guard let mail = values.firstIndex(where: { $0.definition.name == "mail" }),
            let emails = values.firstIndex(where: { $0.definition.name == "emails" })
        else { return values }
        var values = values
        let known = Set(values[emails].found.map(\.value))
        values[emails].found += values[mail].found.filter { !known.contains($0.value) }
        values.remove(at: mail)
        return values
    }

    /// All telephone numbers of a record as one list, if one kind of them has several; otherwise nil.
    private func phoneNumbers(_ values: [LDIFValues]) -> ImportRow.Value? {
        let phones = values.filter { $0.definition.element?.attribute == "phoneNumbers" }
        guard let first = phones.first?.best, phones.contains(where: { Set($0.found.map(\.value)).count > 1 }) else {
            return nil
        }
        var elements: [AttributeValue] = []
        for phone in phones {
            for found in phone.found {
                var parts: [String: AttributeValue] = ["value": found.value]
                if let type = phone.definition.element?.type { parts["type"] = .string(type) }
                let element = AttributeValue.complex(parts)
                if !elements.contains(element) { elements.append(element) }
            }
        }
        return .init(name: "phoneNumbers", value: .list(elements), line: first.line)
    }
}

extension ImportRow {
    fileprivate mutating func leaveOut(_ attribute: LDIFAttribute, _ problem: String) {
        leftOut.append(
            .init(field: attribute.name, line: attribute.line, message: "'\(attribute.name)' \(problem)."))
    }
}
