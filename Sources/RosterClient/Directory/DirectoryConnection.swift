import Foundation
import Roster
import RosterTransport

/// The requests of a view to a server: authorized, repeated after lost answers, and with errors of the directory.
struct DirectoryConnection: Sendable {
    private let base: String
    private let credentials: ServerCredentials
    private let transport: Transport

    init(_ server: URL, _ credentials: ServerCredentials, _ transport: Transport) throws {
        base = try Self.base(of: server) + "/directory/v1/"
        (self.credentials, self.transport) = (credentials, transport)
    }

    /// The address of a server without a slash at the end.
    ///
    /// - Throws: `DirectoryError` `invalidInput` for an address with a query or a fragment.
    static func base(of server: URL) throws -> String {
        var server = server.absoluteString
        while server.hasSuffix("/") { server.removeLast() }
        guard !server.contains(where: { $0 == "?" || $0 == "#" }) else {
            throw DirectoryError(
                .invalidInput, "The address of a server has no query and no fragment.",
                advice: "Give an address such as https://id.example.com.")
        }
        return server
    }

    /// A view of the server, whose caller is not known yet.
    var view: RemoteView { RemoteView(send: { try await send($0, $1) }, sendAndWait: { try sendAndWait($0, $1) }) }

    private func send(_ request: RemoteView.Request, _ receiver: RemoteView.Receiver) async throws {
        var attempts = Attempts(request, credentials)
        while true {
            let step: Attempts.Step
            do {
                let http = try attempts.http(base, field: try await credentials.field(replacing: attempts.refused))
                step = attempts.next(after: try await transport.send(http), receiver)
            } catch let error as TransportError {
                step = attempts.next(after: error)
            } catch let error as DirectoryError {
                step = attempts.next(without: error)
            }
            switch step {
            case .done: return
            case .failure(let error): throw error
            case .again(let pause): try await Task.sleep(for: pause)
            }
        }
    }

    private func sendAndWait(_ request: RemoteView.Request, _ receiver: RemoteView.Receiver) throws {
        var attempts = Attempts(request, credentials)
        while true {
            let step: Attempts.Step
            do {
                let http = try attempts.http(base, field: try credentials.fieldAndWait(replacing: attempts.refused))
                step = attempts.next(after: try transport.sendAndWait(http), receiver)
            } catch let error as TransportError {
                step = attempts.next(after: error)
            } catch let error as DirectoryError {
                step = attempts.next(without: error)
            }
            switch step {
            case .done: return
            case .failure(let error): throw error
            case .again(let pause): Thread.sleep(forTimeInterval: pause / .seconds(1))
            }
        }
    }
}
