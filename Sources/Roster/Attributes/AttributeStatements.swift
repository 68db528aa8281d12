import RosterStore

enum AttributeStatements {
    static let declared: SQL = "SELECT definition FROM attribute ORDER BY number"
    static let insert: SQL = "INSERT INTO attribute (name, definition) VALUES (?1, ?2)"
    static let update: SQL = "UPDATE attribute SET definition = ?2 WHERE name = ?1"
    static let rights: SQL = "SELECT name, entity, readers, writers FROM attribute_rights ORDER BY entity, name"
    static let setRights: SQL = """
        INSERT INTO attribute_rights (name, entity, readers, writers) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (entity, name) DO UPDATE SET readers = excluded.readers, writers = excluded.writers
        """
    static let resetRights: SQL = "DELETE FROM attribute_rights WHERE name = ?1 AND entity = ?2"
}
