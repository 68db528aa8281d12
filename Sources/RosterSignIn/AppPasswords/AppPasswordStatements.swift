import RosterStore

enum AppPasswordStatements {
    static let insert: SQL = """
        INSERT INTO app_password (digest, user_id, name, name_key, purpose, networks, created, expires, epoch)
        SELECT ?1, u.id, ?3, ?4, ?5, ?6, ?7, ?8, u.sign_in_epoch + d.sign_in_epoch
        FROM users u CROSS JOIN directory d WHERE u.id = ?2
        """
    /// Deletes the app passwords of user ?1 that ended before ?2 or with the user's sign-ins.
    static let deleteEnded: SQL = """
        DELETE FROM app_password WHERE user_id = ?1 AND (expires <= ?2 OR epoch <>
            (SELECT u.sign_in_epoch + d.sign_in_epoch FROM users u CROSS JOIN directory d WHERE u.id = ?1))
        """
    /// The app password with the digest ?1, if it and its user's account are good at the time ?2.
    static let good: SQL = """
        SELECT a.user_id, a.name, a.purpose, a.networks, a.created, a.expires, a.used, a.digest
        FROM app_password a JOIN users u ON u.id = a.user_id CROSS JOIN directory d
        WHERE a.digest = ?1 AND coalesce(?2 < a.expires, TRUE) AND a.epoch = u.sign_in_epoch + d.sign_in_epoch
            AND u.active = 1 AND coalesce(u.starts <= ?2, TRUE) AND coalesce(?2 < u.ends, TRUE)
        """
    /// The app passwords of user ?1 that have not ended at ?2.
    static let ofUser: SQL = """
        SELECT a.user_id, a.name, a.purpose, a.networks, a.created, a.expires, a.used, a.digest
        FROM app_password a JOIN users u ON u.id = a.user_id CROSS JOIN directory d
        WHERE a.user_id = ?1 AND coalesce(?2 < a.expires, TRUE) AND a.epoch = u.sign_in_epoch + d.sign_in_epoch
        ORDER BY a.created, a.name_key
        """
    static let noteUse: SQL = "UPDATE app_password SET used = ?2 WHERE digest = ?1"
    static let delete: SQL = "DELETE FROM app_password WHERE digest = ?1"
}
