import Foundation
package import RosterSignIn
package import RosterText

/// The answers of OAuth as JSON.
extension Tokens {
    /// The answer of a token endpoint (RFC 6749, section 5.1).
    package var json: JSONValue {
        let assertionType: JSONValue = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
        return .members([
            "access_token": .string(accessToken), "token_type": isBound ? "DPoP" : "Bearer",
            "expires_in": .integer(lifetime),
            // An empty scope cannot be written (RFC 6749, section 3.3).
            "scope": scopes.isEmpty ? nil : .string(scopes.text),
            "refresh_token": refreshToken.map { .string($0) }, "id_token": idToken.map { .string($0) },
            "issued_token_type": issuedTokenType.map { .string($0) },
            "oracle_client_assertion_type": isClientAssertion ? assertionType : nil,
            "oracle_tk_context": isClientAssertion ? "client_assertion" : nil,
        ])
    }
}

extension TokenStatus {
    /// The answer of introspection (RFC 7662, section 2.2).
    package var json: JSONValue {
        switch self {
        case .inactive: return ["active": false]
        case .refreshToken(let scopes, let clientID, let username, let subject, let issuer, let expires):
            return [
                "active": true, "scope": .string(scopes.text), "client_id": .string(clientID),
                "username": .string(username), "sub": .string(subject), "iss": .string(issuer),
                "exp": .integer(Int64(expires.timeIntervalSince1970)), "token_type": "refresh_token",
            ]
        case .accessToken(let claims, let username, let apis):
            var members: [JSONValue.Member] = [.init("active", true)]
            members += claims.filter { $0.name != "active" && $0.name != "username" }
            members.append(.init("username", .string(username)))
            members.append(.init("token_type", claims.contains { $0.name == "cnf" } ? "DPoP" : "Bearer"))
            if let apis { members.append(.init("apis", .texts(apis))) }
            return .object(members)
        }
    }
}

extension DeviceAuthorization {
    /// The answer of the device authorization endpoint (RFC 8628, section 3.2).
    package var json: JSONValue {
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
    package var json: JSONValue {
        .object(
            [.init("sub", .string(subject))] + claims
                + [.init("scope", .string(scopes.text))])
    }
}
