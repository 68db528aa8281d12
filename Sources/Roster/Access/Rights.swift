import RosterStore
import RosterText

/// What a caller may do: decided here and nowhere else.
struct Rights: Sendable {
    /// What the caller is, once the directory has been asked.
    enum Standing: Sendable, Hashable {
        case administrator
        case provisioning
        case monitoring
        case person(UserID)
        case visitor
    }

    let caller: Caller
    let standing: Standing

    /// Refuses a caller who has not signed in, or whose account has been disabled or deleted since.
    ///
    /// - Parameter memory: The standings that are known; nil to look the standing up.
    init(_ caller: Caller, on connection: Connection, _ memory: StandingMemory? = nil) throws {
        self.caller = caller
        switch caller {
        case .administrator: standing = .administrator
        case .provisioning: standing = .provisioning
        case .monitoring: standing = .monitoring
        case .virtualUser: standing = .visitor
        case .nobody:
            throw DirectoryError(.notPermitted, "Nobody is signed in.", advice: "Sign in first.")
        case .user(let id):
            if let memory, let commit = connection.exactSnapshot {
                standing = try memory.standing(of: id, at: commit) { try Self.standing(of: id, on: connection) }
            } else {
                standing = try Self.standing(of: id, on: connection)
            }
        }
    }

    private static func standing(of id: UserID, on connection: Connection) throws -> Standing {
        let found = try connection.first(AccessStatements.standing, [.integer(id.rawValue)]) {
            (isActive: $0.boolean(0), isMember: $0.boolean(1), areRolesNested: $0.boolean(2))
        }
        guard let found, found.isActive else {
            throw DirectoryError(.notPermitted, "The account is disabled or does not exist any more.")
        }
        let isAdministrator =
            try found.isMember || found.areRolesNested && Self.isAdministrator(id, on: connection)
        return isAdministrator ? .administrator : .person(id)
    }

    static func isAdministrator(_ user: UserID, on connection: Connection) throws -> Bool {
        try connection.first(AccessStatements.isAdministrator, [.integer(user.rawValue)]) { _ in true } == true
    }

    /// The user that the caller is, administrator or not.
    private var person: UserID? {
        if case .user(let id) = caller { return id }
        return nil
    }

    private var isAdministrator: Bool { standing == .administrator }
    private var isProvisioning: Bool { standing == .provisioning }

    /// Whose names for users and roles the caller knows; nil for those who have none. Administrators share theirs.
    var client: String? {
        switch standing {
        case .administrator: "administrators"
        case .provisioning: caller.description
        case .monitoring, .person, .visitor: nil
        }
    }

    /// Whether the caller manages the accounts of other users: an administrator or a provisioning client.
    var keepsAccounts: Bool { isAdministrator || isProvisioning }

    // MARK: Doing

    /// Refuses everyone but administrators.
    func checkAdministrator(to action: String) throws {
        guard isAdministrator else {
            throw DirectoryError(
                .notPermitted, "Only an administrator may \(action).", advice: "Ask one, or sign in as one.")
        }
    }

    /// Refuses everyone but administrators and provisioning clients.
    func checkProvisioning(to action: String) throws {
        if isProvisioning { return }
        try checkAdministrator(to: action)
    }

    /// Refuses to look at or end what somebody else is signed in with, unless to administrators.
    func checkSessions(of user: UserID) throws {
        if person == user { return }
        try checkAdministrator(to: "manage what others are signed in with")
    }

    /// Refuses everyone but administrators and those who watch.
    func checkMonitoring() throws {
        if standing == .monitoring { return }
        try checkAdministrator(to: "read the server's figures")
    }

    /// Refuses a change of attributes that the caller may not write. (Who may not even know of the user has been
    /// told so before.)
    func checkWriting(_ definitions: [AttributeDefinition], of user: UserID, in transaction: Transaction) throws {
        if isAdministrator || isProvisioning {
            guard definitions.contains(where: { Self.isForSigningIn($0.name) }) else { return }
            return try checkNotAdministrator(user, in: transaction)
        }
        for definition in definitions {
            guard person == user, definition.writers == .person else {
                throw DirectoryError(
                    .notPermitted,
                    "The caller may not change '\(definition.name)' of \(person == user ? "their own" : "that") account.",
                    advice: "Ask an administrator.", attribute: definition.name)
            }
        }
    }

    /// Refuses a user more attributes of their own than others can be made to wait for.
    func checkSize(of attributes: AttributeSet, comingFrom old: AttributeSet) throws {
        guard case .person = standing else { return }
        let size = attributes.textSize
        guard size > DirectoryLimits.maximumOwnBytes, size > old.textSize else { return }
        throw DirectoryError(
            .limitExceeded,
            "The user's attributes would have more than \(DirectoryLimits.maximumOwnBytes) bytes in all.",
            advice: "Remove some values first.")
    }

