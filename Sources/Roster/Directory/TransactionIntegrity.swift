/// Checks in a transaction whether the tables of the directory agree with each other.
package struct TransactionIntegrity {
    package let transaction: Transaction
}
