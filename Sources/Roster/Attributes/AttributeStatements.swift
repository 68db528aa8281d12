/// The statements of declared attributes.
enum AttributeStatements {
    static let declared: SQL = "SELECT definition FROM attribute ORDER BY number"
    static let insert: SQL = "INSERT INTO attribute (name, definition) VALUES (?1, ?2)"
}
