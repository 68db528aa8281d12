import RosterStore

enum PasswordLinkStatements {
    /// Stores a link for the user ?1 with the digest ?2 and the end ?3, and replaces the user's older link. ?4 tells whether the link
    /// stays valid if the user gets a power, and ?5 whether the link is sent to the user's mail address.
    static let store: SQL = """
        INSERT INTO password_link (user_id, digest, epoch, expires, is_for_powers, is_mailed)
        SELECT u.id, ?2, u.sign_in_epoch + d.sign_in_epoch, ?3, ?4, ?5 FROM users u CROSS JOIN directory d WHERE u.id = ?1
        ON CONFLICT (user_id) DO UPDATE
        SET digest = excluded.digest, epoch = excluded.epoch, expires = excluded.expires,
            is_for_powers = excluded.is_for_powers, is_mailed = excluded.is_mailed
        """
    /// Selects the user of the link with the digest ?1, and whether the link stays valid for a user with a power. The link has to be
    /// valid at the time ?2, and the user's account active.
    static let user: SQL = """
        SELECT u.id, l.is_for_powers FROM password_link l JOIN users u ON u.id = l.user_id CROSS JOIN directory d
        WHERE l.digest = ?1 AND l.expires > ?2 AND u.active = 1 AND coalesce(?2 < u.ends, TRUE)
            AND l.epoch = u.sign_in_epoch + d.sign_in_epoch
        """
    static let isMailed: SQL = "SELECT 1 FROM password_link WHERE digest = ?1 AND is_mailed = 1"
    static let delete: SQL = "DELETE FROM password_link WHERE digest = ?1"
    static let deleteExpired: SQL = "DELETE FROM password_link WHERE expires <= ?1"
}
