/// The right to create and delete users in one transaction: of administrators, provisioning clients and people editors.
///
/// Only ``Transaction/asEditor(to:)`` makes this value, as ``Administrator`` is made. Changing a user needs rights on single attributes, so that
/// the users themselves check those.
package struct Editor {
    package let transaction: Transaction

    fileprivate init(_ transaction: Transaction) { self.transaction = transaction }

    /// Creates and deletes users.
    package var users: EditorUsers { EditorUsers(editor: self) }
}

extension Transaction {
    /// The right to create and delete users.
    ///
    /// - Parameter action: The intended action, for the message.
    /// - Throws: `notPermitted` for all but administrators, provisioning clients and people editors.
    package func asEditor(to action: String) throws -> Editor {
        try rights.checkEditingPeople(to: action)
        return Editor(self)
    }
}