    /// What decides who can sign in as somebody: whoever could write it of an administrator would be one.
    private static func isForSigningIn(_ name: AttributeName) -> Bool {
        ["password", "active", "uid", "emails", "mail"].contains(name.rawValue)
    }

    /// Refuses a provisioning client what only administrators may do to one of them, and a person whose sign-in is not
    /// recent.
    func checkNotAdministrator(_ user: UserID, in transaction: Transaction) throws {
        guard isProvisioning || person != nil, try Self.isAdministrator(user, on: transaction.connection) else {
            return
        }
        try transaction.checkPresence(to: "change an administrator's account")
        if isProvisioning {
            throw DirectoryError(
                .notPermitted, "A provisioning client may not do that to an administrator's account.",
                advice: "Have an administrator do it.")
        }
    }

    /// Refuses everyone but administrators to give somebody a mail address that an administrator has: whoever signs in elsewhere
    /// by that address would mean two users, or the other one.
    ///
    /// - Parameter values: What the indexes are to hold of the user; the keys of addresses disregard case.
    func checkAddresses(_ values: some Sequence<UserKeys.Value>, of user: UserID, in transaction: Transaction) throws {
        if isAdministrator { return }
        for value in values where value.attribute == "emails" {
            let isTheirs = try transaction.connection.first(
                AccessStatements.isAddressOfAdministrator, [value.key, .integer(user.rawValue)]
            ) { _ in true }
            if isTheirs == true {
                throw DirectoryError(
                    .notPermitted,
                    "That mail address is an administrator's, and only an administrator may give it away.",
                    advice: "Choose another address, or have an administrator do it.", attribute: "emails")
            }
        }
    }

    /// Refuses a provisioning client a change of the administrators' role, of one nested in it, or of one that owns one of
    /// them, and a person whose sign-in is not recent.
    func checkNotOfAdministrators(_ role: RoleID, in transaction: Transaction) throws {
        guard isProvisioning || person != nil else { return }
        let isTheirs = try transaction.connection.first(
            AccessStatements.concernsAdministrators, [.integer(role.rawValue)]
        ) { _ in true }
        guard isTheirs == true else { return }
        try transaction.checkPresence(to: "change who is an administrator")
        if isProvisioning {
            throw DirectoryError(
                .notPermitted, "A provisioning client may not change who is an administrator, or who owns their role.",
                advice: "Have an administrator do it.")
        }
    }

    // MARK: Reading

    /// Refuses those who may not read the directory at all.
    func checkReading() throws {
        guard standing == .monitoring else { return }
        throw DirectoryError(.notPermitted, "A monitoring client may read the server's figures only.")
    }

    /// Whether everything that is not secret may be read of everyone, so that nothing has to be taken away.
    var readsEverything: Bool { isAdministrator || isProvisioning }

    /// Whether an attribute may stand in a filter or a sort order: only what may be read of everyone who can be found.
    /// Otherwise the answer to a filter would tell what may not be read.
    func maySearch(_ definition: AttributeDefinition) -> Bool {
        definition.readers >= (readsEverything ? .administrators : .signedIn)
    }

    /// The circle of readers that the caller belongs to, as far as this user goes.
    func circle(of user: borrowing User, in transaction: Transaction) throws -> AttributeDefinition.Readers {
        if readsEverything { return .administrators }
        guard let person else { return .signedIn }
        if user.id == person { return .person }
        guard let manager = user.managerID else { return .signedIn }
        if manager == person { return .managers }
        return try transaction.isAbove(person, manager) ? .managers : .signedIn
    }
}

/// Remembers the standing of callers until something is written.
final class StandingMemory: Sendable {
    private struct State {
        var commit: UInt64 = 0
        var standings: [UserID: Rights.Standing] = [:]
    }
    private static let most = 1_000
    private let state = Locked(State())

    /// The standing of a user in a snapshot with exactly this number of commits.
    ///
    /// - Parameter find: Looks the standing up, if it is not known.
    func standing(
        of user: UserID, at commit: UInt64, _ find: () throws -> Rights.Standing
    ) rethrows -> Rights.Standing {
        let known = state.withLock { $0.commit == commit ? $0.standings[user] : nil }
        if let known { return known }
        let found = try find()
        state.withLock { state in
            if state.commit != commit || state.standings.count >= Self.most { state = State(commit: commit) }
            state.standings[user] = found
        }
        return found
    }
}
