import Foundation
import RosterBearer
import RosterOpenID
import RosterSignIn
import RosterText
import RosterTransport
import TestSupport
import Testing

/// An issuer on this machine that a test controls: its documents, its keys and its clock.
final class Issuer: Sendable {
    static let audience = "https://orders.example.com"

    let server: CannedServer
    let key: SigningKey
    let clock = SettableClock()
    let transport = Transport()

    var url: String { "http://127.0.0.1:\(server.port)" }

    /// - Parameter isKnown: Whether the issuer publishes its description and its key.
    init(isKnown: Bool = true) throws {
        server = try CannedServer()
        key = try SigningKey(generating: .es256)
        if isKnown {
            describe()
            publish([key])
        }
    }

    func describe(_ changes: JSONValue = [:]) {
        var document: JSONValue = [
            "issuer": .string(url), "jwks_uri": .string(url + "/keys"), "userinfo_endpoint": .string(url + "/me"),
            "introspection_endpoint": .string(url + "/introspect"),
        ]
        for member in changes.members { document[member.name] = member.value }
        server.answer("/.well-known/openid-configuration", body: document.written)
    }

    func publish(_ keys: [SigningKey]) {
        let set: JSONValue = ["keys": .array(keys.map(\.publicKey))]
        server.answer("/keys", body: set.written)
    }

    /// How many requests for a path came.
    func count(_ path: String) -> Int {
        server.requests.count { $0.split(separator: " ").dropFirst().first ?? "" == path }
    }

    func validator(
        _ method: BearerSettings.Method = .keys(audience: audience), scopes: [String] = [],
        _ change: (inout BearerSettings) -> Void = { _ in }
    ) throws -> BearerValidator {
        var settings = BearerSettings(issuer: url, method: method, scopes: scopes)
        change(&settings)
        return try BearerValidator(settings, transport: transport, clock: { [clock] in clock.now })
    }

    /// The claims of a good token, with changes; null leaves a claim out.
    func claims(_ changes: JSONValue = [:]) -> [JSONValue.Member] {
        let now = Int64(clock.now.timeIntervalSince1970)
        var claims: JSONValue = [
            "iss": .string(url), "aud": .string(Self.audience), "sub": "u1", "client_id": "shop", "iat": .integer(now),
            "exp": .integer(now + 300), "jti": "1", "scope": "orders read", "roles": ["buyers"],
            "preferred_username": "ada",
        ]
        for member in changes.members { claims[member.name] = member.value }
        return claims.members.filter { !$0.value.isNull }
    }

    func token(_ changes: JSONValue = [:], type: String = "at+jwt", by key: SigningKey? = nil) throws -> String {
        try (key ?? self.key).sign(claims(changes), type: type)
    }
}

extension BearerValidator {
    /// The refusal of a token; nil if the token is good.
    func refusal(_ token: String) async throws -> BearerRefusal? {
        do {
            _ = try await validate(authorization: "Bearer " + token)
            return nil
        } catch let refusal as BearerRefusal {
            #expect(!refusal.reason.contains(token) && !"\(refusal)".contains(token))
            #expect(refusal.challenge?.contains(token) != true)
            return refusal
        }
    }
}
