package import Roster

/// The sessions of users in a transaction.
package struct TransactionSessions {
    package let transaction: Transaction
}
