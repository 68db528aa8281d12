/// A statement that a transaction is expected to run, with the values of the statement's parameters.
///
/// ``ChangedRecords`` tells whether a change leaves the answer right. So, in a transaction that changes records, an answer that depends
/// on a record must be one row, and must begin with the identifier of this record; and an answer must not depend on what belongs to
/// several records, such as an index of texts.
public struct ExpectedRead: Sendable, Hashable {
    public let sql: SQL
    public let bindings: [Binding]
    /// The statement that has the same answer if its only parameter is the identifier with which the first row begins; nil if the
    /// transaction is expected to run ``sql`` itself. So a record can be read ahead whose identifier is not known yet.
    public let answered: SQL?

    public init(_ sql: SQL, _ bindings: [Binding], answering answered: SQL? = nil) {
        (self.sql, self.bindings, self.answered) = (sql, bindings, answered)
    }

    /// The size that the read has about when it is sent.
    public var byteCount: Int {
        bindings.reduce(128) { count, binding in
            switch binding {
            case .text(let text): count + text.utf8.count
            default: count + 32
            }
        }
    }
}
