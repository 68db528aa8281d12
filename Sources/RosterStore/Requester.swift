/// On whose behalf a connection is used, so that one requester's flood does not keep others waiting.
public struct Requester: Sendable, Hashable {
    /// The number of a person; 0 for everyone else.
    package let id: Int64
    /// The name of a program or an outsider; empty for a person.
    package let name: String
    /// Whether the requester's searches and changes are limited, as those of people are. Programs only take turns.
    package let isLimited: Bool

    /// Describes a requester by a number or a name.
    package init(id: Int64 = 0, name: String = "", isLimited: Bool) {
        self.id = id
        self.name = name
        self.isLimited = isLimited
    }
}
