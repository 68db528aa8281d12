package import Roster
import RosterCrypto

package enum FirstStart {
    package struct Administrator: Sendable {
        package let name: String
        package let password: String
    }

    /// Makes an administrator if there is none.
    ///
    /// - Parameter password: The administrator's password; nil for a random one.
    /// - Returns: The new administrator; nil if somebody can administer the directory already.
    package static func administrator(of directory: Directory, password: String?) async throws -> Administrator? {
        if try directory.hasAdministrator() { return nil }
        let password = try password ?? SecureRandom.legible(groups: 4, of: 5)
        let view = directory.acting(as: .administrator("first start"))
        let hash = try await PasswordKeeper(directory).hash(password, in: view) { _ in ["admin"] }
        let name = try await view.awaitWrite { session in
            let role = try session.asPresentAdministrator(to: "appoint administrators").powers.administratorsRole()
            // A user who has the name already does not become an administrator by it.
            let name = ["admin", "administrator", "directory-administrator"].first { name in
                (try? session.users.id(of: .named(name))) == nil
            }
            guard let name else {
                throw DirectoryError(
                    .alreadyExists, "The names for the first administrator are all taken.",
                    advice: "Rename the user 'admin'.")
            }
            let user = try session.asEditor(to: "create users").users.create(
                NewUser(name, attributes: ["displayName": "Administrator", "password": .string(hash)]))
            try session.asRoleOwner(of: .id(role.id), changing: .member).add([.user(.id(user.id))])
            return name
        }
        return Administrator(name: name, password: password)
    }
}
