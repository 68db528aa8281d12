package import Roster

extension [AttributeChange] {
    /// Refuses different values for one attribute that a body gives under several names.
    ///
    /// - Returns: The changes, each attribute once.
    /// - Throws: `DirectoryError` `invalidAttribute`.
    package func onceForEach() throws -> [AttributeChange] {
        var changes: [AttributeName: AttributeChange] = [:]
        return try filter { change in
            guard let earlier = changes.updateValue(change, forKey: change.name) else { return true }
            guard earlier == change else {
                throw DirectoryError(
                    .invalidAttribute, "'\(change.name)' was given two values, under different names.",
                    attribute: change.name)
            }
            return false
        }
    }
}
