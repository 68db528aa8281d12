package import Roster

/// The signing keys of a transaction.
package struct TransactionKeys {
    package let transaction: Transaction
}
