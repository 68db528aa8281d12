public import Foundation
public import Roster

/// App passwords: passwords for one program each.
extension SignIn {
    /// Makes an app password, with which a program reads what a user may read.
    ///
    /// - Parameters:
    ///   - name: The name, by which the user recognizes the app password. No other app password of the user may have it.
    ///   - use: The interface that accepts the app password.
    ///   - networks: The addresses and networks from which the server accepts the app password, such as `192.0.2.0/24`, 20 at most;
    ///     none for all.
    ///   - expires: The end, at most 36,500 days from now; nil for no end.
    ///   - user: The user.
    ///   - view: The view of the user, or of an administrator.
    /// - Returns: The app password, 25 characters that are not stored, and its record.
    /// - Throws: `DirectoryError` `alreadyExists`, `invalidName`, `invalidInput`, `notFound`, `notPermitted`, `recentSignInRequired`;
    ///   `limitExceeded` for a user who has 100 app passwords.
    public func makeAppPassword(
        named name: String, for use: AppPassword.Use, networks: [String] = [], expires: Date? = nil,
        of user: some UserReferenceConvertible, in view: DirectoryView
    ) async throws -> (text: String, record: AppPassword) {
        let given = try AppPassword.Given(name, for: use, networks: networks, expires: expires)
        return try await AppPassword.make(given, for: user.userReference, keys: oauth.keys, in: view)
    }

    /// The app passwords of a user that have not ended, the oldest one first.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - view: The view of the user, of an administrator, or of the help desk.
    /// - Throws: `DirectoryError` `notFound`, `notPermitted`.
    public func appPasswords(
        of user: some UserReferenceConvertible, in view: DirectoryView
    ) async throws -> [AppPassword] {
        let user = user.userReference
        return try await view.awaitRead { try $0.appPasswords.all(of: user) }
    }

    /// Ends an app password at once, also for clients that are bound with it.
    ///
    /// - Parameters:
    ///   - name: The name or the identifier of the app password.
    ///   - user: The user.
    ///   - view: The view of the user, of an administrator, or of the help desk.
    /// - Throws: `DirectoryError` `notFound`, `notPermitted`, `recentSignInRequired`.
    public func endAppPassword(
        _ name: String, of user: some UserReferenceConvertible, in view: DirectoryView
    ) async throws {
        let user = user.userReference
        try await view.awaitWrite { try $0.asSelfOrHelper(of: user).endAppPassword(name) }
    }
}
