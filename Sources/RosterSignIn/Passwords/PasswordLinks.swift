import Foundation
import Roster
import RosterCrypto
import RosterStore
import RosterText

/// The links by which people set their passwords, and the mails about addresses.
package struct PasswordLinks: Sendable {
    let directory: Directory
    let issuer: String
    /// The password links that were sent within the last half hour, by network and by user.
    let sentLinks: PendingCodes<Bool>
    let passwords: PasswordKeeper

    /// The rights with which a link's user sets the password: those of whoever made the link, which were checked then.
    private var linkView: DirectoryView { directory.acting(as: .administrator("password link")) }

    /// The name of the user whose password a link sets.
    ///
    /// - Throws: `notFound` for a link that has ended.
    package func userName(ofLink digest: String) async throws -> String {
        try await linkView.awaitRead(isBrief: true) { try $0.links.user(ofLink: digest).uid }
    }

    /// Sets the password of a link's user, which ends the link and the user's sign-ins. A second factor stays.
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
