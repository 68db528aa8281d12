/// Declares attributes in a transaction, and changes them, their rules and their rights.
package struct AdministratorAttributes {
    let administrator: Administrator
    var transaction: Transaction { administrator.transaction }
}
