import Foundation
import Roster
import RosterCrypto
import RosterStore
import RosterText

/// The links by which people set their passwords, and the mails about addresses.
package struct PasswordLinks: Sendable {
    let directory: Directory
    let issuer: String
    /// Remembers for half an hour to which networks and users a password link was sent, so that nobody gets many links.
    let sentLinks: PendingCodes<Bool>
    let passwords: PasswordKeeper

    /// A view with the rights of an administrator. A link sets a password with these rights, because the rights of its maker were checked
    /// when the link was made.
    private var linkView: DirectoryView { directory.acting(as: .administrator("password link")) }

    /// The name of the user whose password a link sets.
    ///
    /// - Throws: `notFound` for a link that has ended.
    package func userName(ofLink digest: String) async throws -> String {
        try await linkView.awaitRead(isBrief: true) { try $0.links.user(ofLink: digest).uid }
    }

    /// Sets the password of the user whom a link is for. The change ends the link and the user's sign-ins, and keeps the user's second
    /// factor.
    ///
    /// - Throws: `notFound` for a link that has ended; `invalidAttribute` for a password that the policy refuses, which leaves the
    ///   link as it is; `overloaded`.
    package func setPassword(_ password: String, byLink digest: String) async throws {
        let view = linkView
        let hash = try await passwords.hash(password, in: view) {
            try $0.users.namesToSetPassword(of: .id($0.links.user(ofLink: digest).id))
        }
        try await view.awaitWrite { transaction in
            let user = try transaction.links.user(ofLink: digest)
            _ = try transaction.users.modify(.id(user.id), [.set("password", .string(hash))], ifVersion: nil)
            // A link ends with a change of the address, so this is the address that the link was sent to.
            if let mail = user.mail, try transaction.links.isMailed(link: digest) {
                try transaction.addresses.noteVerified(mail, of: user.id)
            }
            try transaction.links.useUp(link: digest)
        }
    }
}
