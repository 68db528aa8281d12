package import RosterStore
import RosterText

/// What a transaction is expected to read. A database server answers these reads together with the question that begins the
/// transaction. A wrong expectation costs the server's work, and changes no answer.
package enum Expectation: Sendable {
    case user(UserReference)
    /// The roles that a user is a direct member of.
    case roles(of: UserID)
    /// Whether any role contains another one, which is asked about users who have roles.
    case nestedRoles
    /// The calling client's identifier for a user.
    case externalID(of: UserID)
    /// The account of a user with that name.
    case account(named: String)
    /// A read of another module.
    case other(ExpectedRead)

    fileprivate func read(for caller: Caller) -> ExpectedRead {
        switch self {
        case .user(let user): user.expectedRead
        case .roles(let user): ExpectedRead(RoleStatements.ofMember, [.integer(user.rawValue)])
        case .nestedRoles: ExpectedRead(RoleStatements.isAnyNested, [])
        case .externalID(let user):
            ExpectedRead(AccessStatements.externalID, [.text(caller.expectedClient), .integer(user.rawValue)])
        case .account(let name): ExpectedRead(AccessStatements.credential, [.text(TextKey.of(name))])
        case .other(let read): read
        }
    }
}

extension DirectoryCore {
    /// The statements that answer what a change reads first, and the caller's standing; none for a file, which answers without a
    /// trip.
    func readsOfChange(_ expectations: [Expectation], by caller: Caller) -> [ExpectedRead] {
        guard store.isOnServer else { return [] }
        var reads = expectations.map { $0.read(for: caller) }
        if case .user(let id) = caller { reads.append(Rights.expectedRead(of: id)) }
        return reads
    }

    /// The statements that answer what a caller reads. After a change, they also answer the caller's standing and what the sign-in
    /// reads, because these are cached only until then.
    func reads(_ expectations: [Expectation], by caller: Caller, signIn: [Expectation]) -> [ExpectedRead] {
        guard store.isOnServer else { return [] }
        guard case .user(let id) = caller, !standings.mayKnow(id, at: store.ownCommitCount) else {
            return expectations.map { $0.read(for: caller) }
        }
        return (expectations + signIn).map { $0.read(for: caller) } + [Rights.expectedRead(of: id)]
    }
}

extension Transaction {
    /// Has a database server answer reads that follow in one trip.
    package func expect(_ expectations: [Expectation]) throws {
        guard core.store.isOnServer, expectations.count > 1 else { return }
        try connection.expect(expectations.map { $0.read(for: rights.caller) })
    }
}

extension Caller {
    /// The client whose external identifiers the caller uses if it may use any.
    fileprivate var expectedClient: String {
        if case .provisioning = self { description } else { Rights.administratorsClient }
    }
}

extension UserReference {
    /// The statement by which ``Transaction/find(_:isListed:)`` finds the user.
    fileprivate var expectedRead: ExpectedRead {
        switch self {
        case .id(let id): ExpectedRead(UserStatements.byID, [.integer(id.rawValue)])
        case .named(let name): ExpectedRead(UserStatements.byName, [.text(TextKey.of(name))])
        case .either(let text):
            UserID(text).map { UserReference.id($0).expectedRead } ?? UserReference.named(text).expectedRead
        }
    }
}
