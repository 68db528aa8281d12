import Roster
import RosterText

/// A PATCH of a group that does nothing but add members and remove members.
struct MemberMoves: Sendable {
    enum Kind: Sendable, Hashable {
        case join, leave
    }
    struct Step: Sendable {
        let kind: Kind
        fileprivate(set) var ids: [String]
    }

    let steps: [Step]

    init?(_ patch: SCIMPatch) {
        var steps: [Step] = []
        for operation in patch.operations {
            guard let path = operation.path else {
                // Okta adds members without a path.
                guard operation.kind == .add, let value = operation.value, value.members.count == 1,
                    let members = value.member("members"), let ids = Self.ids(in: members)
                else { return nil }
                steps.append(Step(kind: .join, ids: ids))
                continue
            }
            guard path.attribute?.name == "members", path.urn == nil, path.part == nil else { return nil }
            switch (operation.kind, path.filter, operation.value) {
            case (.add, nil, let value?):
                guard let ids = Self.ids(in: value) else { return nil }
                steps.append(Step(kind: .join, ids: ids))
            case (.remove, nil, let value?) where !value.isNull:
                guard let ids = Self.ids(in: value) else { return nil }
                steps.append(Step(kind: .leave, ids: ids))
            case (.remove, let filter?, _):
                guard let equalities = filter.equalities, equalities.count == 1, let first = equalities.first,
                    first.part == "value", let id = first.value.text
                else { return nil }
                steps.append(Step(kind: .leave, ids: [id]))
            default: return nil
            }
        }
        self.steps = Self.joined(steps)
    }

    /// Joins steps of one kind. Some clients send one operation for each member, and each step is one change of the group.
    private static func joined(_ steps: [Step]) -> [Step] {
        var joined: [Step] = []
        for step in steps {
            if joined.last?.kind == step.kind {
                joined[joined.count - 1].ids += step.ids
            } else {
                joined.append(step)
            }
        }
        return joined
    }

    private static func ids(in value: JSONValue) -> [String]? {
        let ids = value.elements.map { $0["value"]?.text ?? $0.text }
        // The editor refuses elements without an identifier, so such a PATCH takes the longer way.
        return ids.contains { $0?.isEmpty ?? true } ? nil : ids.compactMap { $0 }
    }
}

extension SCIMWork {
    /// Adds and removes members without reading the others, because a group can have very many members. Who is to leave need
    /// not be a member, nor exist any more: after the change they are none, as the client asked.
    func move(_ moves: MemberMoves, in id: String) async throws -> Outcome {
        try await view.awaitWrite { transaction in
            let role = try transaction.roles.role(try Self.role(id))
            try checkVersion(role.version)
            for step in moves.steps {
                // A step can end the caller's ownership.
                let owner = try transaction.asRoleOwner(of: .id(role.id), changing: .member)
                switch step.kind {
                case .join: try owner.add(SCIMChanges.members(step.ids, transaction))
                case .leave:
                    try owner.remove(
                        SCIMChanges.members(step.ids, transaction, ignoresOthers: true), ignoresOthers: true)
                }
            }
            let version = try transaction.roles.role(.id(role.id)).version
            return Outcome(status: 204, id: id, resource: nil, location: nil, version: version)
        }
    }
}
