import Foundation
import RosterStore
import RosterText

/// The rights of a caller. All permission checks are here.
struct Rights: Sendable {
    /// The kind of a caller, after a look at the directory.
    enum Standing: Sendable, Hashable {
        case administrator
        case provisioning
        case monitoring
        case reading(NarrowView)
        /// A user who is not an administrator, with the powers of the user's roles.
        case person(UserID, Set<Power>)
        case visitor
    }

    let caller: Caller
    /// The source that the caller's token names; nil if it names none.
    let source: TokenSource?
    let standing: Standing

    /// Refuses callers who have not signed in, or whose account was disabled or deleted since.
    ///
    /// - Parameters:
    ///   - source: The source that the caller's token names.
    ///   - memory: The cached standings.
    init(
        _ caller: Caller, source: TokenSource? = nil, on connection: Connection, _ memory: StandingMemory
    ) throws {
        self.caller = caller
        self.source = source
        switch caller {
        case .administrator: standing = .administrator
        case .provisioning: standing = .provisioning
        case .monitoring: standing = .monitoring
        case .reading(_, let view): standing = .reading(view)
        case .virtualUser: standing = .visitor
        case .nobody:
            throw DirectoryError(.notPermitted, "Nobody is signed in.", advice: "Sign in first.")
        case .user(let id):
            let now = memory.clock
            guard let commit = try connection.exactSnapshot() else {
                standing = try Self.standing(of: id, on: connection, now()).standing
                return
            }
            standing = try memory.standing(of: id, at: commit, ownCommit: connection.snapshot ?? 0) {
                try Self.standing(of: id, on: connection, now())
            }
        }
    }

    /// Returns the statement that finds the standing of a user.
    static func expectedRead(of id: UserID) -> ExpectedRead {
        ExpectedRead(AccessStatements.standing, [.integer(id.rawValue)])
    }

    /// - Returns: The standing, and the moment at which the account ends.
    private static func standing(
        of id: UserID, on connection: Connection, _ now: Date
    ) throws -> (standing: Standing, ends: Int64?) {
        let read = expectedRead(of: id)
        let found = try connection.first(read.sql, read.bindings) {
            (
                isActive: $0.boolean(1), dates: AccountDates($0, at: 2), powers: $0.optionalText(4),
                areRolesNested: $0.boolean(5)
            )
        }
        guard let found, found.isActive, found.dates.contain(now) else {
            throw DirectoryError(
                .notPermitted, "The account is disabled, has not begun or has ended, or no longer exists.")
        }
        let direct = (found.powers ?? "").split(separator: ",").compactMap { Power(rawValue: String($0)) }
        let powers = found.areRolesNested ? try Self.powers(of: id, on: connection) : Set(direct)
        return (powers.contains(.administrator) ? .administrator : .person(id, powers), found.dates.ends)
    }

    /// The powers of a user, directly or through nested roles.
    static func powers(of user: UserID, on connection: Connection) throws -> Set<Power> {
        Set(
            try connection.all(AccessStatements.powersOfUser, [.integer(user.rawValue)]) {
                Power(rawValue: $0.text(0))
            }.compactMap { $0 })
    }

    /// The caller's own user, administrator or not.
    var person: UserID? {
        if case .user(let id) = caller { return id }
        return nil
    }

    private var isAdministrator: Bool { standing == .administrator }
    private var isProvisioning: Bool { standing == .provisioning }

    /// The powers that the caller's roles give; an administrator has that of the administrators.
    var powers: Set<Power> {
        switch standing {
        case .administrator: [.administrator]
        case .person(_, let powers): powers
        case .provisioning, .monitoring, .reading, .visitor: []
        }
    }

    /// Whether the caller has a power that is not the administrators'.
    private func has(_ power: Power) -> Bool {
        if case .person(_, let powers) = standing { return powers.contains(power) }
        return false
    }

    /// The client whose external identifiers the administrators use.
    static let administratorsClient = "administrators"

    /// The source or the client whose external identifiers the caller uses; nil if it has none. Administrators share one
    /// client.
    var client: String? {
        let source = source.map { TokenSource.client($0.name) }
        switch standing {
        case .administrator: return source ?? Self.administratorsClient
        case .provisioning: return source ?? caller.description
        case .monitoring, .reading, .person, .visitor: return nil
        }
    }

    /// Whether the caller manages other users' accounts: an administrator or a provisioning client.
    var keepsAccounts: Bool { isAdministrator || isProvisioning }

    // MARK: Doing

    /// Refuses everyone but administrators.
    func checkAdministrator(to action: String) throws {
        guard isAdministrator else {
            throw DirectoryError(
                .notPermitted, "Only an administrator may \(action).",
                advice: "Ask an administrator, or sign in as one.")
        }
    }

    /// Refuses everyone but administrators and provisioning clients.
    func checkProvisioning(to action: String) throws {
        if isProvisioning { return }
        try checkAdministrator(to: action)
    }

