import Foundation
import RosterStore
import RosterText

extension TransactionFeed {
    func beginBatch() throws -> Int64 {
        try transaction.countedChanges?.add()
        let number = try transaction.nextID()
        try transaction.connection.run(
            BatchStatements.insert,
            [.integer(number), .text(transaction.shared.caller.description), .integer(transaction.now().milliseconds)],
            changing: .none)
        return number
    }

    /// Adds an entry to the transaction's batch, if it has one.
    ///
    /// - Parameter sequence: The number of the entry; nil for the last one.
    func noteBatch(of sequence: Int64? = nil) throws {
        guard let batch = transaction.batch else { return }
        let added = try transaction.connection.all(
            BatchStatements.add,
            [.integer(batch), .text(transaction.shared.caller.description), .integer(sequence)]
        ) { $0.integer(0) }
        guard !added.isEmpty else { throw Self.noBatch(batch) }
    }

    private static func noBatch(_ number: Int64) -> DirectoryError {
        DirectoryError(
            .notFound, "You have no batch \(number).", advice: "Begin a batch, and give its number with each change.")
    }

    /// Counts the batched entries of a range that is about to be removed from the feed, so that undoing can tell of them.
    func loseBatched(from first: Int64, through last: Int64) throws {
        let range: [Binding] = [.integer(first), .integer(last)]
        try transaction.connection.run(BatchStatements.countLost, range)
        try transaction.connection.run(BatchStatements.remove, range)
    }

    // MARK: Undoing

    /// The entries that one transaction undoes, so that other changes do not wait long.
    private static let entriesOfStep = 100

    /// Ends the savepoint of a preview.
    private struct PreviewEnds: Error {}

    func undo(_ call: UndoBatch) throws -> UndoStep {
        let found = try transaction.connection.first(BatchStatements.actor, [.integer(call.batch)]) {
            ($0.text(0), $0.integer(1))
        }
        guard let (actor, lost) = found,
            actor == transaction.shared.caller.description || transaction.rights.seesAllChanges
        else { throw Self.noBatch(call.batch) }
        let entries = try transaction.connection.all(
            BatchStatements.entries,
            [.integer(call.batch), .integer(call.before ?? .max), .integer(Int64(Self.entriesOfStep))]
        ) { try Change($0) }
        var step = UndoStep()
        if call.before == nil, lost > 0 {
            step.leftOut.append(
                .init(
                    entity: .feed, subjectID: "", name: "",
                    reason: "\(lost) changes of the batch are no longer in the change feed"))
        }
        if entries.count == Self.entriesOfStep { step.next = entries.last?.sequence }
        guard call.isPreview else {
            if !entries.isEmpty { step.batch = try call.opposite ?? beginBatch() }
            transaction.batch = step.batch
            defer { transaction.batch = transaction.shared.batch }
            for entry in entries { try undo(entry, &step) }
            return step
        }
        transaction.batch = nil
        defer { transaction.batch = transaction.shared.batch }
        do {
            try savepoint {
                for entry in entries { try undo(entry, &step) }
                throw PreviewEnds()
            }
        } catch is PreviewEnds {}
        return step
    }

    private func savepoint(_ body: () throws -> Void) throws {
        var failure: (any Error)?
        do {
            try transaction.connection.savepoint(body) { failure = $0 }
        } catch {
            throw failure ?? error
        }
    }

    /// The errors that concern one change of a batch only.
    private static let refusals: Set<DirectoryError.Code> = [
        .notFound, .alreadyExists, .invalidName, .invalidAttribute, .invalidInput, .circle, .hasReportees,
        .lastAdministrator, .notPermitted,
    ]

    /// Undoes an entry, or leaves it out.
    private func undo(_ entry: Change, _ step: inout UndoStep) throws {
        do {
            var tried = step
            try savepoint { try EntryUndoing(transaction, entry).run(&tried) }
            step = tried
        } catch let error as DirectoryError where Self.refusals.contains(error.code) {
            try EntryUndoing(transaction, entry).leaveOut(error.message, &step)
        }
    }
}

/// Undoes one entry of the change feed.
private struct EntryUndoing {
    private let transaction: Transaction
    private let entry: Change
    private let id: Int64

    init(_ transaction: Transaction, _ entry: Change) {
        (self.transaction, self.entry) = (transaction, entry)
        id = UserID(entry.subjectID)?.rawValue ?? 0
    }

    func leaveOut(_ reason: String, _ step: inout UndoStep) throws {
        var present: String?
        switch entry.entity {
        case .user: present = try transaction.users.names(of: [UserID(rawValue: id)])[UserID(rawValue: id)]
        case .role: present = try name(ofRole: id)
        default: break
        }
        step.leftOut.append(
            .init(entity: entry.entity, subjectID: entry.subjectID, name: present ?? entry.name, reason: reason))
    }

    private func name(ofRole id: Int64) throws -> String? {
        try transaction.connection.first(RoleStatements.byID, [.integer(id)]) {
            try Role($0, view: transaction.view).name
        }
    }

    func run(_ step: inout UndoStep) throws {
        switch (entry.kind, entry.entity) {
        case (.modified, .user): try undoUser(&step)
        case (.modified, .role): try undoRole(&step)
        case (.created, .user), (.created, .role): try leaveOut("was created by the batch, and stays", &step)
        case (.deleted, .user), (.deleted, .role):
            try leaveOut(entry.name.isEmpty ? "was erased" : "was deleted by the batch, and stays so", &step)
        default: try leaveOut("is no user and no role", &step)
        }
    }

    private var isErased: Bool { entry.name.isEmpty && entry.before.isEmpty && entry.after.isEmpty }

