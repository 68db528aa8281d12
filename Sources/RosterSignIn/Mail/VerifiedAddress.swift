import Roster
import RosterStore
import RosterText

/// The mail addresses that are known to be their users' own, because the user used a link that was mailed there, or because an
/// identity provider vouches for the address.
extension SignInRecords {
    /// Whether an address is the confirmed one of a user.
    func isVerified(_ address: String, of user: UserID) throws -> Bool {
        let key = TextKey.of(address)
        return try directory.store.read { connection in
            try connection.first(AddressStatements.verified, [.integer(user.rawValue)]) { $0.text(0) }
        } == key
    }

    /// Notes that an identity provider vouches for the address of a user.
    func noteVerified(_ address: String, of user: UserID) async throws {
        guard try !isVerified(address, of: user) else { return }
        try await directory.acting(as: .administrator("sign-in")).awaitWrite {
            try $0.addresses.noteVerified(address, of: user)
        }
    }
}

extension TransactionAddresses {
    /// Notes that an address is a user's own.
    func noteVerified(_ address: String, of user: UserID) throws {
        try transaction.connection.run(
            AddressStatements.setVerified,
            [.integer(user.rawValue), .text(TextKey.of(address)), .integer(transaction.now().milliseconds)])
    }
}
