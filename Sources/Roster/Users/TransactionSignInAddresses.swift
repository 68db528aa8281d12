import Foundation
import RosterStore
import RosterText

/// The mail addresses of users in a transaction, as ways of signing in and of setting a forgotten password.
struct TransactionSignInAddresses {
    let transaction: Transaction

    /// Refuses a name with which another user signs in: the only user with that mail address. A name wins over an address, so that the
    /// new user would take this way of signing in.
    func checkIsNobodys(_ name: EntityName, of id: UserID) throws {
        guard name.key.utf8.contains(UInt8(ascii: "@")) else { return }
        let holders = try transaction.connection.all(AccessStatements.holdersOfAddress, [.text(name.key)]) {
            $0.integer(0)
        }
        guard holders.count == 1, holders[0] != id.rawValue else { return }
        throw DirectoryError(
            .alreadyExists,
            "\(EntityName.shown(name.text)) is the mail address with which another user signs in, so it cannot be a name.",
            advice: "Choose another name, or remove the address from that user first.", attribute: "uid")
    }

    /// Notes that a user who was just created has an address that gets no password links for a day, if the caller may not set the user's
    /// password.
    func noteFirst(of user: UserID, _ keys: UserKeys, at time: Date) throws {
        guard !transaction.rights.setsPasswordsAndAddresses, keys.values.contains(where: { $0.attribute == "emails" })
        else { return }
        try transaction.connection.run(
            AccessStatements.holdAddress, [.integer(user.rawValue), .integer(time.milliseconds)], changing: .none)
    }

    /// Notes that a user who was just stored has another mail address: the former address is told, and the new one gets no password links
    /// for a day if the caller may not set the user's password.
    func note(of user: UserID, from former: AttributeSet, to new: AttributeSet, at time: Date) throws {
        let (before, after) = (former["mail"]?.text, new["mail"]?.text)
        guard before.map({ TextKey.of($0) }) != after.map({ TextKey.of($0) }) else { return }
        let (id, time) = (Binding.integer(user.rawValue), Binding.integer(time.milliseconds))
        if let before {
            try transaction.connection.run(
                AccessStatements.noteFormerAddress, [id, .text(before), time], changing: .none)
        }
        try transaction.connection.run(AccessStatements.endPasswordLink, [id], changing: .none)
        if transaction.rights.setsPasswordsAndAddresses {
            try transaction.connection.run(AccessStatements.releaseAddress, [id], changing: .none)
        } else if after != nil {
            try transaction.connection.run(AccessStatements.holdAddress, [id, time], changing: .none)
        }
    }
}
