/// The definitions of attributes in a transaction.
package struct TransactionAttributes {
    package let transaction: Transaction
}
