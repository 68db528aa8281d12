import RosterStore

enum TokenStatements {
    static let insertToken: SQL = """
        INSERT INTO token (name, name_key, role, digest, created, expires, maker, maker_name, source, attributes, members_of, networks)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
        """
    static let tokenNames: SQL = "SELECT 1 FROM token WHERE name_key = ?1"
    /// The tokens whose number is ?1 or higher, or whose digest is ?2.
    static let tokens: SQL = """
        SELECT t.name, t.role, t.created, t.expires, t.digest, t.maker, t.maker_name, s.name, s.creates_on_replace,
            t.attributes, t.members_of, t.networks, r.name, t.used
        FROM token t LEFT JOIN source s ON s.name_key = t.source LEFT JOIN role r ON r.id = t.members_of
        WHERE t.number >= ?1 OR t.digest = ?2
        ORDER BY t.number
        """
    /// The name of the token with the key ?1, as it was given.
    static let tokenName: SQL = "SELECT name FROM token WHERE name_key = ?1"
    static let source: SQL = "SELECT name, creates_on_replace FROM source WHERE name_key = ?1"
    static let setSource: SQL = """
        INSERT INTO source (name_key, name, creates_on_replace) VALUES (?1, ?2, ?3)
        ON CONFLICT (name_key) DO UPDATE SET creates_on_replace = excluded.creates_on_replace
        """
    static let setSourceOfToken: SQL = "UPDATE token SET source = ?2 WHERE digest = ?1"
    /// The number of users and roles for which the clients ?1 and ?2 have different identifiers, and one of them.
    static let conflicts: SQL = """
        SELECT count(*), min(a.subject) FROM external_id a JOIN external_id b ON b.subject = a.subject AND b.client = ?2
        WHERE a.client = ?1 AND a.value <> b.value
        """
    static let copyIdentifiers: SQL = """
        INSERT INTO external_id (client, subject, value) SELECT ?2, subject, value FROM external_id WHERE client = ?1
        ON CONFLICT (client, subject) DO NOTHING
        """
    static let deleteIdentifiers: SQL = "DELETE FROM external_id WHERE client = ?1"
    static let noteUse: SQL = "UPDATE token SET used = ?2 WHERE digest = ?1"
    static let deleteToken: SQL = "DELETE FROM token WHERE digest = ?1"
}
