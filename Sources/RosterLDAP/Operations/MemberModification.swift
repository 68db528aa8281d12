import Roster

/// A modification of the members or the owners of a role, within a transaction.
struct MemberModification {
    let kind: LDAPModification.Kind
    let role: RoleReference
    let relation: RoleRelation
    /// Whether the values are names of users, so that roles stay as they are.
    let isOfNames: Bool
    let view: DirectoryView

    /// Adds, removes or replaces members or owners.
    func run(_ subjects: [RoleSubject]) throws {
        switch kind {
        case .add: if !subjects.isEmpty { try view.roles.add(subjects, to: role, as: relation) }
        case .delete:
            let leaving = try subjects.isEmpty ? all() : subjects
            guard !leaving.isEmpty else { throw LDAPResult(.noSuchAttribute, "The group has no members.") }
            do {
                try view.roles.remove(leaving, from: role, as: relation)
            } catch let error as DirectoryError where error.code == .notFound {
                throw LDAPResult(.noSuchAttribute, error.message)
            }
        case .replace:
            // The members that stay are not touched, so that the feed tells of the others only.
            let wanted = try Set(subjects.map(identified))
            let current = try Set(all())
            let (leaving, coming) = (current.subtracting(wanted), wanted.subtracting(current))
            if !leaving.isEmpty { try view.roles.remove(Array(leaving), from: role, as: relation) }
            if !coming.isEmpty { try view.roles.add(Array(coming), to: role, as: relation) }
        case .increment: throw LDAPResult(.constraintViolation, "A member is no number.")
        }
    }

    private func identified(_ subject: RoleSubject) throws -> RoleSubject {
        switch subject {
        case .user(let user): .user(.id(try view.users.user(user, attributes: ["uid"]).id))
        case .role(let role): .role(.id(try view.roles.role(role, attributes: ["name"]).id))
        }
    }

    /// The present members or owners.
    private func all() throws -> [RoleSubject] {
        let users = try view.roles.users(of: role, as: relation, reach: .direct, attributes: ["uid"])
        let roles = try isOfNames ? [] : view.roles.roles(of: role, as: relation, reach: .direct)
        return users.map { RoleSubject.user(.id($0.id)) } + roles.map { RoleSubject.role(.id($0.id)) }
    }
}
