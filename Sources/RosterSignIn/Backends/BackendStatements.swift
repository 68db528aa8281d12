import RosterStore

/// The statements of backends.
enum BackendStatements {
    static let all: SQL = """
        SELECT number, name, version, client_id, backend_id, secret_digest, sealed_secret, anonymous_digest, settings,
            created, modified, maker, maker_name, (SELECT sign_in_epoch FROM directory)
        FROM backend ORDER BY name, version
        """
    static let byNumber: SQL = """
        SELECT number, name, version, client_id, backend_id, secret_digest, sealed_secret, anonymous_digest, settings,
            created, modified, maker, maker_name, (SELECT sign_in_epoch FROM directory)
        FROM backend WHERE number = ?1
        """
    static let byName: SQL = """
        SELECT number, name, version, client_id, backend_id, secret_digest, sealed_secret, anonymous_digest, settings,
            created, modified, maker, maker_name, (SELECT sign_in_epoch FROM directory)
        FROM backend WHERE name = ?1 AND version = ?2
        """
    static let byClientID: SQL = """
        SELECT number, name, version, client_id, backend_id, secret_digest, sealed_secret, anonymous_digest, settings,
            created, modified, maker, maker_name, (SELECT sign_in_epoch FROM directory)
        FROM backend WHERE client_id = ?1
        """
    static let byBackendID: SQL = """
        SELECT number, name, version, client_id, backend_id, secret_digest, sealed_secret, anonymous_digest, settings,
            created, modified, maker, maker_name, (SELECT sign_in_epoch FROM directory)
        FROM backend WHERE backend_id = ?1
        """
    static let byAnonymousDigest: SQL = """
        SELECT number, name, version, client_id, backend_id, secret_digest, sealed_secret, anonymous_digest, settings,
            created, modified, maker, maker_name, (SELECT sign_in_epoch FROM directory)
        FROM backend WHERE anonymous_digest = ?1
        """
    static let taken: SQL = """
        SELECT name = ?1 AND version = ?2, client_id = ?3 FROM backend
        WHERE number <> ?5 AND ((name = ?1 AND version = ?2) OR client_id = ?3 OR backend_id = ?4)
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
    static let sealed: SQL = """
        SELECT name, version FROM backend WHERE sealed_secret IS NOT NULL ORDER BY name, version
        """
    static let unseal: SQL = "UPDATE backend SET sealed_secret = NULL"
    static let delete: SQL = "DELETE FROM backend WHERE number = ?1"
}
