package import Roster

/// Everything by which somebody can sign in to a directory.
package struct SignIn: Sendable {
    /// Hashes and verifies passwords.
    package let passwords: PasswordKeeper
    /// In the order in which they are asked.
    package let authenticators: [any Authenticator]

    /// Cost: one password's hash.
    package init(_ directory: Directory, parameters: PasswordParameters = .standard) throws {
        passwords = try PasswordKeeper(directory, parameters: parameters)
        authenticators = [PasswordAuthenticator(keeper: passwords), TokenAuthenticator(directory: directory)]
    }
}
