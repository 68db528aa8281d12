/// A part of the change feed.
package struct ChangePage: Sendable {
    /// The changes that the caller may see.
    var changes: [Change] = []
    /// The number of the last entry that was read, whether the caller may see the entry or not.
    var through: Int64
    /// Whether the page reached the end of the feed.
    var isLast = true
}
