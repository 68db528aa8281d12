import RosterStore

/// The statements about who uses an app.
enum AppUseStatements {
    /// Notes that app ?2 got a token for user ?1 at the time ?3, by a grant that ends at ?4.
    static let begin: SQL = """
        INSERT INTO app_use (user_id, backend, used, ends) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (user_id, backend) DO UPDATE SET used = excluded.used,
            ends = CASE WHEN app_use.ends < excluded.ends THEN excluded.ends ELSE app_use.ends END
        """
    /// Notes that app ?2 got a further token for user ?1 at the time ?3, unless a time after ?4 is noted.
    static let goOn: SQL = "UPDATE app_use SET used = ?3 WHERE user_id = ?1 AND backend = ?2 AND used < ?4"
    /// Notes that app ?2 wants to know of the end of the session ?1.
    static let noteSession: SQL = """
        INSERT INTO app_use (user_id, backend, used, ends, session)
        SELECT user_id, CAST(?2 AS BIGINT), used, ends, digest FROM session WHERE digest = ?1 AND user_id IS NOT NULL
        ON CONFLICT (user_id, backend) DO UPDATE SET session = excluded.session,
            ends = CASE WHEN app_use.ends < excluded.ends THEN excluded.ends ELSE app_use.ends END
        """
    static let deleteEnded: SQL = "DELETE FROM app_use WHERE ends <= ?1"
    /// The users of app ?1 before the user ?3 of the time ?2, latest use first; and of each whether the app has a living grant, and
    /// whether the session lives of whose end the app is told. The time is ?5.
    static let latest: SQL = """
        SELECT a.user_id, a.used,
            u.active = 1 AND coalesce(u.starts <= ?5, TRUE) AND coalesce(?5 < u.ends, TRUE),
            EXISTS (
                SELECT 1 FROM token_grant g
                WHERE g.user_id = a.user_id AND g.backend = a.backend
                    AND g.epoch = d.sign_in_epoch + u.sign_in_epoch AND g.expires > ?5),
            EXISTS (
                SELECT 1 FROM session s
                WHERE s.digest = a.session AND s.user_id = a.user_id AND s.expires > ?5 AND s.is_spent = 0
                    AND s.epoch = d.sign_in_epoch + u.sign_in_epoch)
        FROM app_use a CROSS JOIN directory d JOIN users u ON u.id = a.user_id
        WHERE a.backend = ?1 AND (a.used, a.user_id) < (CAST(?2 AS BIGINT), CAST(?3 AS BIGINT))
        ORDER BY a.used DESC, a.user_id DESC LIMIT ?4
        """
}
