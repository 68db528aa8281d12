/// A place in the history of a server's database.
struct Position {
    let commits: Int64
    /// The name of the database's history, which a server and its replicas share. A standby that takes over begins another one,
    /// because it may lack the last commits of the server before, and then gives their numbers to other commits.
    let history: String
}
