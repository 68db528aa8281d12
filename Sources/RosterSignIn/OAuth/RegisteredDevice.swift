import Roster
package import RosterText

/// What the handle of a registered device proves: which app it is, that asks about its own users and nothing else.
extension OAuthService {
    /// The backend of an app on a registered device.
    ///
    /// - Throws: ``OAuthError`` `invalid_client`.
    func backend(_ clientID: String, handle: String) throws -> Backend {
        guard let (token, _) = try checker.check(handle), token.clientID == clientID,
            token.audiences == [Self.registration], let backend = try clients.backend(.clientID(clientID))
        else { throw ClientDirectory.refused }
        return backend
    }

    /// A living access token of a user that a client was given, with the user's name; nil for all other tokens, handles among
    /// them.
    package func userToken(_ text: String, givenTo clientID: String) throws -> (token: AccessToken, name: String)? {
        guard let found = try checker.check(text), found.token.clientID == clientID,
            case .holder = found.token.subject, found.token.audiences != [Self.registration]
        else { return nil }
        return found
    }

    /// Ends a token for an app on a registered device, as ``terminate(_:authorization:from:)`` does.
    package func terminate(_ text: String, clientID: String, handle: String, from peer: String) async throws -> Bool {
        try await terminate(text, of: try backend(clientID, handle: handle), from: peer)
    }

    /// Answers an app on a registered device what a token is worth, as ``introspect(_:authorization:)`` does.
    package func introspect(_ text: String, clientID: String, handle: String) throws -> JSONValue {
        _ = try backend(clientID, handle: handle)
        guard let (token, name) = try userToken(text, givenTo: clientID) else { return ["active": false] }
        return try .object(
            [.init("active", true), .init("username", .string(name))]
                + current(token).filter { $0.name != "active" && $0.name != "username" })
    }
}
