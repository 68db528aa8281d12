import RosterStore

/// The size limits of a directory.
public enum DirectoryLimits {
    /// The longest text of an attribute, in UTF-8 bytes.
    public static let maximumTextBytes = 64 * 1024
    /// The largest binary value in bytes.
    public static let maximumBinaryBytes = 1024 * 1024
    /// The largest number of values of an attribute.
    public static let maximumValues = 1_000
    /// The largest total size of a user's attributes after the user has changed them, in bytes of JSON. Binary values do not count.
    /// The limit does not hold for administrators and provisioning clients.
    public static let maximumOwnBytes = 512 * 1024
    /// The number of users or roles that a page can have at most.
    public static let maximumPageSize = 10_000
    /// The longest duration of a search.
    public static let maximumSearchDuration = Duration.seconds(30)
    /// The number of concurrent searches of one user. A search is a read that can take longer than a look-up: a page of
    /// a search, a list of reportees or members, everyone below a manager, a count.
    public static let maximumSearchesOfUser = ReaderPool.maximumSearchesOfRequester
    /// The number of further searches of that user that can wait. The next one throws ``DirectoryError`` `overloaded`.
    /// Programs and ``Directory/unrestricted`` have no such limit.
    public static let maximumWaitingSearchesOfUser = ReaderPool.maximumWaitingOfRequester
    /// The longest wait of a user's search. A search that has not begun by then throws `overloaded`.
    public static let maximumSearchWait = ReaderPool.maximumWait
    /// The largest number of declared attributes.
    public static let maximumDeclaredAttributes = 500
}
