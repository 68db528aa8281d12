/// The change feed in a transaction.
package struct TransactionFeed {
    package let transaction: Transaction
}
