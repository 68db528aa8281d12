import RosterStore

/// The statements that erase what the change feed tells of deleted users.
enum ErasureStatements {
    /// The entries after ?2 about the users and virtual users of a list, with the recorded values.
    static let valuesOf = SQL(
        """
        SELECT id, sequence, name, before, after FROM change
        WHERE sequence > ?2 AND entity IN (1, 5) AND id IN (SELECT value FROM json_each(?1))
        """,
        postgreSQL: """
            SELECT id, sequence, name, before, after FROM change
            WHERE sequence > ?2 AND entity IN (1, 5) AND id = ANY(CAST(?1 AS bigint[]))
            """)
    static let eraseEntry: SQL = "UPDATE change SET name = '', before = NULL, after = NULL WHERE sequence = ?1"
    /// The entries after ?2 of an actor.
    static let entriesBy: SQL = "SELECT sequence FROM change WHERE actor = ?1 AND sequence > ?2"
    static let eraseActor: SQL = "UPDATE change SET actor = '' WHERE sequence = ?1"
    /// The entries after ?1 about sign-ins under a name that matched no user.
    static let namedSignIns: SQL = """
        SELECT sequence, name FROM change
        WHERE sequence > ?1 AND kind BETWEEN 4 AND 8 AND name <> '' AND (id = 0 OR entity NOT IN (1, 5))
        """
    static let deletedUsers: SQL = """
        SELECT id, name FROM change WHERE kind = 3 AND entity = 1 AND name <> '' ORDER BY sequence DESC
        """

    // MARK: Virtual users, who are erased like users

    static let virtualUser: SQL = "SELECT issuer, subject FROM virtual_user WHERE number = ?1"
    static let deleteVirtualUser: SQL = "DELETE FROM virtual_user WHERE number = ?1"
    /// The virtual users with the same issuer and subject as a link of user ?1.
    static let deleteVirtualUsersLinked: SQL = """
        DELETE FROM virtual_user
        WHERE (issuer, subject) IN (SELECT issuer, subject FROM identity_link WHERE user_id = ?1)
        """
}
