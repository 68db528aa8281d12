import Roster

/// Entity tags and the conditions on them (RFC 9110, sections 8.8.3 and 13.1). A version's tag is weak: the same version
/// is written with more or fewer attributes, as they are asked for.
enum EntityTag {
    static func text(_ version: Int64) -> String { "W/\"\(version)\"" }

    /// Whether a list of tags, or `*`, names a version. Tags are compared weakly.
    static func list(_ field: String, names version: Int64) -> Bool {
        field.split(separator: ",").contains { tag in
            var tag = tag.drop { $0 == " " }
            while tag.last == " " { tag.removeLast() }
            if tag == "*" { return true }
            if tag.hasPrefix("W/") { tag.removeFirst(2) }
            return tag == "\"\(version)\"" || tag == "\(version)"
        }
    }
}

extension HTTPRequest {
    /// Refuses to change what is not as the client thinks.
    ///
    /// - Throws: 412.
    func checkMatch(_ version: Int64) throws {
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
