import Foundation
package import Roster
import RosterStore
import RosterText

/// The permanent identifier of a virtual user.
package typealias VirtualUserID = Identifier<VirtualUser>

/// A person for whom another issuer vouches, known by issuer and subject. A virtual user is never a user of the directory.
package struct VirtualUser: Sendable, Hashable {
    /// Its permanent identifier, which no user has.
    package let id: VirtualUserID
    package let issuer: String
    package let subject: String
    package let name: String
    /// The roles that the issuer's last token gave.
    package let roles: [String]

    /// How the log, introspection, sessions and the change feed show the virtual user.
    package var shownName: String { Caller.shownName(issuer: issuer, subject: subject) }

    init(_ row: borrowing Row) {
        id = VirtualUserID(rawValue: row.integer(0))
        issuer = row.text(1)
        subject = row.text(2)
        name = row.text(3)
        roles = (try? JSONValue(text: row.text(4)))?.texts ?? []
    }
}

/// The person of a grant or a session.
package enum Holder: Sendable, Hashable, Codable {
    case user(UserID)
    case virtualUser(VirtualUserID)

    /// Reads the two columns, of which one is not null.
    init?(_ row: borrowing Row, _ user: Int32, _ virtualUser: Int32) {
        if let number = row.optionalInteger(user) {
            self = .user(UserID(rawValue: number))
        } else if let number = row.optionalInteger(virtualUser) {
            self = .virtualUser(VirtualUserID(rawValue: number))
        } else {
            return nil
        }
    }

    var user: UserID? { if case .user(let id) = self { id } else { nil } }

    var columns: [Binding] {
        switch self {
        case .user(let id): [.integer(id.rawValue), .null]
        case .virtualUser(let id): [.null, .integer(id.rawValue)]
        }
    }

    package var description: String {
        switch self {
        case .user(let id): id.description
        case .virtualUser(let id): id.description
        }
    }
}

extension DirectoryHolders {
    /// Counts a sign-in against the rate of the account.
    ///
    /// - Throws: ``AuthenticationFailure`` `tooManyAttempts` if the account has signed in too often. Nothing was written.
    func countSignIn(_ way: Directory.RatedSignIn, of holder: Holder) throws {
        guard let seconds = try directory.accounts.secondsUntilSignIn(way, of: holder.description, user: holder.user)
        else {
            return
        }
        throw AuthenticationFailure.tooManyAttempts(seconds: seconds)
    }

    package func virtualUser(_ id: VirtualUserID) throws -> VirtualUser? {
        try directory.store.read { try Self.virtualUser([.null, .null, .integer(id.rawValue)], on: $0) }
    }

    package func virtualUser(issuer: String, subject: String) throws -> VirtualUser? {
        try directory.store.read { try Self.virtualUser([.text(issuer), .text(subject), .null], on: $0) }
    }

    private static func virtualUser(_ key: [Binding], on connection: Connection) throws -> VirtualUser? {
        try connection.first(GrantStatements.virtualUser, key) { VirtualUser($0) }
    }

    /// Stores the claims of an issuer's token about a virtual user, in place of the claims of an earlier token.
    ///
    /// - Parameter roles: All roles that the virtual user has from now on.
    package func remember(
        issuer: String, subject: String, name: String, roles: [String]
    ) async throws -> VirtualUser {
        let text = JSONValue.texts(roles).written
        return try await directory.acting(as: .administrator("sign-in")).awaitWrite { transaction in
            let connection = transaction.connection
            let key: [Binding] = [.text(issuer), .text(subject)]
            let time = transaction.now()
            let old = try Self.virtualUser(key + [.null], on: connection)
            if let old {
                if old.name != name || old.roles != roles {
                    try connection.run(
                        GrantStatements.updateVirtualUser,
                        [.integer(old.id.rawValue), .text(name), .text(text), .integer(time.milliseconds)])
                }
            } else {
                let number = try transaction.nextID()
                try connection.run(
                    GrantStatements.insertVirtualUser,
                    [.integer(number)] + key + [.text(name), .text(text), .integer(time.milliseconds)])
                try transaction.feed.record(
                    .created, .virtualUser, id: number,
                    name: Caller.shownName(issuer: issuer, subject: subject), before: nil,
                    after: ["issuer": .string(issuer), "subject": .string(subject)], at: time)
            }
            guard let user = try Self.virtualUser(key + [.null], on: connection) else {
                throw DirectoryError(.damaged, "A virtual user is not there.", advice: "Check the file.")
            }
            return user
        }
    }

    /// The roles that tokens gave to a user at their last sign-in with each issuer.
    package func tokenRoles(of user: UserID) throws -> [String] {
        try directory.store.read { connection in
            try connection.all(GrantStatements.tokenRoles, [.integer(user.rawValue)]) { $0.text(0) }
        }
    }

    /// Takes back the roles that tokens of all other issuers gave, because those are not trusted any more.
    package func keepTokenRoles(ofIssuers issuers: [String]) async throws {
        let text = JSONValue.texts(issuers).written
        try await directory.store.awaitWrite { try $0.run(GrantStatements.keepTokenRoles, [.text(text)]) }
    }

    /// Replaces the roles that an issuer's token gives to a user. Roles that were given in the directory stay.
    package func setTokenRoles(_ roles: [String], of user: UserID, from issuer: String) async throws {
        try await directory.store.awaitWrite { connection in
            try connection.run(GrantStatements.clearTokenRoles, [.integer(user.rawValue), .text(issuer)])
            for role in roles {
                try connection.run(
                    GrantStatements.addTokenRole, [.integer(user.rawValue), .text(issuer), .text(role)])
            }
        }
    }
}
