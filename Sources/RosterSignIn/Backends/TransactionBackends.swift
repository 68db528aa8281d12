package import Roster

/// The backends of a transaction.
package struct TransactionBackends {
    package let transaction: Transaction
}
