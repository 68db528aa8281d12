package import Roster

/// The stored settings of a transaction.
package struct TransactionSettings {
    package let transaction: Transaction
}
