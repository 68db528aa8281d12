package import Foundation
package import Roster
import RosterStore
import RosterText

/// Everything through which a user could still get in after the account was taken away: backends, tokens,
/// sessions, app passwords and links.
///
/// Backends and tokens can make others, which count as well. The key of a maker is the identifier of a user or a backend, or
/// ``APIToken/key``.
package struct RemainingAccess: Sendable {
    /// A session: the maker's own, or one that the maker began for somebody else.
    package struct Session: Sendable {
        package let name: String
        /// The time of the last use that was stored.
        package let used: Date
        /// The time when it ends unless it is used.
        package let expires: Date
        let digest: String
    }

    package struct Grant: Sendable {
        package let backend: String
        package let created: Date
        package let expires: Date
    }

    package struct Link: Sendable {
        package let issuer: String
        package let subject: String
    }

    package fileprivate(set) var user: User?
    /// The backends that the user made, and the backends that the user's backends and tokens made.
    package fileprivate(set) var backends: [Backend] = []
    /// The programs' tokens that the user made, and the tokens that the user's backends and tokens made.
    package fileprivate(set) var tokens: [APIToken] = []
    /// The user's own sessions, and those that the user began for others.
    package fileprivate(set) var sessions: [Session] = []
    package fileprivate(set) var grants: [Grant] = []
    package fileprivate(set) var appPasswords: [AppPassword] = []
    package fileprivate(set) var links: [Link] = []
    package fileprivate(set) var ownedRoles: [Role] = []
}

extension TransactionRemainingAccess {
    /// Lists what a user or a program made, holds and owns.
    ///
    /// - Parameter maker: A user's name or identifier. The name of a deleted user or of a program is found only while something
    ///   exists that they made.
    /// - Throws: `notFound`, `notPermitted` for all but administrators.
    package func access(of maker: String) throws -> RemainingAccess {
        try transaction.checkAdministrator(to: "list what others made")
        return try find(of: maker).access
    }

    func find(of maker: String) throws -> (access: RemainingAccess, keys: [String]) {
        var access = RemainingAccess()
        // Also the keys of a maker who is not a user any more, or never was one.
        var keys = try transaction.connection.all(RemainingAccessStatements.keysOfMaker, [.text(maker)]) { $0.text(0) }
        if let user = try foundUser(maker) {
            access.user = user
            keys = [user.id.description]
            let id = Binding.integer(user.id.rawValue)
            access.sessions = try sessions([id, .null])
            access.grants = try transaction.connection.all(RemainingAccessStatements.grantsOfUser, [id]) { row in
                RemainingAccess.Grant(
                    backend: row.text(0), created: Date(milliseconds: row.integer(1)),
                    expires: Date(milliseconds: row.integer(2)))
            }
            access.appPasswords = try transaction.appPasswords.all(of: .id(user.id))
            access.links = try transaction.connection.all(RemainingAccessStatements.linksOfUser, [id]) {
                RemainingAccess.Link(issuer: $0.text(0), subject: $0.text(1))
            }
            access.ownedRoles = try transaction.roles.roles(
                .having(.user(.id(user.id))), .owner, .direct, limit: DirectoryLimits.maximumPageSize, after: nil)
        }
        guard !keys.isEmpty else {
            throw DirectoryError(
                .notFound, "There is no user \(EntityName.shown(maker)), and nothing that one of that name made.",
                advice: "Give a deleted user's identifier, which the change feed tells.")
        }
        let (backends, tokens) = try (transaction.backends.all(), transaction.apiTokens.all())
        // The maker's backends and tokens are makers as well, so the list of makers grows during the loop.
        var index = 0
        while index < keys.count {
            let key = keys[index]
            for backend in backends where backend.maker == key && !keys.contains(backend.id.description) {
                access.backends.append(backend)
                keys.append(backend.id.description)
            }
            for token in tokens where token.maker == key && !keys.contains(token.key) {
                access.tokens.append(token)
                keys.append(token.key)
            }
            access.sessions += try sessions([.null, .text(key)])
            index += 1
        }
        return (access, keys)
    }

    private func foundUser(_ name: String) throws -> User? {
        do {
            return try transaction.users.user(.either(name))
        } catch let error as DirectoryError where error.code == .notFound {
            return nil
        }
    }

    func sessions(_ bindings: [Binding]) throws -> [RemainingAccess.Session] {
        try transaction.connection.all(RemainingAccessStatements.sessions, bindings) { row in
            RemainingAccess.Session(
                name: row.text(1), used: Date(milliseconds: row.integer(2)),
                expires: Date(milliseconds: row.integer(3)), digest: row.text(0))
        }
    }
}
