import RosterText

/// How a name from outside, such as a token's subject, is compared with one that is stored here.
///
/// Names of the directory are unique without regard to case, width and composition (``FoldedText``). A stranger's word is not
/// held to that: `admın` with a dotless i folds to `admin`, and would sign a stranger in as the administrator.
package enum NameComparison: Sendable, Hashable {
    /// Byte for byte.
    case exact
    /// Byte for byte, except that `A` to `Z` equal `a` to `z`.
    case ignoringASCIICase

    /// Whether two names are the same.
    package func areSame(_ one: String, _ other: String) -> Bool {
        switch self {
        case .exact: one.hasSameBytes(as: other)
        case .ignoringASCIICase: one.utf8.lazy.map(Self.lowered).elementsEqual(other.utf8.lazy.map(Self.lowered))
        }
    }

    private static func lowered(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }
}

extension String {
    /// Whether both are the same code for code (RFC 7519, section 2, StringOrURI). `==` also takes texts as equal that
    /// only look the same.
    package func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
