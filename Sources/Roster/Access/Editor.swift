/// The right to create and delete users in one transaction: of administrators, provisioning clients and people editors.
///
/// Making the value is the check, as of ``Administrator``. Changing a user needs rights on single attributes, so that the users themselves
/// check those.
package struct Editor {
    package let transaction: Transaction

    /// - Parameter action: The intended action, for the message.
    /// - Throws: `notPermitted` for all but administrators, provisioning clients and people editors.
    init(_ transaction: Transaction, to action: String) throws {
        try transaction.rights.checkEditingPeople(to: action)
        self.transaction = transaction
    }

    /// Creates and deletes users.
    package var users: EditorUsers { EditorUsers(editor: self) }
}
