/// The passwords and external identifiers in a transaction, which are kept outside the records of users and roles.
package struct TransactionAccounts {
    package let transaction: Transaction
}
