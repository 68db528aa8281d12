package import Foundation
package import Roster
import RosterCrypto
import RosterStore
import RosterText

/// A link with which a user sets a password once.
///
/// A user has one link at most. It ends when it is used, when a newer one is made, when it expires, with a change of the user's name, mail
/// address or dates, and with everything that ends the user's sign-ins: a changed password, a disabled account, signing out everywhere.
package struct PasswordLink: Sendable {
    /// The reason for a link, which decides how long the link is good.
    package enum Kind: String, Sendable, CaseIterable {
        /// The user forgot the password: 30 minutes.
        case reset
        /// The user is new: 24 hours.
        case invitation

        package var lifetime: TimeInterval { self == .reset ? 1_800 : 86_400 }
    }

    /// 43 characters for 32 random bytes. Only the SHA-256 is stored.
    package let token: String
    package let expires: Date

    /// The address of the link.
    ///
    /// - Parameter issuer: The address at which users reach the service, without a slash at the end.
    package func url(at issuer: String) -> String { issuer + "/oauth2/password?token=" + token }

    /// The digest of a token, by which its link is found.
    package static func digest(of token: String) throws -> String { try SHA256.hex(token) }
}

extension TransactionLinks {
    /// Makes a link with which a user sets a password, and ends the user's older link.
    ///
    /// - Parameter isMailed: Whether the link is sent to the user's mail address, which is the user's own if the link is used.
    /// - Throws: `notFound`, `notPermitted`, `recentSignInRequired`, `appNotPermitted` for a caller who may not set the password;
    ///   `invalidAttribute` for users who would have to give their old password; `notPermitted` for a disabled account.
    package func makePasswordLink(
        for reference: UserReference, _ kind: PasswordLink.Kind, isMailed: Bool = false
    ) throws -> PasswordLink {
        guard try !transaction.access.checkChangingPassword(of: reference).needsOldPassword else {
            throw DirectoryError.oldPasswordMissing
        }
        let user = try transaction.users.user(reference)
        guard user.isActive, AccountDates(user.attributes).isBeforeEnd(transaction.now()) else {
            throw DirectoryError(
                .notPermitted,
                "The account of \(EntityName.shown(user.uid)) is disabled or has ended, so a password link would not work.",
                advice: "Enable the account first.")
        }
        let link = PasswordLink(
            token: try SecureRandom.token(), expires: transaction.now().addingTimeInterval(kind.lifetime))
        try transaction.connection.run(
            PasswordLinkStatements.store,
            [
                .integer(user.id.rawValue), .text(try PasswordLink.digest(of: link.token)),
                .integer(link.expires.milliseconds), .integer(transaction.powers.contains(.administrator) ? 1 : 0),
                .integer(isMailed ? 1 : 0),
            ])
        return link
    }

    /// The user of a link that is good now.
    ///
    /// - Throws: `notFound` for a link that has ended.
    func user(ofLink digest: String) throws -> User {
        let found = try transaction.connection.first(
            PasswordLinkStatements.user, [.text(digest), .integer(transaction.now().milliseconds)]
        ) {
            (user: UserID(rawValue: $0.integer(0)), isForPowers: $0.integer(1) != 0)
        }
        // A user can have got a power after the help desk made the link.
        guard let (id, isForPowers) = found, try isForPowers || !transaction.hasPower(id) else {
            throw DirectoryError(
                .notFound, "This link was used, is too old, or was replaced by a newer one.",
                advice: "Ask for a new link.")
        }
        return try transaction.users.user(.id(id))
    }
}

extension TransactionLinks {
    func isMailed(link digest: String) throws -> Bool {
        try transaction.connection.first(PasswordLinkStatements.isMailed, [.text(digest)]) { _ in true } == true
    }

    func useUp(link digest: String) throws {
        try transaction.connection.run(PasswordLinkStatements.delete, [.text(digest)])
    }
}
