import RosterStore

/// Reads rows of the change feed, and leaves out values that the caller may not read at present.
struct ChangeReader {
    private let transaction: Transaction
    private let limit: Int
    /// The largest number of rows to read.
    let rows: Int
    private var count = 0
    /// The bytes of the values that were read.
    private var bytes = 0
    private(set) var page: ChangePage
    /// The group of readers that the caller belongs to, by the number of the user or role.
    private var groups: [Int64: AttributeDefinition.Readers] = [:]

    /// The rows that one page reads for a caller who does not see all of them.
    private static let rowsOfPage = 2_000
    /// The bytes of values after which a page for a client ends.
    private static let bytesOfPage = 8 << 20

    init(_ transaction: Transaction, since sequence: Int64, limit: Int) {
        self.transaction = transaction
        self.limit = limit
        rows = transaction.rights.seesAllChanges ? limit : Self.rowsOfPage
        page = ChangePage(through: sequence)
    }

    /// The first number that a row represents.
    static func first(of row: borrowing Row) -> Int64 {
        row.integer(3) == Change.Kind.pruned.rawValue ? row.integer(5) : row.integer(0)
    }

    /// Adds the change of a row if the caller may see it.
    mutating func read(_ row: borrowing Row) throws {
        guard page.changes.count < limit, bytes < Self.bytesOfPage || transaction.clientLimits == nil else {
            page.isLast = false
            return
        }
        bytes += row.bytes(7, \.count) + row.bytes(8, \.count)
        page.through = row.integer(0)
        count += 1
        page.isLast = count < rows
        if transaction.rights.seesAllChanges {
            page.changes.append(try Change(row))
        } else if let change = try readable(row) {
            page.changes.append(change)
        }
    }

    /// The readable part of a change; nil if there is none.
    private mutating func readable(_ row: borrowing Row) throws -> Change? {
        let kind = Change.Kind(rawValue: row.integer(3))
        if kind == .pruned { return try Change(row) }
        guard let kind, !kind.isSignIn else { return nil }
        let entity: AttributeDefinition.Entity
        switch Change.Entity(rawValue: row.integer(4)) {
        case .user: entity = .user
        case .role: entity = .role
        case .attribute, .backend, .virtualUser, .signingKey, .feed, .setting, nil: return nil
        }
        var change = try Change(row)
        let group = try group(of: row.integer(5), entity)
        if change.actor != transaction.shared.caller.description { (change.actor, change.batch) = ("", nil) }
        let (before, after) = (shown(change.before, entity, group), shown(change.after, entity, group))
        guard kind == .modified else {
            (change.before, change.after) = (before, after)
            return change
        }
        // The readable elements of a list can be equal although the list has changed.
        change.before = before.filtered { before[$0] != after[$0] }
        change.after = after.filtered { before[$0] != after[$0] }
        return change.before.isEmpty && change.after.isEmpty ? nil : change
    }

    private mutating func group(
        of id: Int64, _ entity: AttributeDefinition.Entity
    ) throws -> AttributeDefinition.Readers {
        if let known = groups[id] { return known }
        let group: AttributeDefinition.Readers
        switch entity {
        case .user:
            let user = try transaction.users.find(.id(UserID(rawValue: id)), isListed: true)
            group = try user.map { try transaction.rights.readers(of: $0, in: transaction) } ?? .signedIn
        case .role:
            let exists = try transaction.connection.first(RoleStatements.byID, [.integer(id)]) { _ in true } == true
            group = exists ? transaction.rights.readersOfRoles : .signedIn
        }
        groups[id] = group
        return group
    }

    /// The values that a group may read.
    private func shown(
        _ values: AttributeSet, _ entity: AttributeDefinition.Entity, _ group: AttributeDefinition.Readers
    ) -> AttributeSet {
        let vocabulary = transaction.vocabulary
        return values.mapped { entry in
            // Everyone who is signed in may read who belongs to a role.
            if entity == .role, RoleLink.allCases.contains(where: { $0.historyName == entry.name }) {
                return entry.value
            }
            // An identifier of a provisioning client is for that client only. The name of an attribute that was undeclared
            // can be another protocol's name for an attribute with more readers.
            guard entry.name != .externalId, vocabulary.definition(of: entry.name, for: entity)?.name == entry.name
            else {
                return nil
            }
            switch entity {
            case .user: return vocabulary.shown(entry, to: group)
            case .role: return vocabulary.shows(entry.name, for: .role, to: group) ? entry.value : nil
            }
        }
    }
}
