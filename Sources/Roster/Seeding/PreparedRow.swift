import Foundation
import RosterText

/// A row of a document after all work that does not need the directory. Rows are prepared on another thread than the
/// writer's.
enum PreparedRow: Sendable {
    case user(PreparedUserRow)
    case role(ImportRow, Result<[AttributeChange], DirectoryError>)
    case unreadable(DirectoryError, isLast: Bool)
    case end(Unread)

    init(_ item: ImportItem, _ vocabulary: Vocabulary, isIntoEmpty: Bool) {
        switch item {
        case .row(let row) where row.isRole:
            self = .role(row, Result { () throws(DirectoryError) in try row.changes(vocabulary) })
        case .row(let row): self = .user(PreparedUserRow(row, vocabulary, isIntoEmpty: isIntoEmpty))
        case .unreadable(let error, let isLast): self = .unreadable(error, isLast: isLast)
        case .end(let unread): self = .end(unread)
        }
    }
}

/// Holds the row of a user that is ready to be written. The type is a class, so that handing the row on copies one reference.
final class PreparedUserRow: Sendable {
    let line: Int
    let name: ImportRow.Text
    /// The key by which the name is compared.
    let key: String
    let manager: ImportRow.Text?
    let managerKey: String?
    let memberships: [ImportRow.Membership]
    let leftOut: [ImportRow.LeftOut]
    /// The attributes whose fields the row lacks, with the headers.
    let missing: [(name: AttributeName, field: String)]
    /// The changes that the row makes to an existing user; empty if the directory had no users before the import.
    let changes: Result<[AttributeChange], DirectoryError>
    /// The user that the row creates if no user has the name.
    let user: Result<PreparedUser, DirectoryError>

    init(_ given: ImportRow, _ vocabulary: Vocabulary, isIntoEmpty: Bool) {
        let row = given.withListsLast(vocabulary)
        line = row.line
        name = row.name
        key = TextKey.of(row.name.text)
        manager = row.manager
        managerKey = row.manager.map { TextKey.of($0.text) }
        memberships = row.memberships
        leftOut = row.leftOut + row.overwritten(vocabulary)
        missing = row.missing
        // What the row sets comes later, because a list can have the value of an empty field.
        var changes: [AttributeChange] = isIntoEmpty ? [] : row.clears.map { .clear($0) }
        var attributes = PreparedAttributes()
        do throws(DirectoryError) {
            if let failure = row.failure { throw failure.placed(line: row.line, field: failure.attribute ?? "uid") }
            for value in row.values {
                try row.placing(value.line, value.name) {
                    let change = try value.change(vocabulary, of: .user)
                    if !isIntoEmpty { changes.append(change.change) }
                    try attributes.set(change.definition, change.value)
                }
            }
            let isActive = try row.isActive
            if let isActive { changes.append(.set("active", .boolean(isActive))) }
            self.changes = .success(changes)
            user = Result { () throws(DirectoryError) in
                let name = try row.placing(row.name.line, "uid") { try EntityName(new: row.name.text) }
                return PreparedUser(name: name, isActive: isActive ?? true, manager: nil, attributes, vocabulary)
            }
        } catch {
            self.changes = .failure(error)
            user = .failure(error)
        }
    }
}

extension ImportRow {
    /// Runs a part of the work. Adds the place in the document to an error.
    fileprivate func placing<Value>(
        _ line: Int, _ field: AttributeName, _ body: () throws -> Value
    ) throws(DirectoryError) -> Value {
        do {
            return try body()
        } catch let error as DirectoryError {
            throw error.placed(line: line, field: field)
        } catch {
            throw DirectoryError(.invalidInput, "\(error)")
        }
    }

    /// Returns the row with lists such as `emails` behind the parts of lists such as `mail`, whichever the document names first. The list
    /// then replaces its part, and is stored whole.
    fileprivate func withListsLast(_ vocabulary: Vocabulary) -> ImportRow {
        func name(_ value: Value) -> AttributeName { vocabulary.definition(of: value.name)?.name ?? value.name }
        guard values.count > 1, let list = values.firstIndex(where: { StandardAttributes.isListOfParts(name($0)) }),
            values[list...].contains(where: { StandardAttributes.element(of: name($0)) != nil })
        else { return self }
        var row = self
        row.values =
            values.filter { !StandardAttributes.isListOfParts(name($0)) }
            + values.filter { StandardAttributes.isListOfParts(name($0)) }
        return row
    }

    /// The values that another value of the row replaces: those of an attribute that the row names twice, and those of a part of a list,
    /// such as `mail`, that the row's own list, such as `emails`, does not have.
    fileprivate func overwritten(_ vocabulary: Vocabulary) -> [LeftOut] {
        guard values.count > 1 else { return [] }
        var last: [AttributeName: Int] = [:]
        var own = values.map(\.name)
        for (index, value) in values.enumerated() {
            own[index] = vocabulary.definition(of: value.name)?.name ?? value.name
            last[own[index]] = index
        }
        var found: [LeftOut] = []
        for (index, value) in values.enumerated() {
            let isLast = last[own[index]] == index
            let list = StandardAttributes.element(of: own[index]).flatMap { last[$0.attribute] }.map {
                values[$0].value
            }
            let hasPlace =
                list.map { $0.elements.contains { $0 == value.value || $0.part("value") == value.value } } ?? true
            guard !isLast && last[own[index]].map({ values[$0].value }) != value.value || !hasPlace else { continue }
            found.append(
                .init(
                    field: value.name.rawValue, line: value.line,
                    message: "'\(value.name)' has another value in the same row."))
        }
        return found
    }

    /// The changes that the row of a role makes.
    fileprivate func changes(_ vocabulary: Vocabulary) throws(DirectoryError) -> [AttributeChange] {
        var changes: [AttributeChange] = []
        for value in values {
            let change = try placing(value.line, value.name) {
                let change = try value.change(vocabulary, of: .role)
                _ = try change.definition.checked(change.value)
                return change.change
            }
            changes.append(change)
        }
        return changes
    }

    fileprivate var isActive: Bool? {
        get throws(DirectoryError) {
            switch active {
            case nil: return nil
            case .boolean(let isActive): return isActive
            case let value?:
                guard let isActive = AccountState.isActive(value.text ?? "") else {
                    throw DirectoryError(
                        .invalidAttribute, "\(EntityName.shown(value.text ?? "")) is neither true nor false.",
                        advice: "Write true or false.", attribute: "active"
                    ).placed(line: line, field: "active")
                }
                return isActive
            }
        }
    }
}

extension ImportRow.Value {
    /// The change that sets the attribute to this value, converted to the attribute's type.
    fileprivate func change(
        _ vocabulary: Vocabulary, of entity: AttributeDefinition.Entity
    ) throws -> (definition: AttributeDefinition, value: AttributeValue, change: AttributeChange) {
        guard let definition = vocabulary.definition(of: name, for: entity), definition.writers != .nobody else {
            throw vocabulary.unknownAttribute(name, of: entity)
        }
        let typed = try ExchangeText.typed(value, as: definition)
        return (definition, typed, .set(definition.name, typed))
    }
}

extension DirectoryError {
    /// The same error with a line and a field. A line or a field that the error already has stays.
    func placed(line: Int, field: AttributeName) -> DirectoryError {
        var place = place ?? Place()
        place.line = place.line ?? line
        place.field = place.field ?? (attribute ?? field).rawValue
        return at(place)
    }
}
