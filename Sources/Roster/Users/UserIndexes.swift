import RosterStore

/// The indexes of the table of users that can be created again after many changes.
enum UserIndexes {
    /// Drops the indexes of the table of users, except those that keep names unique. On PostgreSQL, drops the foreign keys as well.
    ///
    /// - Returns: The statements that create the indexes and the foreign keys again.
    static func drop(on connection: Connection) throws -> [String] {
        let indexes = try connection.all(UserStatements.indexes) { (drop: $0.text(0), create: $0.text(1)) }
        for index in indexes { try connection.run(dynamic: index.drop) }
        return indexes.map(\.create)
    }
}
