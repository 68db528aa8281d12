import RosterStore

/// Converts the server's errors. Messages contain neither statements nor values.
enum PostgreSQLFailure {
    /// - Parameters:
    ///   - state: The SQLSTATE of the error; empty if the connection was lost.
    ///   - server: The address of the server, without secrets.
    static func error(_ state: String, at server: String) -> StoreError {
        switch state {
        case "23505":
            StoreError(.alreadyExists, "That belongs to somebody else already.", advice: "Choose another value.")
        case "57014": .tooLong
        case "53100":
            StoreError(
                .storageFull, "There is no space left on \(server); nothing of this change was kept.",
                advice: "Free some space and try again; reading goes on.")
        case "53300":
            StoreError(
                .overloaded, "\(server) has no connection left.",
                advice: "Raise its max_connections, or run fewer servers.")
        case "25006":
            StoreError(.unreachable, "\(server) cannot be written at present.", advice: "Try again soon.")
        // A role without the right to use a schema gets the second state.
        case "42501", "3F000":
            StoreError(
                .forbidden, "The database role may not do that on \(server).",
                advice: "Grant the role the rights that the documentation names, or use the role that owns the tables.")
        case "54000":
            StoreError(
                .limitExceeded, "A value is too long for an index of the database server.",
                advice: "Shorten the value.")
        // Prepared statements belong to a session, and a pooler in transaction mode gives each transaction another one.
        case "42P05", "26000":
            StoreError(
                .storageFailed,
                "A connection pooler before \(server) gives the transactions of one connection to several sessions.",
                advice:
                    "Connect with PostgreSQL itself, or set the pooler to session mode, in PgBouncer 'pool_mode = session'."
            )
        case "25P03": paused
        case _ where isLoss(state): lost(server)
        default:
            StoreError(
                .storageFailed, "\(server) could not run a statement (SQLSTATE \(state)).",
                advice: "Look into the log of the server.")
        }
    }

    /// Whether the error means that the connection is of no use any more.
    static func isLoss(_ state: String) -> Bool {
        state.isEmpty || state.hasPrefix("08") || state.hasPrefix("57P") || state == "25006" || state == "25P03"
    }

    /// Reports a transaction that the server has ended, because the transaction ran no statement for longer than
    /// ``PostgreSQLStatements/session`` allows, or twice for longer than ``PauseWatch/longest`` while another server waited.
    static let paused = StoreError(
        .limitExceeded, "The transaction paused for too long, and was rolled back.",
        advice: "Do slow work before the transaction. Others wait for it.")

    static func lost(_ server: String) -> StoreError {
        StoreError(.unreachable, "The connection with \(server) was lost.", advice: "Try again soon.")
    }
}
