public import Foundation
public import Roster
public import RosterTransport

extension DirectoryView {
    /// Opens the directory of a server. Everything that is written for the view of a directory in this process works with this
    /// view too.
    ///
    /// ```swift
    /// let view = try await DirectoryView(server: server, credentials: .basic("ada", password: password))
    /// let ada = try await view.users.user("ada")
    /// ```
    ///
    /// The server applies the rights of the credentials' owner. Reads that get no answer are
    /// repeated, and so are changes, which the server never makes twice. `follow` and `observe` go on after the server was
    /// away. Operations that need the file, such as `export`, `importPeople`, `load`, `check` and `transaction`, throw `notOffered`.
    ///
    /// - Parameters:
    ///   - server: The address of the server, such as `https://id.example.com`. `http` is allowed to this machine only.
    ///   - credentials: The credentials of the caller.
    ///   - transport: The connections to use. A transport that the app gives can be shared, and is closed by the app.
    /// - Throws: ``Roster/DirectoryError`` `unreachable`, `notSignedIn`, `notPermitted`, `badAnswer`, `invalidInput` for an
    ///   address that cannot be one; `CancellationError`.
    public init(server: URL, credentials: ServerCredentials, transport: Transport = .shared) async throws {
        let connection = try DirectoryConnection(server, credentials, transport)
        let nobody = connection.view
        self = DirectoryView(nobody.acting(as: try await nobody.ask(ReadCaller())))
    }

    /// Opens the directory of a server, as the asynchronous form does. The calling thread waits.
    public init(server: URL, credentials: ServerCredentials, transport: Transport = .shared) throws {
        let connection = try DirectoryConnection(server, credentials, transport)
        let nobody = connection.view
        self = DirectoryView(nobody.acting(as: try nobody.askAndWait(ReadCaller())))
    }
}
