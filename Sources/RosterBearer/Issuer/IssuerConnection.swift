import RosterOpenID
import RosterText
import RosterTransport

/// Sends requests to an issuer, within bounds of time and size.
struct IssuerConnection: Sendable {
    /// The reason why the issuer could not be asked. The text holds nothing of what was sent.
    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    struct Answer: Sendable {
        let status: Int
        /// The body if it is a JSON object.
        let json: JSONValue?
    }

    let transport: Transport

    /// The largest answer of an issuer in bytes.
    private static let maximumBytes = 256 << 10
    private static let deadline = Duration.seconds(10)

    /// - Throws: ``Problem``, `CancellationError`.
    func send(_ request: TransportRequest) async throws -> Answer {
        var request = request
        request.headers["Accept"] = "application/json"
        request.deadline = Self.deadline
        request.connectTimeout = .seconds(5)
        request.maximumBodyBytes = Self.maximumBytes
        do {
            let answer = try await transport.send(request)
            let json = try? JSONValue(parsing: answer.body)
            if case .object? = json { return Answer(status: answer.status, json: json) }
            return Answer(status: answer.status, json: nil)
        } catch let error as TransportError {
            throw Problem(description: error.message)
        }
    }

    /// Fetches a document of the issuer.
    ///
    /// - Throws: ``Problem``, `CancellationError`.
    func document(_ url: String, _ document: ProviderDocuments.Document) async throws -> JSONValue {
        let answer = try await send(TransportRequest("GET", url))
        guard answer.status == 200, let json = answer.json else {
            throw Problem(
                description:
                    "The issuer's \(document.rawValue) is answered with status \(answer.status), or is not a JSON object."
            )
        }
        return json
    }
}
