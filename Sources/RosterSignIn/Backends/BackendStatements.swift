import RosterStore

enum BackendStatements {
    /// The backends whose number is from ?1 to ?2, or that have one of the other keys. Each key has an index.
    static let select: SQL = """
        SELECT number, name, version, client_id, backend_id, secret_digest, sealed_secret, anonymous_digest, settings,
            created, maker, maker_name, (SELECT sign_in_epoch FROM directory)
        FROM backend
        WHERE number BETWEEN ?1 AND ?2 OR client_id = ?3 OR backend_id = ?4 OR (name = ?5 AND version = ?6)
        ORDER BY name, version
        """
    /// The backend with the `client_id` ?1, or else with the name ?1 and the version 1.0, or else a disabled backend that does not
    /// exist. There is always one row, so that an unknown app costs the same time as a disabled one.
    static let app: SQL = """
        SELECT number, name, version, client_id, backend_id, secret_digest, sealed_secret, anonymous_digest, settings,
            created, maker, maker_name, (SELECT sign_in_epoch FROM directory), 2 AS fit
        FROM backend WHERE client_id = ?1
        UNION ALL
        SELECT number, name, version, client_id, backend_id, secret_digest, sealed_secret, anonymous_digest, settings,
            created, maker, maker_name, (SELECT sign_in_epoch FROM directory), 1
        FROM backend WHERE name = ?1 AND version = '1.0'
        UNION ALL
        SELECT 0, CAST(?1 AS TEXT), '1.0', '', '', NULL, NULL, NULL, '{"enabled":false}', 0, NULL, NULL, 0, 0
        ORDER BY fit DESC LIMIT 1
        """
    static let count: SQL = "SELECT count(*) FROM backend"
    /// At most ?2 backends that were made before ?1, and have no grant and no entry about a token in the change feed.
    static let unused: SQL = """
        SELECT name FROM backend b
        WHERE created < ?1 AND NOT EXISTS (SELECT 1 FROM token_grant g WHERE g.backend = b.number)
            AND NOT EXISTS (SELECT 1 FROM change c WHERE c.id = b.number AND c.kind BETWEEN 4 AND 8 AND c.entity = 4)
        ORDER BY name LIMIT ?2
        """
    static let taken: SQL = """
        SELECT name = ?2 AND version = ?3, client_id = ?4 FROM backend
        WHERE number <> ?1 AND ((name = ?2 AND version = ?3) OR client_id = ?4 OR backend_id = ?5)
        """
    static let insert: SQL = """
        INSERT INTO backend (number, name, version, client_id, backend_id, secret_digest, sealed_secret,
            anonymous_digest, settings, created, modified, maker, maker_name)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10, ?11, ?12)
        """
    static let update: SQL = """
        UPDATE backend SET name = ?2, version = ?3, client_id = ?4, backend_id = ?5, secret_digest = ?6,
            sealed_secret = ?7, anonymous_digest = ?8, settings = ?9, modified = ?10
        WHERE number = ?1
        """
    /// Keeps the secret of backend ?1, which is replaced at the time ?2, until ?3.
    static let keepSecret: SQL = """
        INSERT INTO backend_secret (backend, digest, sealed_secret, replaced, expires)
        SELECT number, secret_digest, sealed_secret, ?2, ?3 FROM backend WHERE number = ?1 AND secret_digest IS NOT NULL
        """
    static let formerSecrets: SQL = """
        SELECT digest, sealed_secret, replaced, expires FROM backend_secret WHERE backend = ?1 AND expires > ?2
        ORDER BY expires, digest
        """
    static let deleteFormerSecrets: SQL = "DELETE FROM backend_secret WHERE backend = ?1"
    static let deleteExpiredSecrets: SQL = "DELETE FROM backend_secret WHERE expires <= ?1"
    static let unsealFormer: SQL = "UPDATE backend_secret SET sealed_secret = NULL"
    static let sealed: SQL = """
        SELECT name, version FROM backend WHERE sealed_secret IS NOT NULL ORDER BY name, version
        """
    static let unseal: SQL = "UPDATE backend SET sealed_secret = NULL"
    static let delete: SQL = "DELETE FROM backend WHERE number = ?1"
}
