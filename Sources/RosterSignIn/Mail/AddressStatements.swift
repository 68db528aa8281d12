import RosterStore

enum AddressStatements {
    static let notices: SQL =
        "SELECT user_id, address, time FROM address_notice ORDER BY time, user_id, address LIMIT ?1"
    static let deleteNotice: SQL = "DELETE FROM address_notice WHERE user_id = ?1 AND address = ?2"
    static let deleteOldNotices: SQL = "DELETE FROM address_notice WHERE time <= ?1"
    /// Whether the address of user ?1 was given after the time ?2, to a user who was there before or who has a password.
    static let isHeld: SQL = """
        SELECT 1 FROM held_address h JOIN users u ON u.id = h.user_id
        WHERE h.user_id = ?1 AND h.time > ?2
            AND (h.time > u.created OR EXISTS (SELECT 1 FROM password p WHERE p.user_id = u.id))
        """
    static let verified: SQL = "SELECT address FROM verified_address WHERE user_id = ?1"
    static let setVerified: SQL = """
        INSERT INTO verified_address (user_id, address, time) VALUES (?1, ?2, ?3)
        ON CONFLICT (user_id) DO UPDATE SET address = excluded.address, time = excluded.time
        """
    static let deleteOldHolds: SQL = "DELETE FROM held_address WHERE time <= ?1"
}
