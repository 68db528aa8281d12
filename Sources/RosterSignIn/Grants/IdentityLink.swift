package import Roster
import RosterStore
import RosterText

/// The user as whom a person signs in with an identity provider.
package enum Admission: Sendable, Hashable {
    case user(UserID)
    /// No user has the name, and none was to be made.
    case unknown
    /// A user has the name, but is not known to be the same person.
    case taken
}

extension DirectoryHolders {
    /// Finds the user who signs in with a provider. A user is linked to issuer and subject, which nobody can choose; names can
    /// be chosen.
    ///
    /// A person who comes for the first time is linked to the user with exactly that name, or to a new user. A user who is linked
    /// already is not linked again. A new user does not get a mail address that another user has.
    ///
    /// - Parameters:
    ///   - name: The name of the user, compared byte for byte.
    ///   - alternative: The name of a new user if another user's name is the same but for case, width or composition: the
    ///     subjects `BOSS` and `boss` are two people. With nil, no user is made then.
    ///   - isNameCertain: Whether the name is made of issuer and subject. If not, it never selects an account that has a password
    ///     or belongs to a user with a power.
    ///   - new: The user to make if no user has the name; nil to make none.
    /// - Throws: `invalidName`, `invalidAttribute` for a user who cannot be made.
    package func admit(
        issuer: String, subject: String, named name: String, orElse alternative: String? = nil,
        isNameCertain: Bool, creating new: NewUser?
    ) async throws -> Admission {
        let key: [Binding] = [.text(issuer), .text(subject)]
        if let user = try directory.store.read({ try Self.linked(key, on: $0) }) { return .user(user) }
        return try await directory.acting(as: .administrator("sign-in")).awaitWrite { transaction in
            let connection = transaction.connection
            /// Whether a user has a name or a mail address, or one that is the same but for case, width or composition.
            func exists(_ statement: SQL, _ text: String) throws -> Bool {
                try connection.first(statement, text: TextKey.of(text)) { _ in true } == true
            }
            // If two sign-ins come at once, the second finds the link that the first has made.
            if let user = try Self.linked(key, on: connection) { return .user(user) }
            let user: UserID
            let found = try connection.first(GrantStatements.linkCandidate, [.text(TextKey.of(name))]) {
                (
                    id: UserID(rawValue: $0.integer(0)), name: $0.text(1), isLinked: $0.boolean(2),
                    hasPassword: $0.boolean(3)
                )
            }
            if let found, found.name.hasSameBytes(as: name) {
                let isProtected = try found.hasPassword || transaction.hasPower(found.id)
                guard !found.isLinked, isNameCertain || !isProtected else { return .taken }
                user = found.id
            } else if var new {
                if found != nil {
                    guard let alternative, try !exists(GrantStatements.userByNameKey, alternative) else {
                        return .taken
                    }
                    new.uid = alternative
                }
                if let mail = new.attributes["mail"]?.text, try exists(GrantStatements.usersByMail, mail) {
                    new.attributes["mail"] = nil
                }
                user = try transaction.asEditor(to: "create users").users.create(new).id
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
