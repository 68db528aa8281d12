public import Roster
import RosterClient

extension SecurityService {
    /// The directory of the server, with the rights of the user who is signed in. Mirrors `userRoleProfileService`: `users`
    /// and `roles` are its managers.
    ///
    /// The user's token needs the scope `directory`, which is among the default ``SecurityProperties/scopes``. The idle timer begins anew.
    ///
    /// - Throws: `ClientError` `notSignedIn`; `scopeNotGranted` if the app did not ask for the scope, or the app's backend may not have
    ///   it; the errors of the store, and of the view's initializer.
    public func directory() async throws -> DirectoryView {
        let account = try accountInUse()
        guard account.scopes.contains("directory") else {
            throw ClientError(
                .scopeNotGranted, "The user's token does not have the scope 'directory'.",
                advice:
                    "Add the scope to the 'scope' of the app's backend at the server, and to 'SecurityProperties.scopes'. "
                    + "Then sign in again.")
        }
        return try await DirectoryView(server: properties.server, credentials: .account(account), transport: transport)
    }
}
