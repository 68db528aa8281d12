/// The identity on whose behalf a connection is used. Limits per requester keep one of them from blocking others.
public struct Requester: Sendable, Hashable {
    /// The number of a user; 0 for other requesters.
    package let id: Int64
    /// The name of a program or a virtual user; empty for a user.
    package let name: String
    /// Whether limits apply to the searches and changes, as for users. Programs only take turns.
    package let isLimited: Bool

    package init(id: Int64 = 0, name: String = "", isLimited: Bool) {
        self.id = id
        self.name = name
        self.isLimited = isLimited
    }
}
