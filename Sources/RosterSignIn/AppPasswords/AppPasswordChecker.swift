import Foundation
import Roster
import RosterStore
import RosterText

/// Finds out to whom an app password belongs.
package struct AppPasswordChecker: Sendable {
    let directory: Directory
    let keys: KeyRing
    let lastUses: LastUses

    /// The sign-in with an app password; nil unless the text is an app password of the user with the name, for this use and address.
    ///
    /// Attempts are not counted, because nobody guesses 125 random bits. Cost: some microseconds, whether the user exists or not.
    func authenticate(_ use: AppPassword.Use, _ login: Login, from origin: ClientOrigin) throws -> Authentication? {
        let name = EntityName.entered(login.name)
        guard AppPassword.hasForm(login.password), name.utf8.count <= 1_024,
            let found = try directory.signInRecords.appPassword(digest: keys.digest(ofAppPassword: login.password)),
            found.use == use, found.isAccepted(from: origin.address),
            let account = try directory.accounts.account(enteredAs: name), account.id == found.user, account.isActive
        else { return nil }
        var identity = Identity(.user(account.id), name: account.uid)
        identity.version = account.version
        identity.presence = .app
        identity.appPassword = ProvedAppPassword(name: found.name, digest: found.digest)
        lastUses.note(found)
        return .identified(identity)
    }
}

extension SignInRecords {
    /// The app password with a digest; nil for one that has ended, and while its user's account cannot be used. Cost: some microseconds.
    package func appPassword(digest: String) throws -> AppPassword? {
        let now = directory.now
        return try directory.store.read {
            try $0.first(AppPasswordStatements.good, [.text(digest), .integer(now.milliseconds)]) { AppPassword($0) }
        }
    }
}
