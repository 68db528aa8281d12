package import Foundation
import RosterCrypto
import RosterOpenID
import RosterSignIn
import TestSupport
package import RosterText

/// A client's key, with which a test makes proofs for DPoP.
package struct PossessionKey: Sendable {
    private let key: SigningKey

    package init() throws { key = try SigningKey(generating: .es256) }

    /// The thumbprint of the key (RFC 7638).
    package var thumbprint: String { key.id }

    /// A proof for a request.
    ///
    /// - Parameters:
    ///   - token: The access token that is sent with the proof.
    ///   - changes: Claims to change; null leaves a claim out.
    ///   - header: Members of the header to change.
    package func proof(
        _ method: String, _ url: String, token: String? = nil, at time: Date, _ changes: JSONValue = [:],
        header: JSONValue = [:]
    ) throws -> String {
        var head: JSONValue = ["typ": "dpop+jwt", "alg": "ES256", "jwk": key.publicKey]
        for member in header.members { head[member.name] = member.value.isNull ? nil : member.value }
        var claims: JSONValue = [
            "jti": .string(UUID().uuidString), "htm": .string(method), "htu": .string(url),
            "iat": .integer(Int64(time.timeIntervalSince1970)),
        ]
        if let token { claims["ath"] = .string(Base64URL.text(try SHA256.digest(Array(token.utf8)))) }
        for member in changes.members { claims[member.name] = member.value.isNull ? nil : member.value }
        let text = Base64URL.text(head.bytes) + "." + Base64URL.text(claims.bytes)
        guard let handle = KeyHandle(.p256, pkcs8: try key.pkcs8()) else { throw CryptoFailure(operation: "reading") }
        return text + "." + Base64URL.text(try handle.sign(Array(text.utf8), .init(digest: .sha256)))
    }
}

extension App {
    /// The address of a path of the service, as proofs name it.
    package static func url(_ path: String) -> String { "https://id.example.com" + path }

    /// Sends a form with a proof of a key.
    package func post(
        _ path: String, _ parameters: [(String, String)], proof: String?, authorization: String?? = .none
    ) async -> Answer {
        var parameters = parameters
        if secret == nil, authorization == nil { parameters.append(("client_id", clientID)) }
        let fields = [("Content-Type", "application/x-www-form-urlencoded")] + (proof.map { [("DPoP", $0)] } ?? [])
        return await service.send(
            "POST", path, authorization ?? secret.map { ServiceUnderTest.basic(clientID, $0) },
            Array(Self.encoded(parameters).utf8), headers: fields)
    }

    /// Tokens that are bound to a key.
    package func boundTokens(_ key: PossessionKey, _ changes: [String: String?] = [:]) async throws -> Answer {
        let code = try await code(changes)
        return await post(
            "/oauth2/token",
            [
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", Self.redirect),
                ("code_verifier", Self.verifier),
            ], proof: try key.proof("POST", Self.url("/oauth2/token"), at: service.clock.now))
    }

    /// Asks for a path with a bound token.
    package func ask(_ path: String, _ token: String, proof: String?, scheme: String = "DPoP") async -> Answer {
        await service.send("GET", path, scheme + " " + token, nil, headers: proof.map { [("DPoP", $0)] } ?? [])
    }
}
