import RosterStore

enum AttributeStatements {
    static let declared: SQL = "SELECT definition FROM attribute ORDER BY number"
    static let insert: SQL = "INSERT INTO attribute (name, definition) VALUES (?1, ?2)"
    static let update: SQL = "UPDATE attribute SET definition = ?2 WHERE name = ?1"
    static let rename: SQL = "UPDATE attribute SET name = ?2, definition = ?3 WHERE name = ?1"
    static let delete: SQL = "DELETE FROM attribute WHERE name = ?1"
    static let rights: SQL = "SELECT name, entity, readers, writers FROM attribute_rights ORDER BY entity, name"
    static let setRights: SQL = """
        INSERT INTO attribute_rights (name, entity, readers, writers) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (entity, name) DO UPDATE SET readers = excluded.readers, writers = excluded.writers
        """
    static let resetRights: SQL = "DELETE FROM attribute_rights WHERE name = ?1 AND entity = ?2"

    // MARK: Stored values

    /// A page of the users after identifier ?1 whose attributes contain the text ?2.
    static let usersWith: SQL = """
        SELECT id, name, attributes FROM users WHERE id > ?1 AND instr(attributes, ?2) > 0 ORDER BY id LIMIT 500
        """
    /// A page of the roles after identifier ?1 whose attributes contain the text ?2.
    static let rolesWith: SQL = """
        SELECT id, name, attributes FROM role WHERE id > ?1 AND instr(attributes, ?2) > 0 ORDER BY id LIMIT 500
        """
    static let setOfUser: SQL = "UPDATE users SET attributes = ?2 WHERE id = ?1"
    static let setOfRole: SQL = "UPDATE role SET attributes = ?2 WHERE id = ?1"

    // MARK: Index entries

    static let renameEntries: SQL = "UPDATE attribute_value SET attribute = ?2 WHERE attribute = ?1"
    static let deleteEntries: SQL = "DELETE FROM attribute_value WHERE attribute = ?1"
    /// How many users share a value of attribute ?1 with another user, and the first of them.
    static let sharing: SQL = """
        SELECT count(DISTINCT user_id), min(user_id) FROM attribute_value
        WHERE attribute = ?1 AND key IN (
            SELECT key FROM attribute_value WHERE attribute = ?1 GROUP BY key HAVING count(*) > 1
        )
        """
}
