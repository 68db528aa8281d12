package import Roster

/// The app passwords of users in a transaction.
package struct TransactionAppPasswords {
    package let transaction: Transaction
}
