import RosterText

/// The rule for comparing an external name, such as a token's subject, with a name of this directory.
///
/// The directory's own names ignore case, width and composition (``FoldedText``). External names must not: `admın` with
/// a dotless i folds to `admin`, and would sign a stranger in as the administrator.
package enum NameComparison: Sendable, Hashable {
    /// Compares byte for byte.
    case exact
    /// Compares byte for byte, except that `A` to `Z` equal `a` to `z`.
    case ignoringASCIICase

    /// Whether the two names are equal under this rule.
    package func areSame(_ one: String, _ other: String) -> Bool {
        switch self {
        case .exact: one.hasSameBytes(as: other)
        case .ignoringASCIICase: one.utf8.lazy.map(Self.lowered).elementsEqual(other.utf8.lazy.map(Self.lowered))
        }
    }

    private static func lowered(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }
}
