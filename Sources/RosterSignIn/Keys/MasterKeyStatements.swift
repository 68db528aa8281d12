import RosterStore

/// The statements for the fingerprint of the key file, by which all servers of a directory make sure that they have the same one.
enum MasterKeyStatements {
    static let fingerprint: SQL = "SELECT fingerprint FROM key_check WHERE id = 1"
    static let keepFingerprint: SQL = "INSERT INTO key_check VALUES (1, ?1) ON CONFLICT (id) DO NOTHING"
    static let forgetFingerprint: SQL = "DELETE FROM key_check"
}
