import RosterStore

extension PostgreSQLEngine {
    /// The size of the expected reads that are sent together. With more, the link would wait for answers in the middle, and a
    /// transaction without a statement to begin it would end there.
    private static let maximumExpectedBytes = 65_536

    /// Sends each statement once. Leaves out a statement whose rows the caller is still reading, and statements for which there is no
    /// room.
    func sendExpected(_ reads: [ExpectedRead], on connection: Connection) throws {
        var room = Self.maximumExpectedBytes
        for read in Set(reads) where try !connection.prepared(read.sql).isBusy && read.byteCount <= room {
            room -= read.byteCount
            let answered = try read.answered.flatMap { try connection.prepared($0) as? PostgreSQLStatement }
            try send(read.sql, read.bindings, on: connection) { .expected($0, answered: answered?.name) }
        }
    }

    /// Removes the answers to expected reads that a statement can change.
    ///
    /// - Parameter records: The records that the statement can change.
    func forgetExpected(changing records: ChangedRecords) {
        guard !link.expected.isEmpty else { return }
        switch records {
        case .any: link.expected = [:]
        case .one(let id):
            for call in link.expected.compactMap({ $0.value.id == id ? $0.key : nil }) { link.expected[call] = nil }
        case .none: break
        }
    }
}
