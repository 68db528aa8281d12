package import Roster
import RosterStore
import RosterText

/// What comes of somebody whom a provider of identities vouches for.
package enum Admission: Sendable, Hashable {
    case user(UserID)
    /// Nobody here is meant.
    case unknown
    /// Somebody here has the name, and is not known to be the same.
    case taken
}

extension Directory {
    /// The user who signs in with a provider: linked to issuer and subject, which nobody can choose, and not to a name, which
    /// somebody else may have.
    ///
    /// Who comes for the first time is linked to the user of exactly that name, or made one. A user who is linked already is
    /// nobody else's, whatever they call themselves. A new user does not get a mail address that somebody here has.
    ///
    /// - Parameters:
    ///   - name: What they are called here, compared byte for byte.
    ///   - alternative: What a new user is called where another user's name is the same but for case, width or composition:
    ///     the subjects `BOSS` and `boss` are two people. nil to create nobody then.
    ///   - isNameCertain: Whether the name is made of issuer and subject. One that was chosen elsewhere gives nobody an account
    ///     that has a password here, or is an administrator's.
    ///   - new: What to create where there is no user of that name; nil to create nobody.
    /// - Throws: `invalidName`, `invalidAttribute` for what cannot be created.
    package func admit(
        issuer: String, subject: String, named name: String, orElse alternative: String? = nil,
        isNameCertain: Bool, creating new: NewUser?
    ) async throws -> Admission {
        let key: [Binding] = [.text(issuer), .text(subject)]
        if let user = try store.read({ try Self.linked(key, on: $0) }) { return .user(user) }
        return try await acting(as: .administrator("sign-in")).awaitWrite { transaction in
            let connection = transaction.connection
            // Two sign-ins at once: the second one finds what the first has made.
            if let user = try Self.linked(key, on: connection) { return .user(user) }
            let user: UserID
            let found = try connection.first(GrantStatements.linkCandidate, [.text(FoldedText.of(name))]) {
                (
                    id: UserID(rawValue: $0.integer(0)), name: $0.text(1), isLinked: $0.boolean(2),
                    hasPassword: $0.boolean(3)
                )
            }
            if let found, found.name.hasSameBytes(as: name) {
                let isProtected = try found.hasPassword || transaction.isAdministrator(found.id)
                guard !found.isLinked, isNameCertain || !isProtected else { return .taken }
                user = found.id
            } else if var new {
                if found != nil {
                    guard let alternative, try transaction.isFree(alternative) else { return .taken }
                    new.uid = alternative
                }
                if let mail = new.attributes["mail"]?.text, try transaction.hasHolder(mail) {
                    new.attributes["mail"] = nil
                }
                user = try transaction.create(new).id
            } else {
                return .unknown
            }
            try connection.run(GrantStatements.link, key + [.integer(user.rawValue)])
            return .user(user)
        }
    }

    private static func linked(_ key: [Binding], on connection: Connection) throws -> UserID? {
        try connection.first(GrantStatements.linkedUser, key) { UserID(rawValue: $0.integer(0)) }
    }
}

extension Transaction {
    /// Whether no user has a name, or one that is the same but for case, width or composition.
    fileprivate func isFree(_ name: String) throws -> Bool {
        try connection.first(GrantStatements.userByNameKey, text: FoldedText.of(name)) { _ in true } == nil
    }

    /// Whether any user has a mail address.
    fileprivate func hasHolder(_ address: String) throws -> Bool {
        try connection.first(GrantStatements.usersByMail, text: FoldedText.of(address)) { _ in true } == true
    }
}
