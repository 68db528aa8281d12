import Roster

extension HTTPRequest {
    /// Checks the conditions that the client sets for a change.
    ///
    /// - Throws: 412.
    package func checkMatch(_ version: Int64) throws {
        if let field = headers["If-Match"], !EntityTag.list(field, names: version) {
            throw RequestError(
                .preconditionFailed, "Somebody changed it since: it has version \(version). Read it again.")
        }
        if let field = headers["If-None-Match"], method != "GET", method != "HEAD",
            EntityTag.list(field, names: version)
        {
            throw RequestError(.preconditionFailed, "It exists, with version \(version).")
        }
    }

    /// Whether the client has this version already.
    func has(_ version: Int64) -> Bool {
        headers["If-None-Match"].map { EntityTag.list($0, names: version) } ?? false
    }
}
