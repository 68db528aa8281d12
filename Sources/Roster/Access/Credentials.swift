package import Foundation
import RosterStore
import RosterText

/// What sign-in needs to know before there is a caller. It gives no rights: those are what ``Directory/acting(as:)``
/// finds for the caller that sign-in names.
package struct Credentials: Sendable {
    let core: DirectoryCore

    /// Who has a name, and the hash to hold a password against.
    package struct Account: Sendable {
        /// The user.
        package let id: UserID
        /// The name as it is written.
        package let uid: String
        /// Whether the account may be used.
        package let isActive: Bool
        /// Whether a password alone is not enough.
        package let hasSecondFactor: Bool
        /// The hash of the password with its scheme; nil where there is none.
        package let passwordHash: String?
        /// Which password and second factor these are.
        package let version: CredentialVersion
    }

    /// The account of a name, whatever its case; nil where there is none. Cost: some microseconds.
    package func account(named name: String) throws -> Account? {
        try core.store.read { connection in
            try connection.first(AccessStatements.credential, text: FoldedText.of(name)) {
                let id = UserID(rawValue: $0.integer(0))
                return Account(
                    id: id, uid: $0.text(1), isActive: $0.boolean(2),
                    hasSecondFactor: $0.boolean(4), passwordHash: $0.optionalText(3),
                    version: CredentialVersion(.user(id), epoch: $0.integer(5), hasSecondFactor: $0.boolean(4)))
            }
        }
    }

    /// Replaces a hash by a better one of the same password, unless the password was changed meanwhile.
    package func upgrade(_ user: UserID, from old: String, to new: String) async throws {
        if let cost = PasswordCost(new) { core.passwordCosts.note(cost) }
        try await core.store.awaitWrite { connection in
            try connection.run(
                AccessStatements.upgradePassword, [.integer(user.rawValue), .text(old), .text(new)])
        }
    }

    /// The costliest hash of each scheme that is stored, or was since the directory was opened.
    ///
    /// Cost: some microseconds; the first time all hashes are read, at about a million a second.
    /// - Parameter isVerifiable: Whether a hash is one that sign-in can verify.
    package func costliestHashes(
        where isVerifiable: (String) -> Bool
    ) throws -> [PasswordCost.Scheme: PasswordCost] {
        try core.passwordCosts.costliest(in: core.store, where: isVerifiable)
    }

    /// The token with a digest; nil where there is none, or it has expired.
    package func token(digest: String) throws -> APITokenRecord? {
        let now = core.clock()
        let token = try core.store.read { connection in
            try connection.first(AccessStatements.tokenByDigest, text: digest) { APITokenRecord($0) }
        }
        guard let token, token.expires.map({ now < $0 }) ?? true else { return nil }
        return token
    }

    /// The key that signs what must come back unaltered.
    package func signingKey() throws -> String {
        try core.store.read { connection in try connection.first(AccessStatements.signingKey) { $0.text(0) } ?? "" }
    }

    /// How many changes this process has made, which is the only one that makes any: what was found out while it was the
    /// same number is still so.
    package var changeCount: UInt64 { core.store.commitCount }

    /// Whether somebody can administer the directory.
    package func hasAdministrator() throws -> Bool {
        try core.store.read { connection in
            try connection.first(AccessStatements.hasAdministrator) { _ in true } == true
        }
    }
}

/// The sign-in that somebody has proved: the sign-in epoch in which it happened, and whether a second factor was known to be
/// needed. Between that and the beginning of a session both may change: a hash takes long, and waits for others.
package struct CredentialVersion: Sendable, Hashable {
    /// Whose sign-in it is.
    let holder: Holder
    /// The sum of the holder's and the directory's epochs.
    let epoch: Int64
    /// Whether the user had a second factor; nil where that does not matter any more.
    let hasSecondFactor: Bool?

    init(_ holder: Holder, epoch: Int64, hasSecondFactor: Bool? = nil) {
        self.holder = holder
        self.epoch = epoch
        self.hasSecondFactor = hasSecondFactor
    }

    /// Whether nothing has ended a user's sign-ins since, and no second factor was set.
    func isCurrent(for user: UserID, on connection: Connection) throws -> Bool {
        guard holder == .user(user) else { return false }
        return try connection.first(AccessStatements.credentialVersion, [.integer(user.rawValue)]) { row in
            row.integer(0) == epoch && hasSecondFactor.map { $0 == row.boolean(1) } ?? true
        } == true
    }

    /// - Throws: `notFound` where the sign-in has ended, or a second factor was set meanwhile.
    func check(on connection: Connection) throws {
        guard case .user(let user) = holder else { return }
        guard try isCurrent(for: user, on: connection) else {
            throw DirectoryError(
                .notFound, "The password was changed while somebody signed in with the old one.",
                advice: "Sign in again.")
        }
    }
}

extension Session {
    /// Ends the sessions and grants of a user, with this transaction.
    package func endSignIns(of user: UserID) throws {
        try connection.run(AccessStatements.endSignIns, [.integer(user.rawValue)])
    }
}

