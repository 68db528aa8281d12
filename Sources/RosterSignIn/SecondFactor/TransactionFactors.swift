package import Roster

/// The second factors of users in a transaction.
package struct TransactionFactors {
    package let transaction: Transaction
}
