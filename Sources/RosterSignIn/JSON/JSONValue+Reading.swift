import Roster
import RosterText

extension JSONValue {
    /// Reads a document that must be sound.
    ///
    /// - Throws: `DirectoryError` `invalidInput`.
    init(text: String) throws { try self.init(strictly: Array(text.utf8)) }
}
