package import RosterStore
import RosterText

/// A read that a transaction is expected to make. A database server answers expected reads in the round trip that begins the
/// transaction. A wrong expectation costs the server work and changes no answer.
package enum Expectation: Sendable {
    /// The user that a reference represents.
    case user(UserReference)
    /// The manager of a user.
    case manager(of: UserID)
    /// The roles that a user is a member of.
    case memberships(of: UserID)
    /// Whether any role contains another role, which is read before the roles of a user.
    case nestedRoles
    /// The calling client's identifier for a user or a role.
    case externalID(of: Int64)
    /// The account of a user with that name.
    case account(named: String)
    /// A read of another module.
    case other(ExpectedRead)

    fileprivate func reads(for caller: Caller, in core: DirectoryCore) -> [ExpectedRead] {
        switch self {
        case .user(let user): [user.expectedRead]
        case .manager(let user):
            [ExpectedRead(UserStatements.managerOf, [.integer(user.rawValue)], answering: UserStatements.byID)]
        case .memberships(let user):
            [ExpectedRead(RoleStatements.memberships(nested: core.mayHaveNestedRoles), [.integer(user.rawValue)])]
        case .nestedRoles: [ExpectedRead(RoleStatements.isAnyNested, [])]
        case .externalID(let id):
            [ExpectedRead(AccessStatements.externalID, [.text(caller.expectedClient), .integer(id)])]
        case .account(let name): [ExpectedRead(AccessStatements.credential, [.text(TextKey.of(name))])]
        case .other(let read): [read]
        }
    }
}

extension DirectoryCore {
    /// Returns the statements for the expectations of a change and for the caller's standing. Returns none for a file, which answers
    /// without a round trip.
    func readsOfChange(_ expectations: [Expectation], by caller: Caller) -> [ExpectedRead] {
        guard store.isOnServer else { return [] }
        var reads = expectations.flatMap { $0.reads(for: caller, in: self) }
        if case .user(let id) = caller { reads.append(Rights.expectedRead(of: id)) }
        return reads
    }

    /// Returns the statements for the expectations of a read. If this process has changed the directory since the caller's standing was
    /// cached, also returns the statements for the standing and for the sign-in, whose caches a change empties. Returns none for a file.
    func reads(_ expectations: [Expectation], by caller: Caller, signIn: [Expectation]) -> [ExpectedRead] {
        guard store.isOnServer else { return [] }
        guard case .user(let id) = caller, !standings.mayKnow(id, at: store.ownCommitCount) else {
            return expectations.flatMap { $0.reads(for: caller, in: self) }
        }
        return (expectations + signIn).flatMap { $0.reads(for: caller, in: self) } + [Rights.expectedRead(of: id)]
    }
}

extension Caller {
    /// The client whose external identifiers the caller uses, if the caller may use any.
    fileprivate var expectedClient: String {
        if case .provisioning = self { description } else { Rights.administratorsClient }
    }
}

extension UserReference {
    /// The statement that ``Transaction/find(_:isListed:)`` runs for this reference.
    fileprivate var expectedRead: ExpectedRead {
        switch self {
        case .id(let id): ExpectedRead(UserStatements.byID, [.integer(id.rawValue)])
        case .named(let name): ExpectedRead(UserStatements.byName, [.text(TextKey.of(name))])
        case .either(let text):
            UserID(text).map { UserReference.id($0).expectedRead } ?? UserReference.named(text).expectedRead
        }
    }
}
