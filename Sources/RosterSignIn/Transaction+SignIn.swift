package import Roster

/// The nouns of sign-in.
extension Transaction {
    /// The API tokens of a transaction.
    package var apiTokens: TransactionAPITokens { TransactionAPITokens(transaction: self) }
    /// The app passwords of users in a transaction.
    package var appPasswords: TransactionAppPasswords { TransactionAppPasswords(transaction: self) }
    /// The backends of a transaction.
    package var backends: TransactionBackends { TransactionBackends(transaction: self) }
    /// The devices of users in a transaction.
    package var devices: TransactionDevices { TransactionDevices(transaction: self) }
    /// The signing keys of a transaction.
    package var keys: TransactionKeys { TransactionKeys(transaction: self) }
    /// The access in a transaction that would stay to somebody who got in.
    package var remainingAccess: TransactionRemainingAccess { TransactionRemainingAccess(transaction: self) }
    /// The proof that users have their mail addresses, in a transaction.
    package var addresses: TransactionAddresses { TransactionAddresses(transaction: self) }
    /// The password links of a transaction.
    package var links: TransactionLinks { TransactionLinks(transaction: self) }
    /// The sessions of users in a transaction.
    package var sessions: TransactionSessions { TransactionSessions(transaction: self) }
    /// The stored settings of a transaction.
    package var settings: TransactionSettings { TransactionSettings(transaction: self) }
}
