package import Roster

/// The password links of a transaction.
package struct TransactionLinks {
    package let transaction: Transaction
}
