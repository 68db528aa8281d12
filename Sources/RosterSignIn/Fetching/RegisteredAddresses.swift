import Foundation
import Roster
import RosterText
package import RosterTransport

/// Calls to addresses that apps register, such as that of a sign-out. Only https is spoken, no redirect is followed, an answer takes 5
/// seconds and 64 KB at most, and the address must be in the public network unless an administrator allows others.
package struct RegisteredAddresses: Sendable {
    /// The reason why a call failed. It holds nothing of the answer.
    package struct Problem: Error, Sendable, CustomStringConvertible {
        package let description: String
    }

    private static let maximumBytes = 65_536
    private static let patience: Duration = .seconds(5)

    /// The connections. All services share one thread, unless a test has authorities of its own.
    private let transport = Locked(RegisteredAddresses.shared)
    private static let shared = Transport()
    private let allowsPrivate: @Sendable () -> Bool

    init(allowsPrivate: @escaping @Sendable () -> Bool) { self.allowsPrivate = allowsPrivate }

    /// Uses other connections, with other authorities.
    package func use(_ other: Transport) { transport.withLock { $0 = other } }

    /// The reason why an address cannot be registered; nil for a good one.
    static func problem(with text: String) -> String? {
        guard text.utf8.count <= 2_048, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let parts = URLComponents(string: text), parts.scheme?.lowercased() == "https",
            let host = parts.host, !host.isEmpty
        else { return "is not an https address." }
        guard parts.fragment == nil, parts.user == nil, parts.password == nil, !text.contains("\\") else {
            return "has a fragment, a name or a password."
        }
        return nil
    }

    /// Posts a form. Any status of success is good.
    ///
    /// - Throws: ``Problem``, `CancellationError`.
    func post(_ form: [(name: String, value: String)], to address: String) async throws {
        var request = TransportRequest("POST", address)
        request.headers["Content-Type"] = "application/x-www-form-urlencoded"
        request.body = Array(FormEncoding.text(form).utf8)
        let answer = try await send(request)
        guard (200..<300).contains(answer.status) else {
            throw Problem(description: "The app answered with status \(answer.status).")
        }
    }

    /// Fetches a JSON object.
    ///
    /// - Throws: ``Problem``, `CancellationError`.
    func object(_ address: String) async throws -> JSONValue {
        let answer = try await send(TransportRequest("GET", address, headers: ["Accept": "application/json"]))
        guard answer.status == 200, let json = try? JSONValue(strictly: answer.body), case .object = json else {
            throw Problem(description: "The address answered with status \(answer.status) and no JSON object.")
        }
        return json
    }

    private func send(_ request: TransportRequest) async throws -> TransportResponse {
        if let problem = Self.problem(with: request.url) { throw Problem(description: "The address " + problem) }
        var request = request
        request.deadline = Self.patience
        request.connectTimeout = Self.patience
        request.maximumBodyBytes = Self.maximumBytes
        request.allowsAddress = { [allowsPrivate] address in
            !HostAddress.isLinkLocal(address) && (HostAddress.isPublic(address) || allowsPrivate())
        }
        do {
            return try await transport.withLock { $0 }.send(request)
        } catch let error as TransportError {
            throw Problem(description: error.message)
        }
    }
}