    private func undoUser(_ step: inout UndoStep) throws {
        let users = transaction.users
        guard let user = try users.find(.id(UserID(rawValue: id)), isListed: true) else {
            return try leaveOut(isErased ? "was erased" : "was deleted since", &step)
        }
        let present = users.history(
            user.attributes.decoded, uid: user.uid, isActive: user.isActive, manager: user.managerID)
        guard let changes = try changes(to: present, of: .user, &step) else { return }
        _ = try users.modify(stored: user, changes, ifVersion: nil)
        step.undone += 1
    }

    /// The changes that give a subject the values back; nil if the entry is left out.
    private func changes(
        to present: AttributeSet, of owner: AttributeDefinition.Entity, _ step: inout UndoStep,
        besides links: Set<AttributeName> = []
    ) throws -> [AttributeChange]? {
        let names = Set(entry.before.map(\.name) + entry.after.map(\.name)).subtracting(links)
        let present = present.filtered { names.contains($0) }.withoutSecrets(transaction.vocabulary, of: owner).shrunk
        func shown(_ names: [AttributeName]) -> String {
            names.map { "'\($0)'" }.sorted().joined(separator: ", ")
        }
        let unknown = names.filter { name in
            TransactionAccounts.isOutsideRecord(name) || name == "power"
                || entry.before[name].map(LargeValues.isReplacement) ?? false
        }
        if names.isEmpty || !unknown.isEmpty {
            let what = names.isEmpty ? "the values" : shown(Array(unknown))
            try leaveOut("has a change whose former value the change feed does not hold: \(what)", &step)
            return nil
        }
        if names.allSatisfy({ present[$0] == entry.before[$0] }) {
            try leaveOut("is so already", &step)
            return nil
        }
        let changed = names.filter { present[$0] != entry.after[$0] }
        guard changed.isEmpty else {
            try leaveOut("was changed since: \(shown(Array(changed)))", &step)
            return nil
        }
        return names.map { name in entry.before[name].map { .set(name, $0) } ?? .clear(name) }
    }

    // MARK: Roles

    private func undoRole(_ step: inout UndoStep) throws {
        guard let name = try name(ofRole: id) else { return try leaveOut("was deleted since", &step) }
        let role = try transaction.roles.stored(.id(RoleID(rawValue: id)))
        let links = Set(RoleLink.allCases.map(\.historyName))
        for link in RoleLink.allCases {
            let (came, left) = (subjects(entry.after, link), subjects(entry.before, link))
            if came.isEmpty && left.isEmpty { continue }
            let direct = Set(
                try transaction.connection.all(
                    link.statements.direct, [.integer(id), transaction.connection.array(Array(came.union(left)))]
                ) { $0.integer(0) })
            try set(link, came.intersection(direct), of: name, isMember: false, &step)
            try leaveOut(came.subtracting(direct), link, "does not belong to \(name) any more", &step)
            try set(link, left.subtracting(direct), of: name, isMember: true, &step)
            try leaveOut(left.intersection(direct), link, "belongs to \(name) again already", &step)
        }
        guard
            entry.before.contains(where: { !links.contains($0.name) })
                || entry.after.contains(where: { !links.contains($0.name) })
        else { return }
        var present = role.attributes.decoded
        present["name"] = .string(role.name)
        guard let changes = try changes(to: present, of: .role, &step, besides: links) else { return }
        _ = try transaction.roles.modify(.id(role.id), changes, ifVersion: nil)
        step.undone += 1
    }

    private func subjects(_ values: AttributeSet, _ link: RoleLink) -> Set<Int64> {
        Set((values[link.historyName]?.elements ?? []).compactMap { $0.text.flatMap { UserID($0)?.rawValue } })
    }

    private func names(of ids: Set<Int64>, _ link: RoleLink) throws -> [Int64: String] {
        if link.isOfUsers {
            let names = try transaction.users.names(of: Set(ids.map { UserID(rawValue: $0) }))
            return Dictionary(names.map { ($0.key.rawValue, $0.value) }) { $1 }
        }
        return Dictionary(try ids.compactMap { id in try name(ofRole: id).map { (id, $0) } }) { $1 }
    }

    /// Adds subjects to the role again, or removes them, and leaves those out who are gone.
    private func set(
        _ link: RoleLink, _ ids: Set<Int64>, of name: String, isMember: Bool, _ step: inout UndoStep
    ) throws {
        guard !ids.isEmpty else { return }
        let there = Set(try names(of: ids, link).keys)
        try leaveOut(ids.subtracting(there), link, "was deleted since", &step)
        guard !there.isEmpty else { return }
        let subjects = there.sorted().map { id -> RoleSubject in
            link.isOfUsers ? .user(.id(UserID(rawValue: id))) : .role(.id(RoleID(rawValue: id)))
        }
        let role = RoleReference.id(RoleID(rawValue: id))
        if isMember {
            try transaction.roles.add(subjects, to: role, as: link.relation, ifVersion: nil)
        } else {
            try transaction.roles.remove(subjects, from: role, as: link.relation, ifVersion: nil)
        }
        step.undone += there.count
    }

    private func leaveOut(_ ids: Set<Int64>, _ link: RoleLink, _ reason: String, _ step: inout UndoStep) throws {
        guard !ids.isEmpty else { return }
        let names = try names(of: ids, link)
        for id in ids.sorted() {
            step.leftOut.append(
                .init(
                    entity: link.isOfUsers ? .user : .role, subjectID: UserID(rawValue: id).description,
                    name: names[id] ?? "", reason: names[id] == nil ? "was deleted since" : reason))
        }
    }
}

extension RoleLink {
    fileprivate var isOfUsers: Bool { self == .memberUser || self == .ownerUser }
    fileprivate var relation: RoleRelation { self == .memberUser || self == .memberRole ? .member : .owner }
}
