/// A server that keeps the directory, in place of a file.
package struct DatabaseServer: Sendable {
    /// The server's address without secrets, for messages.
    package let name: String
    /// Connects with the server.
    package let connect: @Sendable (Ending) throws -> Connection

    package init(name: String, connect: @escaping @Sendable (Ending) throws -> Connection) {
        (self.name, self.connect) = (name, connect)
    }
}
