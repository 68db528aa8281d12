import Roster

/// Makes, changes and ends the API tokens of a transaction.
package struct AdministratorAPITokens {
    let administrator: PresentAdministrator
    var transaction: Transaction { administrator.transaction }
}
