import Foundation
import RosterSignIn
import RosterText

/// The answers of OAuth as JSON.
extension Tokens {
    /// The answer of a token endpoint (RFC 6749, section 5.1).
    var json: JSONValue {
        var members: [JSONValue.Member] = [
            .init("access_token", .string(accessToken)), .init("token_type", "Bearer"),
            .init("expires_in", .integer(lifetime)),
        ]
        // An empty scope cannot be written (RFC 6749, section 3.3).
        if !scopes.isEmpty { members.append(.init("scope", .string(scopes.joined(separator: " ")))) }
        if let refreshToken { members.append(.init("refresh_token", .string(refreshToken))) }
        if let idToken { members.append(.init("id_token", .string(idToken))) }
        if let issuedTokenType { members.append(.init("issued_token_type", .string(issuedTokenType))) }
        if isClientAssertion {
            members.append(
                .init("oracle_client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"))
            members.append(.init("oracle_tk_context", "client_assertion"))
        }
        return .object(members)
    }
}

extension TokenStatus {
    /// The answer of introspection (RFC 7662, section 2.2).
    var json: JSONValue {
        switch self {
        case .inactive: return ["active": false]
        case .refreshToken(let scopes, let clientID, let username, let subject, let issuer, let expires):
            return [
                "active": true, "scope": .string(scopes.joined(separator: " ")), "client_id": .string(clientID),
                "username": .string(username), "sub": .string(subject), "iss": .string(issuer),
                "exp": .integer(Int64(expires.timeIntervalSince1970)), "token_type": "refresh_token",
            ]
        case .accessToken(let claims, let username, let apis):
            var members: [JSONValue.Member] = [.init("active", true)]
            members += claims.filter { $0.name != "active" && $0.name != "username" }
            members.append(.init("username", .string(username)))
            members.append(.init("token_type", "Bearer"))
            if let apis { members.append(.init("apis", .array(apis.map { .string($0) }))) }
            return .object(members)
        }
    }
}

extension DeviceAuthorization {
    /// The answer of the device authorization endpoint (RFC 8628, section 3.2).
    var json: JSONValue {
        [
            "device_code": .string(deviceCode), "user_code": .string(userCode),
            "verification_uri": .string(verificationURI),
            "verification_uri_complete": .string(verificationURI + "?user_code=" + userCode),
            "expires_in": .integer(lifetime), "interval": .integer(interval),
        ]
    }
}

extension UserInfo {
    /// The answer of user info (OpenID Connect Core, section 5.3.2), with the scopes of the token.
    var json: JSONValue {
        .object(
            [.init("sub", .string(subject))] + claims
                + [.init("scope", .string(scopes.joined(separator: " ")))])
    }
}
