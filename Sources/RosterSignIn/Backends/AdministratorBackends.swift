import Roster

/// Makes, changes and deletes the backends of a transaction.
package struct AdministratorBackends {
    let administrator: PresentAdministrator
    var transaction: Transaction { administrator.transaction }
}
