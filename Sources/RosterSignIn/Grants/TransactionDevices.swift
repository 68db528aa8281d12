package import Roster

/// The devices of users in a transaction.
package struct TransactionDevices {
    package let transaction: Transaction
}
