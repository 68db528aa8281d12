package import Roster

/// The access in a transaction that would stay to somebody who got in.
package struct TransactionRemainingAccess {
    package let transaction: Transaction
}
