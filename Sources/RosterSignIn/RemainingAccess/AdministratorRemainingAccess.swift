import Roster

/// Ends the access that would stay to somebody who got in, in a transaction.
package struct AdministratorRemainingAccess {
    let administrator: PresentAdministrator
    var transaction: Transaction { administrator.transaction }
}
