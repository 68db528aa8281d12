package import RosterClient
import RosterText

/// Tokens for the APIs that Webgates protect.
extension SecurityService: RESTUser {
    package func webgateToken(_ field: WebgateField, for token: String) async throws -> String? {
        guard let endpoint = try applicationProfile?.endpoints.access else { return nil }
        return try await webgateToken(field, for: token, at: endpoint)
    }

    /// Asks the server for a token that a Webgate accepts.
    ///
    /// - Parameters:
    ///   - field: The challenge of the Webgate.
    ///   - token: The user's access token.
    ///   - endpoint: The service's address, of the server's profile.
    /// - Throws: `ClientError`, `CancellationError`.
    func webgateToken(_ field: WebgateField, for token: String, at endpoint: String) async throws -> String {
        guard let clientID = try applicationProfile?.applicationID else { throw Self.ended }
        let body: JSONValue = [
            "X-Idaas-Rest-Subject-Type": "TOKEN", "X-Idaas-Rest-Subject-Value": .string(token),
            "X-Idaas-Rest-Application-Context": .string(field.context),
            "X-Idaas-Rest-Application-Resource": .string(field.resource),
        ]
        let handle = try deviceHandle
        var reply = try await tokenService(
            endpoint, body, proof: (clientID, handle ?? properties.clientSecret ?? ""))
        if let handle, reply.status == 401 {
            // The device may have been ended at the server, which does not end the app.
            reply = try await tokenService(endpoint, body, proof: (clientID, properties.clientSecret ?? ""))
            if reply.status == 200 { try forgetDevice(handle) }
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
        guard let text = Self.token(in: json) else {
            throw ClientError.badAnswer("The server's answer has no access token for the Webgate.")
        }
        return text
    }
}
