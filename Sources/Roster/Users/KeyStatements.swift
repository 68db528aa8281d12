import RosterStore

/// The statements that compute the search keys of a file anew.
enum KeyStatements {
    static let users: SQL = """
        SELECT id, name, attributes FROM users WHERE id > ?1 ORDER BY id LIMIT 500
        """
    static let updateUser: SQL = """
        UPDATE users SET name_key = ?2, given_name_key = ?3, family_name_key = ?4, common_name_key = ?5,
            display_name_key = ?6, title_key = ?7, department_key = ?8, employee_number_key = ?9
        WHERE id = ?1
        """
    /// The keys of text that is not ASCII. Other keys stay as they are.
    static let otherValues: SQL = """
        SELECT attribute, key, user_id FROM attribute_value WHERE typeof(key) = 'text' AND key GLOB '*[^ -~]*'
        """
    static let roles: SQL = "SELECT id, name, attributes FROM role"
    static let pageOfRoles: SQL = "SELECT id, name, attributes FROM role WHERE id > ?1 ORDER BY id LIMIT 500"
    /// The values of the change feed, without what later schemas add.
    static let pageOfChanges: SQL = """
        SELECT sequence, before, after FROM change WHERE sequence > ?1 ORDER BY sequence LIMIT ?2
        """
    static let updateRole: SQL = """
        UPDATE role SET name_key = ?2, display_name_key = ?3, description_key = ?4 WHERE id = ?1
        """
}
