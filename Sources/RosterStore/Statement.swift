/// A prepared statement of a connection.
open class Statement {
    /// The text with which the statement was made.
    public let text: String
    /// The handle of SQLite's statement; nil for another engine.
    @usableFromInline package let handle: OpaquePointer?
    /// The values of the current row; nil for SQLite, which is asked for each value.
    public final var cells: UnsafePointer<Cell>?
    package final var isBusy = false

    public init(text: String, handle: OpaquePointer?) {
        (self.text, self.handle) = (text, handle)
    }

    /// The current row.
    @inlinable package final var row: Row { Row(handle, cells) }

    @usableFromInline package final func begin(on connection: Connection) throws {
        // SQLite does not interrupt a statement that has not begun, so this checks the cancellation itself.
        try connection.cancellation?.check()
        try connection.checkOpen()
        isBusy = true
    }

    /// Ends the statement. Must always run, so that no statement keeps a snapshot or an interrupt alive.
    @usableFromInline package final func end() {
        reset()
        isBusy = false
    }

    // MARK: What an engine provides

    /// Binds a value to the parameter with this number, from 1 on.
    open func bind(_ binding: Binding, at index: Int32) throws {}
    open func bind(_ text: String, at index: Int32) throws { try bind(.text(text), at: index) }
    open func bind(_ number: Int64?, at index: Int32) throws { try bind(.integer(number), at: index) }
    /// Proceeds to the next row, the first time to the first one.
    ///
    /// - Returns: Whether there is one.
    open func step(on connection: Connection) throws -> Bool { false }
    /// Runs the statement, whose rows nobody needs. An engine may report an error at a later statement.
    open func execute(on connection: Connection) throws {
        while try step(on: connection) {}
    }
    /// Ends the statement's run.
    open func reset() {}
    /// Releases the statement for good.
    open func finalize() {}
}
