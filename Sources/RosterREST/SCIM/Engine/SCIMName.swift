import RosterText

/// Compares names of attributes and URNs without regard to the case of ASCII letters (RFC 7643, section 2.1; RFC 7644,
/// section 3.10). A letter that is not ASCII, such as the Kelvin sign, never equals an ASCII letter.
enum SCIMName {
    /// The form in which names are looked up.
    static func folded(_ name: some StringProtocol) -> String {
        String(decoding: name.utf8.map(lowered), as: UTF8.self)
    }

    /// Whether both are the same name.
    static func isSame(_ left: some StringProtocol, _ right: some StringProtocol) -> Bool {
        left.utf8.count == right.utf8.count && left.utf8.elementsEqual(right.utf8) { lowered($0) == lowered($1) }
    }

    /// The text after the prefix; nil if the name does not start with the prefix.
    static func rest<Name: StringProtocol>(of name: Name, after prefix: String) -> Name.SubSequence? {
        guard name.utf8.count >= prefix.utf8.count,
            isSame(String(decoding: name.utf8.prefix(prefix.utf8.count), as: UTF8.self), prefix)
        else { return nil }
        return name[name.utf8.index(name.utf8.startIndex, offsetBy: prefix.utf8.count)...]
    }

    /// Refuses a misspelled member of a request or an operation: a `remove` with a misspelled 'value' would remove everything.
    /// Ignores members that resemble no known member, because some clients add members of their own.
    static func checkMisspelled(_ members: [JSONValue.Member], of known: [String]) throws {
        for member in members where !known.contains(where: { isSame($0, member.name) }) {
            guard let meant = SimilarWord.nearest(to: member.name, among: known) else { continue }
            throw SCIMError(
                .invalidSyntax, "There is no member \(ShownText.plain(member.name)). Did you mean '\(meant)'?")
        }
    }

    private static func lowered(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }
}
