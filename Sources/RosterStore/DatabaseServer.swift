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

    package init(
        name: String, connectReplica: (@Sendable (Ending) throws -> Connection)? = nil,
        close: @escaping @Sendable () -> Void = {}, connect: @escaping @Sendable (Ending) throws -> Connection
    ) {
        (self.name, self.connect, self.connectReplica, self.close) = (name, connect, connectReplica, close)
    }
}
