import RosterStore

/// The statements that find what somebody made.
enum MadeStatements {
    /// The keys of a maker by key or name, where something is left of what the maker made.
    static let keysOfMaker: SQL = """
        SELECT maker FROM backend WHERE maker IS NOT NULL AND (maker = ?1 OR maker_name = ?1)
        UNION SELECT maker FROM token WHERE maker IS NOT NULL AND (maker = ?1 OR maker_name = ?1)
        UNION SELECT maker FROM session WHERE maker IS NOT NULL AND (maker = ?1 OR maker_name = ?1)
        """
    static let sessionsOfUser: SQL = """
        SELECT s.digest, u.name, s.used, s.expires FROM session s JOIN user u ON u.id = s.user
        WHERE s.user = ?1 ORDER BY s.used
        """
    static let sessionsByMaker: SQL = """
        SELECT s.digest, u.name, s.used, s.expires FROM session s JOIN user u ON u.id = s.user
        WHERE s.maker = ?1 ORDER BY s.used
        """
    static let grantsOfUser: SQL = """
        SELECT b.name || ' ' || b.version, g.created, g.expires FROM token_grant g JOIN backend b ON b.number = g.backend
        WHERE g.user = ?1 ORDER BY g.number
        """
    static let linksOfUser: SQL = "SELECT issuer, subject FROM identity_link WHERE user = ?1 ORDER BY issuer, subject"
    static let deleteLinks: SQL = "DELETE FROM identity_link WHERE user = ?1"
}
