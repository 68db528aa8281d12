import Foundation
package import Roster
import RosterStore
import RosterText

/// The permanent identifier of a virtual user.
package typealias VirtualUserID = Identifier<VirtualUser>

/// Somebody who is known under issuer and subject by that issuer's word only: never one of the directory's users.
package struct VirtualUser: Sendable, Hashable {
    /// Its permanent identifier, which no user has.
    package let id: VirtualUserID
    /// Who vouches for them.
    package let issuer: String
    /// How the issuer knows them.
    package let subject: String
    /// What they are called.
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

/// Whom a grant or a session is for.
package enum Holder: Sendable, Hashable {
    case user(UserID)
    case virtualUser(VirtualUserID)

    /// The one of two columns that is not null.
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

    /// The identifier as text.
    package var description: String {
        switch self {
        case .user(let id): id.description
        case .virtualUser(let id): id.description
        }
    }
}

extension Directory {
    /// A virtual user; nil where there is none of that number.
    package func virtualUser(_ id: VirtualUserID) throws -> VirtualUser? {
        try store.read { connection in
            try connection.first(GrantStatements.virtualUserByNumber, [.integer(id.rawValue)]) { VirtualUser($0) }
        }
    }

    /// A virtual user by what they are known under; nil where there is none.
    package func virtualUser(issuer: String, subject: String) throws -> VirtualUser? {
        try store.read { connection in
            try connection.first(GrantStatements.virtualUser, [.text(issuer), .text(subject)]) { VirtualUser($0) }
        }
    }

    /// Keeps what an issuer's token said of somebody, in place of what an earlier one said.
    ///
    /// - Parameter roles: The roles that they have by this token, and no others.
    package func remember(
        issuer: String, subject: String, name: String, roles: [String]
    ) async throws -> VirtualUser {
        let text = JSONValue.texts(roles).written
        return try await acting(as: .administrator("sign-in")).awaitWrite { transaction in
            let connection = transaction.connection
            let key: [Binding] = [.text(issuer), .text(subject)]
            let time = transaction.now()
            let old = try connection.first(GrantStatements.virtualUser, key) { VirtualUser($0) }
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
                try transaction.record(
                    .created, .virtualUser, id: number,
                    name: Caller.shownName(issuer: issuer, subject: subject), before: nil,
                    after: ["issuer": .string(issuer), "subject": .string(subject)], at: time)
            }
            guard let user = try connection.first(GrantStatements.virtualUser, key, { VirtualUser($0) }) else {
                throw DirectoryError(.damaged, "A virtual user is not there.", advice: "Check the file.")
            }
            return user
        }
    }

    /// The roles that tokens gave to a user at their last sign-in with each issuer.
    package func tokenRoles(of user: UserID) throws -> [String] {
        try store.read { connection in
            try connection.all(GrantStatements.tokenRoles, [.integer(user.rawValue)]) { $0.text(0) }
        }
    }

    /// Takes back the roles that tokens of other issuers than these gave: whoever is not trusted any more gives none.
    package func keepTokenRoles(ofIssuers issuers: [String]) async throws {
        let text = JSONValue.texts(issuers).written
        try await store.awaitWrite { try $0.run(GrantStatements.keepTokenRoles, [.text(text)]) }
    }

    /// Replaces the roles that an issuer's token gives to a user. Those that were given here stay what they are.
    package func setTokenRoles(_ roles: [String], of user: UserID, from issuer: String) async throws {
        try await store.awaitWrite { connection in
            try connection.run(GrantStatements.clearTokenRoles, [.integer(user.rawValue), .text(issuer)])
            for role in roles {
                try connection.run(
                    GrantStatements.addTokenRole, [.integer(user.rawValue), .text(issuer), .text(role)])
            }
        }
    }
}
