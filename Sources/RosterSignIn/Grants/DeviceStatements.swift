import RosterStore

enum DeviceStatements {
    /// The grants of the user ?1 that end after ?2 and have not ended with a sign-in epoch, with their backends.
    static let grants: SQL = """
        SELECT g.number, g.salt, g.detail, b.client_id, b.name, b.version, g.created, g.expires, g.backend
        FROM token_grant g JOIN backend b ON b.number = g.backend JOIN users u ON u.id = g.user_id CROSS JOIN directory d
        WHERE g.user_id = ?1 AND g.expires > ?2 AND g.epoch = u.sign_in_epoch + d.sign_in_epoch
        ORDER BY g.created, g.number
        """
}
