public import Foundation
import RosterText

extension Administration {
    /// The password of a user for one program, without its text.
    public struct AppPassword: Sendable, Hashable {
        /// The interface that accepts an app password.
        public enum Use: String, Sendable, CaseIterable {
            /// Binding to the LDAP server.
            case ldap
            /// HTTP Basic for reading by SCIM.
            case scim
        }

        /// The identifier, with which nobody can sign in.
        public let id: String
        /// The name, which the user has given to no other app password.
        public let name: String
        /// The interface that accepts the app password.
        public let use: Use
        /// The addresses and networks from which the server accepts the app password; empty for all.
        public let networks: [String]
        /// The time when the app password was made.
        public let created: Date
        /// The end; nil for no end.
        public let expires: Date?
        /// The last use, exact to an hour; nil if there was none.
        public let lastUse: Date?

        init(_ json: AnswerObject) throws {
            (id, name, use) = (try json.string("id"), try json.string("name"), try json.choice("for"))
            networks = json["networks"]?.texts ?? []
            (created, expires) = (try json.date("created"), try json.optionalDate("expires"))
            lastUse = try json.optionalDate("used")
        }
    }
}

extension Administration.UserAccess {
    /// Lists the app passwords of a user that have not ended, the oldest one first.
    public func appPasswords() async throws -> [Administration.AppPassword] {
        try await administration.ask(ListAppPasswords(of: user)).list("app_passwords") {
            try Administration.AppPassword($0)
        }
    }

    /// Makes an app password for a user.
    ///
    /// - Parameters:
    ///   - name: The name of the program, which no other app password of the user may have.
    ///   - use: The interface that accepts the app password.
    ///   - networks: The addresses and networks from which the server accepts the app password, 20 at most; none for all.
    ///   - expires: The end, at most 36,500 days from now; nil for no end.
    /// - Returns: The app password, 25 characters that are not stored, and the app password as it is listed.
    /// - Throws: `alreadyExists`, `invalidName`, `invalidInput`, `limitExceeded`, and the errors of ``Administration``.
    public func makeAppPassword(
        named name: String, for use: Administration.AppPassword.Use, networks: [String] = [], expires: Date? = nil
    ) async throws -> (text: String, appPassword: Administration.AppPassword) {
        let new = MakeAppPassword(
            of: user, program: name, use: use.rawValue, networks: networks, expires: expires)
        let made = try await administration.ask(new)
        return (try made.string("password"), try Administration.AppPassword(made))
    }

    /// Ends an app password at once.
    ///
    /// - Parameter name: The name or the identifier.
    public func endAppPassword(_ name: String) async throws {
        _ = try await administration.run(EndAppPassword(name, of: user))
    }
}
