/// Entity tags and the conditions on them (RFC 9110, sections 8.8.3 and 13.1). A version's tag is weak: the same version
/// is written with more or fewer attributes, as they are asked for.
package enum EntityTag {
    static func text(_ version: Int64) -> String { "W/\"\(version)\"" }

    /// Whether a list of tags, or `*`, has a certain tag. Tags are compared weakly.
    package static func list(_ field: String, contains isMeant: (Substring) -> Bool) -> Bool {
        field.split(separator: ",").contains { tag in
            var tag = tag.drop { $0 == " " || $0 == "\t" }
            while tag.last == " " || tag.last == "\t" { tag.removeLast() }
            if tag.hasPrefix("W/") { tag.removeFirst(2) }
            return tag == "*" || isMeant(tag)
        }
    }

    static func list(_ field: String, names version: Int64) -> Bool {
        list(field) { $0 == "\"\(version)\"" || $0 == "\(version)" }
    }
}
