import RosterStore

enum SettingStatements {
    static let version: SQL = "SELECT settings_version FROM directory"
    /// All settings, or those of the kind ?1, or the one of them with the name ?2.
    static let select: SQL = """
        SELECT kind, name, value, sealed_secret, changed FROM setting
        WHERE (CAST(?1 AS TEXT) IS NULL OR kind = ?1) AND (CAST(?2 AS TEXT) IS NULL OR name = ?2) ORDER BY kind, name
        """
    static let count: SQL = "SELECT count(*) FROM setting"
    static let store: SQL = """
        INSERT INTO setting (kind, name, value, sealed_secret, changed) VALUES (?1, ?2, ?3, ?4, ?5)
        ON CONFLICT (kind, name) DO UPDATE SET
            value = excluded.value, sealed_secret = excluded.sealed_secret, changed = excluded.changed
        """
    static let delete: SQL = "DELETE FROM setting WHERE kind = ?1 AND name = ?2"
    static let raiseVersion: SQL = "UPDATE directory SET settings_version = settings_version + 1"
    static let sealed: SQL = "SELECT kind || ' ' || name FROM setting WHERE sealed_secret <> '' ORDER BY kind, name"
    /// An empty text represents a secret that was lost with its key file.
    static let unseal: SQL = "UPDATE setting SET sealed_secret = '' WHERE sealed_secret IS NOT NULL"
}
