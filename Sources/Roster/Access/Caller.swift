/// On whose behalf the directory is asked.
public enum Caller: Sendable, Hashable, CustomStringConvertible {
    /// An administrator, by the name under which the change feed is to show them. May do everything.
    case administrator(String)
    /// A user of this directory. May read what is for everyone who is signed in, more of their reportees and of
    /// themselves, and write the attributes of their own that are theirs to write. A disabled user may do nothing.
    case user(UserID)
    /// Somebody who has not signed in. May do nothing.
    case nobody

    /// As the change feed shows the caller.
    public var description: String {
        switch self {
        case .administrator(let name): name
        case .user(let id): id.description
        case .nobody: "nobody"
        }
    }
}
