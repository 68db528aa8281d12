package import Roster

/// The API tokens of a transaction.
package struct TransactionAPITokens {
    package let transaction: Transaction
}
