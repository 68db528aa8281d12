import Roster

/// Stores and deletes the settings of a transaction.
package struct AdministratorSettings {
    let administrator: PresentAdministrator
    var transaction: Transaction { administrator.transaction }
}
