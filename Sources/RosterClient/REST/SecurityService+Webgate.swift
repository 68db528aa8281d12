import RosterText
import RosterTransport

/// Tokens for the APIs that Webgates protect.
extension SecurityService {
    private static let prefix = "X-Idaas-Rest-"

    /// Asks the server for a token that a Webgate accepts.
    ///
    /// - Parameters:
    ///   - field: The challenge of the Webgate.
    ///   - token: The user's access token.
    ///   - endpoint: The service's address, of the server's profile.
    /// - Throws: ``ClientError``, `CancellationError`.
    func webgateToken(_ field: WebgateField, for token: String, at endpoint: String) async throws -> String {
        guard let clientID = try applicationProfile?.applicationID else { throw Self.ended }
        let body: JSONValue = [
            "X-Idaas-Rest-Subject-Type": "TOKEN", "X-Idaas-Rest-Subject-Value": .string(token),
            "X-Idaas-Rest-Application-Context": .string(field.context),
            "X-Idaas-Rest-Application-Resource": .string(field.resource),
        ]
        let proof = Base64.text(Array("\(clientID):\(properties.clientSecret ?? "")".utf8))
        let request = TransportRequest(
            "POST", endpoint,
            headers: [
                "Accept": "application/json", "Content-Type": "application/json",
                "X-Idaas-Rest-Authorization": "UIDPASSWORD cred=\"\(proof)\"",
            ], body: body.bytes)
        let reply: ProviderConnection.Reply
        do { reply = try await connection.send(request, deadline: .seconds(12)) } catch let error as TransportError {
            throw ClientError(error)
        }
        guard reply.status == 200, let json = reply.json else {
            if reply.status == 401, reply.json != nil {
                throw ClientError.notSignedIn("The server does not accept the user's access token for a Webgate.")
            }
            if [400, 403].contains(reply.status), reply.json != nil {
                throw ClientError(
                    .refused, "The server gives no token for the Webgate '\(ShownText.plain(field.gate))'.",
                    advice: "Check the app's registration at the server, and the grants that it has.")
            }
            throw reply.failure(at: "service of access tokens")
        }
        guard let text = json[Self.prefix + "Token-Value"]?.text, (1...65_536).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw ClientError.badAnswer("The server's answer has no access token for the Webgate.") }
        return text
    }
}
