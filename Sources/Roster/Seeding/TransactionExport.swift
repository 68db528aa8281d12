/// The exports of a transaction.
package struct TransactionExport {
    package let transaction: Transaction
}
