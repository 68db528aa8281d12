import RosterStore

enum RemainingAccessStatements {
    /// The keys of a maker by key or name, if something that the maker made is left.
    static let keysOfMaker: SQL = """
        SELECT maker FROM backend WHERE maker IS NOT NULL AND (maker = ?1 OR maker_name = ?1)
        UNION SELECT maker FROM token WHERE maker IS NOT NULL AND (maker = ?1 OR maker_name = ?1)
        UNION SELECT maker FROM session WHERE maker IS NOT NULL AND (maker = ?1 OR maker_name = ?1)
        """
    /// The sessions of the user ?1, or that the maker ?2 began.
    static let sessions: SQL = """
        SELECT s.digest, u.name, s.used, s.expires FROM session s JOIN users u ON u.id = s.user_id CROSS JOIN directory d
        WHERE (s.user_id = ?1 OR s.maker = ?2) AND s.epoch = u.sign_in_epoch + d.sign_in_epoch ORDER BY s.used
        """
    static let grantsOfUser: SQL = """
        SELECT b.name || ' ' || b.version, g.created, g.expires FROM token_grant g JOIN backend b ON b.number = g.backend
            JOIN users u ON u.id = g.user_id CROSS JOIN directory d
        WHERE g.user_id = ?1 AND g.epoch = u.sign_in_epoch + d.sign_in_epoch ORDER BY g.number
        """
    static let linksOfUser: SQL = """
        SELECT issuer, subject FROM identity_link WHERE user_id = ?1 ORDER BY issuer, subject
        """
    static let deleteLinks: SQL = "DELETE FROM identity_link WHERE user_id = ?1"
}
