/// The spellings of attributes' names.
enum AttributeNames {
    /// Other names of attributes, and their object identifiers (RFC 4519, RFC 4524, RFC 2798), in lower case.
    private static let others: [String: String] = [
        "surname": "sn", "commonname": "cn", "gn": "givenname", "userid": "uid", "rfc822mailbox": "mail",
        "countryname": "c", "localityname": "l", "stateorprovincename": "st", "streetaddress": "street",
        "organizationname": "o", "organizationalunitname": "ou", "domaincomponent": "dc",
        "hometelephonenumber": "homephone", "mobiletelephonenumber": "mobile", "pagertelephonenumber": "pager",
        "fax": "facsimiletelephonenumber", "2.5.4.3": "cn", "2.5.4.4": "sn", "2.5.4.42": "givenname",
        "0.9.2342.19200300.100.1.1": "uid", "0.9.2342.19200300.100.1.3": "mail", "0.9.2342.19200300.100.1.25": "dc",
        "2.5.4.10": "o", "2.5.4.11": "ou", "2.5.4.12": "title", "2.5.4.13": "description",
        "2.5.4.20": "telephonenumber",
        "2.5.4.31": "member", "2.5.4.50": "uniquemember", "2.5.4.0": "objectclass", "1.3.6.1.1.16.4": "entryuuid",
        "1.3.6.1.1.20": "entrydn", "0.9.2342.19200300.100.1.10": "manager", "2.5.18.1": "createtimestamp",
        "2.5.18.2": "modifytimestamp",
    ]

    /// One name in lower case for all spellings of an attribute.
    static func canonical(_ name: String) -> String {
        let lowered = name.lowercased()
        return others[lowered] ?? lowered
    }

    /// An attribute description: the name and its options (RFC 4512, section 2.5).
    struct Description: Sendable, Hashable {
        /// The canonical name.
        let name: String
        /// The options in lower case.
        let options: [String]

        /// - Returns: Nil for a text that is no attribute description.
        init?(_ text: String) {
            let pieces = text.split(separator: ";", omittingEmptySubsequences: false)
            guard let first = pieces.first, Self.isKey(first), pieces.allSatisfy(Self.isKey) else { return nil }
            name = AttributeNames.canonical(String(first))
            options = pieces.dropFirst().map { $0.lowercased() }
        }

        /// Whether the description asks for values in a language or of another kind that no entry has.
        var isOfNoValue: Bool { options.contains { $0 != "binary" } }

        private static func isKey(_ text: Substring) -> Bool {
            !text.isEmpty && text.utf8.count <= 128
                && text.utf8.allSatisfy { byte in
                    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || "0123456789-.".utf8.contains(byte)
                }
        }
    }
}
