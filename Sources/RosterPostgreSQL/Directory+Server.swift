public import Foundation
public import Roster
import RosterStore

extension Directory {
    /// Whether a text is the address of a database with a password in it.
    package static func isAddressWithPassword(_ text: String) -> Bool { ServerAddress.hasPassword(text) }

    /// Opens the directory in a database on PostgreSQL servers, and migrates it to the newest schema. Several processes, on
    /// several machines, can have it open and change it at the same time.
    ///
    /// - Parameters:
    ///   - address: The address in the form of libpq, `postgresql://user@host/database`. Several hosts are separated by commas;
    ///     the one that can be written is used. A host beyond this machine needs `sslmode=verify-full`.
    ///   - replica: The address of a standby, in the same form. The standby answers lists, searches and exports whenever it has all
    ///     changes, and the primary answers otherwise. A standby that cannot be reached is not an error.
    ///   - keyFile: The file with the key that encrypts private keys and shared secrets, the same on each machine that has the
    ///     directory open. It is made if nothing is encrypted yet. An app without the sign-in module needs none.
    ///   - clock: Returns the current time.
    ///   - waiting: Called with a sentence, on another thread, while the opening takes longer than three seconds: what the opening waits
    ///     for, such as a synchronous standby or the lock of another server that migrates.
    /// - Throws: ``DirectoryError`` `unreachable` if the address cannot be read or does not ask for a verified connection with another
    ///   machine, the system has no libpq, or no server takes changes; `storageFailed` if the role may not make the tables;
    ///   `notADirectory` if the database is not in UTF-8 or has tables of another program; `newerFile`; `damaged`.
    /// - Complexity: Blocks the thread, up to ten seconds for each host that does not answer, and while another process migrates.
    public convenience init(
        connectedTo address: String, replica: String? = nil, keyFile: URL? = nil,
        clock: @escaping @Sendable () -> Date = { Date() }, waiting: (@Sendable (String) -> Void)? = nil
    ) throws {
        var wait: LongWait?
        defer { wait?.end() }
        let server = try DirectoryError.translating {
            let primary = Self.connecting(with: try ServerAddress(address))
            wait = waiting.map { tell in LongWait { primary.shared.waitReason().map(tell) } }
            let standby = try replica.map { Self.connecting(with: try ServerAddress($0, isReplica: true)) }
            return DatabaseServer(
                name: primary.name, connectReplica: standby?.connect,
                close: {
                    primary.shared.close()
                    standby?.shared.close()
                }, watch: primary.shared.watch, waitReason: primary.shared.waitReason, connect: primary.connect)
        }
        try self.init(on: server, keyPath: keyFile?.path, clock: clock)
    }

    private typealias Connecting = (name: String, shared: ServerState, connect: @Sendable (Ending) throws -> Connection)

    private static func connecting(with address: ServerAddress) -> Connecting {
        let shared = ServerState(address)
        return (address.name, shared, { try PostgreSQLEngine.connect(address, shared, ending: $0) })
    }
}
