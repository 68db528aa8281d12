package import Roster

/// The proof that users have their mail addresses, in a transaction.
package struct TransactionAddresses {
    package let transaction: Transaction
}
