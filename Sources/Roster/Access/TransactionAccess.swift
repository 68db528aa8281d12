/// What the caller of a transaction may do, and with which proof of being present.
package struct TransactionAccess {
    package let transaction: Transaction
}
