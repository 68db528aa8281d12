/// A table of a copied directory.
public struct CopiedTable: Sendable, Hashable {
    /// The name of the table.
    public let name: String
    /// The number of rows.
    public let rows: Int
    /// The FNV-1a hash of all values in the order of the table's primary key, which is the same in both directories. The
    /// hash detects errors, not manipulation.
    public let digest: String
}
