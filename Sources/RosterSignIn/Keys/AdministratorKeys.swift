import Roster

/// Makes and removes the signing keys of a transaction.
package struct AdministratorKeys {
    let administrator: PresentAdministrator
    var transaction: Transaction { administrator.transaction }
}
