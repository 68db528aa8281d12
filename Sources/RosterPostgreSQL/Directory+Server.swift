public import Foundation
public import Roster
import RosterStore

extension Directory {
    /// Opens the directory in a database on PostgreSQL servers, and migrates it to the newest schema. Several processes, on
    /// several machines, can have it open and change it at the same time.
    ///
    /// - Parameters:
    ///   - address: The address in the form of libpq, `postgresql://user@host/database`. Several hosts are separated by commas;
    ///     the one that can be written is used. A host beyond this machine needs `sslmode=verify-full`.
    ///   - replica: The address of a standby, in the same form. The standby answers lists, searches and exports whenever it has all
    ///     changes, and the primary answers otherwise.
    ///   - keyFile: The file with the key that encrypts private keys and shared secrets, the same on each machine that has the
    ///     directory open. It is made if nothing is encrypted yet. An app without the sign-in module needs none.
    ///   - clock: Returns the current time.
    /// - Throws: ``DirectoryError`` `unreachable` if the system has no libpq, or no server can be reached; `notADirectory`,
    ///   `newerFile`, `damaged`, `storageFailed`.
    public convenience init(
        connectedTo address: String, replica: String? = nil, keyFile: URL? = nil,
        clock: @escaping @Sendable () -> Date = { Date() }
    ) throws {
        let server = try DirectoryError.translating {
            let address = try ServerAddress(address)
            return DatabaseServer(
                name: address.name,
                connectReplica: try replica.map { try ServerAddress($0, isReplica: true) }.map(Self.connecting),
                connect: Self.connecting(with: address))
        }
        try self.init(on: server, keyPath: keyFile?.path, clock: clock)
    }

    private static func connecting(with address: ServerAddress) -> @Sendable (Ending) throws -> Connection {
        let shared = Server(address)
        return { try PostgreSQLConnection(address, shared, ending: $0) }
    }
}