    /// Refuses everyone but administrators, provisioning clients and people editors.
    func checkEditingPeople(to action: String) throws {
        if has(.peopleEditor) { return }
        try checkProvisioning(to: action)
    }

    /// Refuses everyone but administrators, provisioning clients and the help desk to set the password of a new user.
    func checkNewPassword() throws {
        if has(.helpDesk) { return }
        try checkProvisioning(to: "set the passwords of others")
    }

    /// Refuses everyone but administrators, provisioning clients and the owners of a role.
    func checkMembers(of role: RoleID, to action: String, on connection: Connection) throws {
        if let person,
            try connection.first(
                AccessStatements.isOwner, [.integer(role.rawValue), .integer(person.rawValue)], { _ in true }) == true
        {
            return
        }
        try checkProvisioning(to: action)
    }

    /// Refuses everyone but administrators, and the help desk for users without a power.
    func checkHelping(_ user: UserID, to action: String, in transaction: Transaction) throws {
        guard has(.helpDesk) else { return try checkAdministrator(to: action) }
        try checkActing(on: user, in: transaction)
    }

    /// Refuses access to a user's sessions unless the caller is that user or may help the user.
    func checkSessions(of user: UserID, in transaction: Transaction) throws {
        if person == user { return }
        try checkHelping(user, to: "manage other users' sessions", in: transaction)
    }

    /// Refuses everyone except administrators and monitoring programs.
    func checkMonitoring() throws {
        if standing == .monitoring { return }
        try checkAdministrator(to: "read the server's metrics")
    }

    /// Whether the caller may write an attribute of a user as far as the attribute tells. Reads nothing.
    func isWriter(_ definition: AttributeDefinition, of user: UserID) -> Bool {
        isAdministrator || isProvisioning
            || (person == user ? definition.writers == .person : mayWriteForOthers(definition.name))
    }

    /// Refuses changes of attributes that the caller may not write. A user whom the caller may not see was already
    /// reported as not found.
    func checkWriting(_ definitions: [AttributeDefinition], of user: UserID, in transaction: Transaction) throws {
        let forSigningIn = definitions.map(\.name).filter(Self.isForSigningIn)
        if isAdministrator || isProvisioning {
            guard !forSigningIn.isEmpty else { return }
            return try checkActing(on: user, isTakeover: forSigningIn.contains { $0 != "active" }, in: transaction)
        }
        for definition in definitions {
            guard isWriter(definition, of: user) else {
                throw DirectoryError(
                    .notPermitted,
                    "The caller may not change '\(definition.name)' of \(person == user ? "their own" : "that") account.",
                    advice: "Ask an administrator.", attribute: definition.name)
            }
        }
        guard person != user, !definitions.isEmpty else { return }
        try checkActing(on: user, in: transaction)
        if !forSigningIn.isEmpty { try transaction.access.checkPresence(to: "change how somebody signs in") }
    }

    /// Refuses to let users grow their own attributes beyond a limit, because large records slow down other callers.
    func checkSize(of attributes: AttributeSet, comingFrom old: AttributeSet) throws {
        guard case .person(_, let powers) = standing, !powers.contains(.peopleEditor) else { return }
        let size = attributes.textSize
        guard size > DirectoryLimits.maximumOwnBytes, size > old.textSize else { return }
        throw DirectoryError(
            .limitExceeded,
            "The user's attributes would exceed \(DirectoryLimits.maximumOwnBytes) bytes in total.",
            advice: "Remove some values first.")
    }

    /// Whether an attribute affects who can sign in as the user. A caller who writes it for an administrator could
    /// become one.
    static func isForSigningIn(_ name: AttributeName) -> Bool {
        ["password", "active", "uid", "emails", "mail"].contains(name.rawValue)
            || AccountDates.attributes.contains(name)
    }

    /// Whether a power of the caller lets the caller write an attribute of others. A client's identifier is for that client.
    private func mayWriteForOthers(_ name: AttributeName) -> Bool {
        switch name {
        case "password": has(.helpDesk)
        case "externalId": false
        default: has(.peopleEditor)
        }
    }

    /// Refuses everyone but administrators to act on the account of somebody who has a power, the caller's own included.
    /// Requires a recent sign-in of administrators.
    ///
    /// - Parameter isTakeover: Whether the action could let the caller sign in as the user. If not, a provisioning client
    ///   may act on all accounts except those of administrators, so that it can disable and delete users who have left.
    func checkActing(on user: UserID, isTakeover: Bool = true, in transaction: Transaction) throws {
        guard isProvisioning || person != nil else { return }
        let powers = try Self.powers(of: user, on: transaction.connection)
        if powers.isEmpty || isProvisioning && !isTakeover && !powers.contains(.administrator) { return }
        guard isAdministrator else {
            throw DirectoryError(
                .notPermitted,
                "\(isProvisioning ? "A provisioning client" : "The caller") may not do that to the account of "
                    + (powers.contains(.administrator)
                        ? "an administrator." : "a user whose role gives a power."),
                advice: "Have an administrator do it.")
        }
        try transaction.access.checkPresence(to: "change the account of somebody with a power")
    }

