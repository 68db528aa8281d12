import Foundation
import RosterStore
import RosterText

/// Undoes one entry of the change feed.
struct EntryUndoing {
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
        case .user: present = try transaction.references.names(of: [UserID(rawValue: id)])[UserID(rawValue: id)]
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
            TransactionAccounts.isOutsideRecord(name) || ["power", "passwordChanged"].contains(name)
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
        _ = try transaction.asProvisioning(to: "modify roles").roles.modify(.id(role.id), changes, ifVersion: nil)
        step.undone += 1
    }

    private func subjects(_ values: AttributeSet, _ link: RoleLink) -> Set<Int64> {
        Set((values[link.historyName]?.elements ?? []).compactMap { $0.text.flatMap { UserID($0)?.rawValue } })
    }

    private func names(of ids: Set<Int64>, _ link: RoleLink) throws -> [Int64: String] {
        if link.isOfUsers {
            let names = try transaction.references.names(of: Set(ids.map { UserID(rawValue: $0) }))
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
        let owner = try transaction.asRoleOwner(of: role, changing: link.relation)
        if isMember { try owner.add(subjects) } else { try owner.remove(subjects) }
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
