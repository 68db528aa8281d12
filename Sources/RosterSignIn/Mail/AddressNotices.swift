import Foundation
package import Roster
import RosterStore
import RosterText

/// Tells users at their former mail address that they have another one, whoever changed the address and in whatever way: the change
/// stores a notice in its own transaction, and a server that sends mails takes the notices.
extension PasswordLinks {
    /// The most notices that are read at once.
    private static let page: Int64 = 50

    /// Sends the notices that wait. Of several servers, one sends a notice.
    ///
    /// - Throws: `overloaded` if too many mails wait; the notices that are left are sent by a later call.
    package func sendAddressNotices(by mailer: Mailer) async throws {
        // The name is read before a transaction writes.
        let (view, issuer, organization) = (directory.unrestricted, issuer, mailer.organization)
        let waiting = try await view.awaitRead(isBrief: true, once: true) { transaction in
            try transaction.connection.all(AddressStatements.notices, [.integer(Self.page)]) {
                (user: UserID(rawValue: $0.integer(0)), address: $0.text(1), time: Date(milliseconds: $0.integer(2)))
            }
        }
        for notice in waiting {
            try await view.awaitWrite { transaction in
                try transaction.connection.run(
                    AddressStatements.deleteNotice, [.integer(notice.user.rawValue), .text(notice.address)])
                guard transaction.connection.engine.changedRows > 0 else { return }
                let user = try transaction.users.user(.id(notice.user))
                try mailer.tell(
                    user, at: notice.address, ofChangeAt: notice.time, issuer: issuer, organization: organization)
            }
        }
    }
}

extension TransactionAddresses {
    /// The time for which an address gets no password links after somebody gave it who may not set the user's password: a day.
    fileprivate static let hold: TimeInterval = 86_400

    /// Whether a user's mail address gets no password links yet. The first address of a new user without a password does: nobody's
    /// account could be taken over.
    package func isAddressHeld(of user: UserID) throws -> Bool {
        let since = transaction.now().addingTimeInterval(-Self.hold)
        return try transaction.connection.first(
            AddressStatements.isHeld, [.integer(user.rawValue), .integer(since.milliseconds)]
        ) { _ in true } == true
    }

    /// Refuses to mail a password link to an address that gets none yet.
    package func checkMailingLink(to reference: UserReference) throws {
        guard try isAddressHeld(of: transaction.users.id(of: reference)) else { return }
        throw DirectoryError(
            .notPermitted,
            "The user's mail address was given less than a day ago by somebody who may not set the user's password.",
            advice: "Hand the link over yourself, or wait a day.", attribute: "mail")
    }
}