    /// Refuses to give somebody the mail address of a user with a power, unless the caller is an administrator. A sign-in
    /// at another provider by that address would match two users, or the wrong one.
    ///
    /// - Parameter values: The index entries of the user; the keys of addresses ignore case.
    func checkAddresses(_ values: some Sequence<UserKeys.Value>, of user: UserID, in transaction: Transaction) throws {
        if isAdministrator { return }
        for value in values where value.attribute == "emails" {
            let isTheirs = try transaction.connection.first(
                AccessStatements.isAddressOfPower, [value.key, .integer(user.rawValue)]
            ) { _ in true }
            if isTheirs == true {
                throw DirectoryError(
                    .notPermitted,
                    "That mail address belongs to a user with a power, and only an administrator may give it away.",
                    advice: "Choose another address, or have an administrator do it.", attribute: "emails")
            }
        }
    }

    /// Whether the caller may also set the passwords of users to whom the caller gives a mail address, which is where password links go.
    /// Users never write their own address.
    var setsPasswordsAndAddresses: Bool { keepsAccounts || has(.peopleEditor) && has(.helpDesk) }

    /// Refuses everyone but administrators to change a role that gives a power, a role nested in one, and a role that owns
    /// one. Requires a recent sign-in of administrators.
    func checkActing(on role: RoleID, in transaction: Transaction) throws {
        guard isProvisioning || person != nil else { return }
        let givesPower = try transaction.connection.first(
            AccessStatements.concernsPower, [.integer(role.rawValue)]
        ) { _ in true }
        guard givesPower == true else { return }
        guard isAdministrator else {
            throw DirectoryError(
                .notPermitted, "Only an administrator may change a role that gives a power, or that owns such a role.",
                advice: "Have an administrator do it.")
        }
        try transaction.access.checkPresence(to: "change a role that gives a power")
    }

    // MARK: Reading

    /// Refuses callers who may not read the directory.
    ///
    /// - Parameter isNarrow: Whether reading programs are let in, because each read of the work obeys their narrow view.
    func checkReading(isNarrow: Bool) throws {
        switch standing {
        case .monitoring:
            throw DirectoryError(.notPermitted, "A monitoring client may only read the server's metrics.")
        case .reading where !isNarrow:
            throw DirectoryError(
                .notPermitted, "A reading program may only read and search users, and roles if it sees them.",
                advice: "Use the token of a program with other rights.")
        default: return
        }
    }

    /// The narrow view of a reading program; nil for all other callers.
    var narrowView: NarrowView? {
        if case .reading(let view) = standing { return view }
        return nil
    }

    /// Whether the caller may read everything of users except secrets.
    var readsEverything: Bool { isAdministrator || isProvisioning || has(.peopleEditor) }

    /// Whether the caller may read every entry of the change feed.
    var seesAllChanges: Bool { isAdministrator }

    /// Whether a filter or a sort order may use an attribute. The caller must be allowed to read it of every user,
    /// because results would otherwise reveal values that are not readable.
    func maySearch(_ definition: AttributeDefinition) -> Bool {
        let readsAll = definition.entity == .user ? readsEverything : keepsAccounts
        return definition.readers >= (readsAll ? .administrators : .signedIn)
    }

    /// The group of readers that the caller belongs to with respect to this user.
    func readers(of user: borrowing User, in transaction: Transaction) throws -> AttributeDefinition.Readers {
        if readsEverything { return .administrators }
        guard let person else { return .signedIn }
        if user.id == person { return .person }
        guard let manager = user.managerID else { return .signedIn }
        if manager == person { return .managers }
        return try transaction.lines.isAboveRemembering(person, manager) ? .managers : .signedIn
    }

    /// The group of readers that the caller belongs to with respect to every role.
    var readersOfRoles: AttributeDefinition.Readers { keepsAccounts ? .administrators : .signedIn }
}

extension Vocabulary {
    /// Whether a group of readers may read an attribute.
    @inline(__always)
    func shows(
        _ name: AttributeName, for entity: AttributeDefinition.Entity = .user, to group: AttributeDefinition.Readers
    ) -> Bool {
        (definition(of: name, for: entity)?.readers ?? .nobody) >= group
    }

    /// The part of a user's attribute that a group of readers may read; nil if there is none.
    @inline(__always)
    func shown(_ entry: AttributeSet.Entry, to group: AttributeDefinition.Readers) -> AttributeValue? {
        guard shows(entry.name, to: group) else { return nil }
        guard let elements = elementReaders(of: entry.name) else { return entry.value }
        return elements.shown(entry.value, to: group)
    }
}
