/// Limits the work of one change by a user who is not an administrator, because all other changes wait for the end of this one.
///
/// The limit counts the rows that a transaction changes, through every interface. A membership, an index entry and a reporting line count
/// as one row each. A user or a role counts as ``rowsOfEntity`` rows, and a long record as more.
final class WriterShare {
    /// The largest number of rows of one change.
    static let maximum = 5_000
    /// The rows for which a created, changed or deleted user or role counts: its own row, index entries and history.
    static let rowsOfEntity = 8
    /// The bytes of a record that take as long as a row.
    static let bytesOfRow = 512
    /// The most instructions of SQLite's virtual machine for one statement, which bounds what cannot be counted beforehand, such
    /// as a walk up a very long reporting line.
    static let maximumSteps = 1_000_000

    private var left = maximum

    /// Takes the time for changing so many rows.
    ///
    /// - Throws: ``DirectoryError`` `limitExceeded`.
    func take(_ rows: Int) throws {
        left -= min(rows, left + 1)
        guard left < 0 else { return }
        throw DirectoryError(
            .limitExceeded, "The change would take longer than everybody else may be made to wait.",
            advice: "Send several requests, of up to \(Self.maximum / 10) users, or have an administrator do it.")
    }
}

extension Transaction {
    /// Takes the time for changing so many rows from the share of a person who is not an administrator.
    func takeShare(rows: Int) throws { try share?.take(rows) }

    /// Takes the time for changing a user or a role whose record has so many bytes.
    func takeShare(recordBytes: Int) throws {
        try share?.take(WriterShare.rowsOfEntity + recordBytes / WriterShare.bytesOfRow)
    }
}

extension Rights {
    /// The limit for a change of a person; nil for administrators and programs.
    var writerShare: WriterShare? {
        if case .person = standing { return WriterShare() }
        return nil
    }
}
