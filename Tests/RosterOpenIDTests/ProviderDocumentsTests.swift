import Foundation
import RosterOpenID
import RosterSignIn
import RosterText
import Synchronization
import TestSupport
import Testing

@Suite("The discovery document and the keys of an issuer", .timeLimit(.minutes(1)))
struct ProviderDocumentsTests {
    private struct Failure: Error {}

    /// An issuer whose documents a test sets. A document that is missing cannot be fetched.
    private final class Issuer: Sendable {
        static let url = "https://id.example.com"
        let clock = SettableClock()
        let key: SigningKey
        private let state = Mutex((documents: [String: JSONValue](), fetched: [String]()))

        init() throws {
            key = try SigningKey(generating: .es256)
            set(
                "/.well-known/openid-configuration",
                ["issuer": .string(Self.url), "jwks_uri": .string(Self.url + "/keys")])
            publish([key.publicKey])
        }

        func set(_ path: String, _ document: JSONValue?) { state.withLock { $0.documents[Self.url + path] = document } }
        func publish(_ keys: [JSONValue], at path: String = "/keys") { set(path, ["keys": .array(keys)]) }
        func count(_ path: String) -> Int { state.withLock { $0.fetched.count { $0 == Self.url + path } } }

        func documents() -> ProviderDocuments {
            ProviderDocuments(
                of: Self.url, discoveryRule: ReloadRule(minimumSeconds: 1, maximumSeconds: 3_600),
                keyRule: ReloadRule(minimumSeconds: 10, maximumSeconds: 43_200), clock: { [clock] in clock.now }
            ) { [self] url, _ in
                try state.withLock { state in
                    state.fetched.append(url)
                    guard let document = state.documents[url] else { throw Failure() }
                    return document
                }
            }
        }

        func token(by key: SigningKey? = nil) throws -> JSONWebToken {
            try JSONWebToken((key ?? self.key).sign([.init("sub", "mira")], type: "JWT"))
        }
    }

    private func isSigned(_ token: JSONWebToken, _ documents: ProviderDocuments) async throws -> Bool {
        try await documents.isSigned(token, allowing: SignatureAlgorithm.published)
    }

    @Test(
        "A new key is found although a kept key has no name, and a wrong signature under a known name fetches nothing")
    func namelessKey() async throws {
        let issuer = try Issuer()
        let documents = issuer.documents()
        let old = try SigningKey(generating: .es256)
        var nameless = old.publicKey
        nameless["kid"] = nil
        issuer.publish([nameless])
        #expect(try await isSigned(issuer.token(by: old), documents))
        issuer.publish([nameless, issuer.key.publicKey])
        issuer.clock.advance(by: 10)
        #expect(try await isSigned(issuer.token(), documents))
        #expect(issuer.count("/keys") == 2)
        issuer.clock.advance(by: 10)
        var parts = try issuer.key.sign([.init("sub", "mira")], type: "JWT").split(separator: ".").map(String.init)
        parts[2] = Base64URL.text([UInt8](repeating: 1, count: 64))
        #expect(try await !isSigned(JSONWebToken(parts.joined(separator: ".")), documents))
        #expect(issuer.count("/keys") == 2)
    }

    @Test("A key that the issuer withdrew is refused after half a day, and after a day even if the issuer is silent")
    func withdrawn() async throws {
        let issuer = try Issuer()
        let documents = issuer.documents()
        #expect(try await isSigned(issuer.token(), documents))
        issuer.publish([])
        issuer.clock.advance(by: 43_199)
        #expect(try await isSigned(issuer.token(), documents))
        issuer.clock.advance(by: 2)
        #expect(try await !isSigned(issuer.token(), documents))

        let silent = try Issuer()
        let kept = silent.documents()
        #expect(try await isSigned(silent.token(), kept))
        silent.set("/keys", nil)
        silent.clock.advance(by: 86_399)
        #expect(try await isSigned(silent.token(), kept))
        silent.clock.advance(by: 10)
        await #expect(throws: Failure.self) { _ = try await isSigned(silent.token(), kept) }
    }

    @Test("Keys at another address replace those at the old one")
    func otherAddress() async throws {
        let issuer = try Issuer()
        let documents = issuer.documents()
        #expect(try await isSigned(issuer.token(), documents))
        let new = try SigningKey(generating: .es256)
        issuer.set(
            "/.well-known/openid-configuration",
            ["issuer": .string(Issuer.url), "jwks_uri": .string(Issuer.url + "/new")])
        issuer.publish([new.publicKey], at: "/new")
        issuer.clock.advance(by: 3_601)
        #expect(try await isSigned(issuer.token(by: new), documents))
        #expect(try await !isSigned(issuer.token(), documents))
    }

    @Test("Documents of another issuer, without keys, or with keys at an unsafe address are no documents of the issuer")
    func wrong() async throws {
        let faults: [(JSONValue, ProviderDocuments.Problem)] = [
            (["issuer": "https://id.example.com/", "jwks_uri": "https://id.example.com/keys"], .otherIssuer),
            (["jwks_uri": "https://id.example.com/keys"], .otherIssuer),
            (["issuer": "https://id.example.com"], .noKeySet),
            (["issuer": "https://id.example.com", "jwks_uri": "http://id.example.com/keys"], .noKeySet),
            (["issuer": "https://id.example.com", "jwks_uri": "https://id.example.com@evil/keys"], .noKeySet),
            (["issuer": "https://id.example.com", "jwks_uri": "https://id.example.com/none"], .badKeySet),
        ]
        for (document, problem) in faults {
            let issuer = try Issuer()
            issuer.set("/.well-known/openid-configuration", document)
            issuer.set("/none", ["keys": 5])
            let documents = issuer.documents()
            await #expect(throws: problem) { _ = try await isSigned(issuer.token(), documents) }
        }
    }
}