/// The long-lived token of a program, without the token itself, which nobody keeps.
package struct APITokenRecord: Sendable {
    /// What a token is for.
    package enum Role: String, Sendable, CaseIterable {
        case administrator, provisioning, monitoring
    }

    /// The program's name.
    package let name: String
    /// What it may do.
    package let role: Role
    /// When it was made.
    package let created: Date
    /// When it ends; nil for never.
    package let expires: Date?
    /// The beginning of the token's digest in hexadecimal, which no other token has.
    package let id: String
    /// Who made it: the maker's key, see ``Made``; nil for the command line, a linked app and tokens of older versions.
    package let maker: String?
    /// What the maker was called; nil for tokens of older versions.
    package let makerName: String?
    fileprivate let digest: String

    init(_ row: borrowing Row) {
        name = row.text(0)
        // The table takes no other; whatever it were, it would be the one with the least rights.
        role = Role(rawValue: row.text(1)) ?? .monitoring
        created = Date(milliseconds: row.integer(2))
        expires = row.optionalInteger(3).map { Date(milliseconds: $0) }
        digest = row.text(4)
        id = String(digest.prefix(16))
        maker = row.optionalText(5)
        makerName = row.optionalText(6)
    }

    /// The key under which the directory keeps what the token makes.
    package var key: String { "token " + id }

    /// Whom the token stands for.
    package var caller: Caller {
        switch role {
        case .administrator: .administrator(name)
        case .provisioning: .provisioning(name)
        case .monitoring: .monitoring(name)
        }
    }
}

extension Directory {
    /// What sign-in needs to know.
    package var credentials: Credentials { Credentials(core: core) }

    /// Runs `body`, which looks things up but does nothing that takes longer, on the caller's thread without waiting.
    ///
    /// - Returns: Nil where no reader is free at this moment; `body` has not begun then.
    package func lookUpAtOnce<Value>(_ body: () throws -> Value) rethrows -> Value? {
        try core.store.lookUpAtOnce(body)
    }

    /// Runs `body`, which looks things up but does nothing that takes longer, on another thread when a reader is free.
    package func awaitLookUp<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await core.store.awaitReader(for: .lookUp, body)
    }
}

extension Session {
    /// Keeps a token by its digest.
    ///
    /// - Throws: `alreadyExists` for a name that another token has, `invalidName`, `notPermitted`,
    ///   `recentSignInRequired`, `appNotPermitted`.
    @discardableResult
    package func createToken(
        named name: String, role: APITokenRecord.Role, digest: String, expires: Date?
    ) throws -> APITokenRecord {
        try checkPresentAdministrator(to: "create tokens")
        let name = try EntityName(name)
        guard try connection.first(AccessStatements.tokenNames, text: name.key, { _ in true }) == nil else {
            throw DirectoryError(
                .alreadyExists, "There is a token \(EntityName.shown(name.text)) already.",
                advice: "Choose another name, or revoke that token.")
        }
        try connection.run(
            AccessStatements.insertToken,
            [
                .text(name.text), .text(name.key), .text(role.rawValue), .text(digest), .integer(now().milliseconds),
                .integer(expires?.milliseconds), .text(maker.key), .text(maker.name),
            ])
        guard let made = try connection.first(AccessStatements.tokenByDigest, text: digest, { APITokenRecord($0) })
        else {
            throw DirectoryError(.damaged, "A new token is not there.", advice: "Check the file.")
        }
        return made
    }

    /// The tokens, the oldest first.
    package func tokens() throws -> [APITokenRecord] {
        try rights.checkAdministrator(to: "list tokens")
        return try connection.all(AccessStatements.tokens) { APITokenRecord($0) }
    }

    /// Ends a token at once.
    ///
    /// - Parameter name: The token's name or its id.
    /// - Throws: `notFound`, `notPermitted`, `recentSignInRequired`, `appNotPermitted`.
    package func revokeToken(named name: String) throws {
        try checkPresentAdministrator(to: "revoke tokens")
        let key = FoldedText.of(name)
        let all = try tokens()
        guard let token = all.first(where: { $0.id == name }) ?? all.first(where: { FoldedText.of($0.name) == key })
        else {
            throw DirectoryError(
                .notFound, "There is no token \(EntityName.shown(name)).", advice: "List them to see which there are.")
        }
        try revoke(token)
    }

    func revoke(_ token: APITokenRecord) throws {
        try connection.run(AccessStatements.deleteToken, [.text(token.digest)])
    }

    /// The administrators' role, which is made where there is none yet.
    package func administratorsRole() throws -> Role {
        try checkPresentAdministrator(to: "appoint administrators")
        if let id = try connection.first(AccessStatements.administrators, [], { $0.optionalInteger(0) }) ?? nil {
            return try role(.id(RoleID(rawValue: id)))
        }
        // A role of that name may have come from elsewhere and mean something else: its members get no rights by it.
        let isTaken = try connection.first(RoleStatements.byName, text: "administrators") { _ in true } == true
        let role = try createRole(
            isTaken ? "directory administrators" : "administrators",
            ["description": "May do everything in this directory."])
        try connection.run(AccessStatements.setAdministrators, [.integer(role.id.rawValue)])
        return role
    }
}
