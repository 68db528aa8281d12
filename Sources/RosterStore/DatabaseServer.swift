/// A server that keeps the directory, in place of a file.
package struct DatabaseServer: Sendable {
    /// The server's address without secrets, for messages.
    package let name: String
    /// Connects with the server.
    package let connect: @Sendable (Ending) throws -> Connection
    /// Connects with a replica that answers searches; nil if there is none.
    package let connectReplica: (@Sendable (Ending) throws -> Connection)?
    /// Closes the connections that the store does not have.
    package let close: @Sendable () -> Void
    /// Sets the function that is called with each ``Event``, in place of an earlier function. The function must return at once.
    package let watch: @Sendable (_ tell: @escaping @Sendable (Event) -> Void) -> Void
    /// Returns what the connections of this process wait for, such as a standby. Returns nil if no connection waits. Blocks the thread.
    package let waitReason: @Sendable () -> String?

    /// A change of the server that an operator wants to know.
    package enum Event: Sendable, Equatable, CustomStringConvertible {
        /// An attempt to connect failed, and the attempt before had succeeded.
        case lost
        /// The server answered again after a loss.
        case reached
        /// A standby took over the work of the server.
        case replaced

        package var description: String {
            switch self {
            case .lost:
                "The database server cannot be reached. Requests wait for the server or a standby, for ten seconds at most."
            case .reached: "The database server is reached again."
            case .replaced: "A standby of the database server has taken over."
            }
        }
    }

    package init(
        name: String, connectReplica: (@Sendable (Ending) throws -> Connection)? = nil,
        close: @escaping @Sendable () -> Void = {},
        watch: @escaping @Sendable (@escaping @Sendable (Event) -> Void) -> Void = { _ in },
        waitReason: @escaping @Sendable () -> String? = { nil },
        connect: @escaping @Sendable (Ending) throws -> Connection
    ) {
        (self.name, self.connect, self.connectReplica) = (name, connect, connectReplica)
        (self.close, self.watch, self.waitReason) = (close, watch, waitReason)
    }
}
