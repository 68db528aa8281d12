import RosterStore

/// The apps that people signed in to with a session, and what they are still to be told about its end.
enum SessionAppStatements {
    static let insert: SQL = """
        INSERT INTO session_app (session, backend, subject, attempts) VALUES (?1, ?2, ?3, 0)
        ON CONFLICT (session, backend) DO NOTHING
        """
    /// Notes that the session ?1 ended at the time ?2.
    static let end: SQL = "UPDATE session_app SET ended = ?2, due = ?2 WHERE session = ?1 AND ended IS NULL"
    /// Notes that those sessions have ended by the time ?1 that were deleted or have expired, or whose users may not go on.
    static let sweep: SQL = """
        UPDATE session_app SET ended = ?1, due = ?1
        WHERE ended IS NULL AND NOT EXISTS (
            SELECT 1 FROM session s CROSS JOIN directory d LEFT JOIN users u ON u.id = s.user_id
            WHERE s.digest = session_app.session AND s.expires > ?1
                AND coalesce(u.active = 1 AND coalesce(u.starts <= ?1, TRUE) AND coalesce(?1 < u.ends, TRUE), TRUE)
                AND s.epoch = d.sign_in_epoch + coalesce(u.sign_in_epoch, 0))
        """
    static let isSwept: SQL = """
        SELECT 1 FROM session_app
        WHERE ended IS NULL AND NOT EXISTS (
            SELECT 1 FROM session s CROSS JOIN directory d LEFT JOIN users u ON u.id = s.user_id
            WHERE s.digest = session_app.session AND s.expires > ?1
                AND coalesce(u.active = 1 AND coalesce(u.starts <= ?1, TRUE) AND coalesce(?1 < u.ends, TRUE), TRUE)
                AND s.epoch = d.sign_in_epoch + coalesce(u.sign_in_epoch, 0))
        LIMIT 1
        """
    static let due: SQL = """
        SELECT session, backend, subject, ended, due, attempts, problem FROM session_app WHERE due <= ?1
        ORDER BY due LIMIT ?2
        """
    /// Takes an attempt at the time ?3, which no other server takes then. If this server ends, another one goes on at the time ?4.
    static let take: SQL = """
        UPDATE session_app SET attempts = attempts + 1, due = ?4 WHERE session = ?1 AND backend = ?2 AND due <= ?3
        """
    static let postpone: SQL = "UPDATE session_app SET due = ?3, problem = ?4 WHERE session = ?1 AND backend = ?2"
    static let delete: SQL = "DELETE FROM session_app WHERE session = ?1 AND backend = ?2"
    static let deleteOld: SQL = "DELETE FROM session_app WHERE due IS NULL AND ended <= ?1"
    static let ofBackend: SQL = """
        SELECT session, backend, subject, ended, due, attempts, problem FROM session_app
        WHERE backend = ?1 AND ended IS NOT NULL ORDER BY ended, session LIMIT 1000
        """
}
