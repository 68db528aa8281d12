package import Foundation
package import Roster
import RosterStore
import RosterText

/// What somebody made, holds or owns, by which they would still get in after their account was taken from them.
///
/// Backends and tokens act by themselves, so what these made counts as well. The keys of makers are identifiers of users and
/// backends, and ``APIToken/key``.
package struct Made: Sendable {
    /// A session: the maker's own, or one that the maker began for somebody else.
    package struct Session: Sendable {
        /// The name of whom it signs in.
        package let name: String
        /// When it was last used, as far as that was kept.
        package let used: Date
        /// When it ends unless it is used.
        package let expires: Date
        fileprivate let digest: String
    }

    /// An app's tokens for the maker.
    package struct Grant: Sendable {
        /// The name and the version of the backend.
        package let backend: String
        /// When the grant began.
        package let created: Date
        /// When it ends, whatever is refreshed.
        package let expires: Date
    }

    /// With whom the maker signs in beside us.
    package struct Link: Sendable {
        package let issuer: String
        /// How it knows the maker.
        package let subject: String
    }

    /// The user; nil where the user was deleted.
    package fileprivate(set) var user: User?
    /// The backends that the user made, and the backends that the user's backends and tokens made.
    package fileprivate(set) var backends: [Backend] = []
    /// The programs' tokens that the user made, and the tokens that the user's backends and tokens made.
    package fileprivate(set) var tokens: [APIToken] = []
    /// Their own sessions, and those that they began for others.
    package fileprivate(set) var sessions: [Session] = []
    /// What apps hold for them.
    package fileprivate(set) var grants: [Grant] = []
    /// Their accounts with providers.
    package fileprivate(set) var links: [Link] = []
    /// The roles that they own directly.
    package fileprivate(set) var ownedRoles: [Role] = []
}

extension Transaction {
    /// What somebody made, holds and owns.
    ///
    /// - Parameter maker: A user's name or identifier. The name of a deleted user, or of a program, is found where something
    ///   is left that they made.
    /// - Throws: `notFound`, `notPermitted` for all but administrators.
    package func made(by maker: String) throws -> Made {
        try checkAdministrator(to: "list what others made")
        return try findMade(by: maker).made
    }

    /// Ends all that somebody made, holds and owns: see ``Made``. Their password and second factor stay.
    ///
    /// - Returns: What was ended.
    /// - Throws: `notFound`, `notPermitted` for all but administrators, `recentSignInRequired`, `appNotPermitted`.
    package func endMade(by maker: String) throws -> Made {
        try checkPresentAdministrator(to: "end what others made")
        let (made, keys) = try findMade(by: maker)
        for token in made.tokens { try revoke(token) }
        for backend in made.backends { try deleteBackend(backend.id) }
        for key in keys {
            for session in try sessions(MadeStatements.sessionsByMaker, .text(key)) {
                try endSession(session.digest)
            }
        }
        guard let user = made.user else { return made }
        try endSignIns(of: user.id)
        try connection.run(MadeStatements.deleteLinks, [.integer(user.id.rawValue)])
        for role in made.ownedRoles {
            try remove([.user(.id(user.id))], from: .id(role.id), as: .owner, ifVersion: nil)
        }
        try record(.revoked, .user, id: user.id.rawValue, name: user.uid, before: nil, after: ["means": "made"])
        return made
    }

    private func findMade(by maker: String) throws -> (made: Made, keys: [String]) {
        var made = Made()
        var keys = try keys(ofMaker: maker)
        if let user = try foundUser(maker) {
            made.user = user
            keys = [user.id.description]
            let id = Binding.integer(user.id.rawValue)
            made.sessions = try sessions(MadeStatements.sessionsOfUser, id)
            made.grants = try connection.all(MadeStatements.grantsOfUser, [id]) { row in
                Made.Grant(
                    backend: row.text(0), created: Date(milliseconds: row.integer(1)),
                    expires: Date(milliseconds: row.integer(2)))
            }
            made.links = try connection.all(MadeStatements.linksOfUser, [id]) {
                Made.Link(issuer: $0.text(0), subject: $0.text(1))
            }
            made.ownedRoles = try roles(
                .having(.user(.id(user.id))), .owner, .direct, limit: DirectoryLimits.maximumPageSize, after: nil)
        }
        guard !keys.isEmpty else {
            throw DirectoryError(
                .notFound, "There is no user \(EntityName.shown(maker)), and nothing that one of that name made.",
                advice: "Give a deleted user's identifier, which the change feed tells.")
        }
        let (backends, tokens) = try (self.backends(), self.tokens())
        // What a backend or a token of theirs made is theirs: the list of makers grows while it is gone through.
        var index = 0
        while index < keys.count {
            let key = keys[index]
            for backend in backends where backend.maker == key && !keys.contains(backend.id.description) {
                made.backends.append(backend)
                keys.append(backend.id.description)
            }
            for token in tokens where token.maker == key && !keys.contains(token.key) {
                made.tokens.append(token)
                keys.append(token.key)
            }
            made.sessions += try sessions(MadeStatements.sessionsByMaker, .text(key))
            index += 1
        }
        return (made, keys)
    }

    private func foundUser(_ name: String) throws -> User? {
        do {
            return try user(.either(name))
        } catch let error as DirectoryError where error.code == .notFound {
            return nil
        }
    }

    /// The keys of a maker who is no user any more, or never was one.
    private func keys(ofMaker maker: String) throws -> [String] {
        try connection.all(MadeStatements.keysOfMaker, [.text(maker)]) { $0.text(0) }
    }

    private func sessions(_ statement: SQL, _ binding: Binding) throws -> [Made.Session] {
        try connection.all(statement, [binding]) { row in
            Made.Session(
                name: row.text(1), used: Date(milliseconds: row.integer(2)),
                expires: Date(milliseconds: row.integer(3)), digest: row.text(0))
        }
    }
}
