import Foundation
import RosterBearer
import RosterREST
import RosterText
import ServiceTestSupport
import TestSupport
import Testing

@Suite("Access tokens that are bound to a key (DPoP, RFC 9449)", .timeLimit(.minutes(1)))
struct PossessionTests {
    private static let url = "https://orders.example.com/v1"

    private func validator(_ issuer: Issuer, isRequired: Bool = false) throws -> BearerValidator {
        try issuer.validator {
            $0.resource = Self.url
            $0.requiresPossession = isRequired
        }
    }

    private func token(_ issuer: Issuer, _ key: PossessionKey) throws -> String {
        try issuer.token(["cnf": ["jkt": .string(key.thumbprint)]])
    }

    /// The refusal of a request for `/v1/orders`; nil if it is let in.
    private func refusal(
        _ validator: BearerValidator, _ field: String, _ proofs: [String], method: String = "GET",
        path: String = "/orders"
    ) async throws -> BearerRefusal? {
        do {
            _ = try await validator.validate(
                authorization: [field], proofs: proofs, method: method, path: path)
            return nil
        } catch let refusal as BearerRefusal {
            return refusal
        }
    }

    @Test("A bound token is accepted with a proof of its key, once, and tells what other tokens tell")
    func works() async throws {
        let issuer = try Issuer()
        let (validator, key) = (try validator(issuer), try PossessionKey())
        let token = try token(issuer, key)
        let proof = try key.proof("GET", Self.url + "/orders", token: token, at: issuer.clock.now)
        let found = try await validator.validate(
            authorization: ["DPoP " + token], proofs: [proof], method: "GET", path: "/orders")
        #expect(found.subject == "u1" && found.scopes == ["orders", "read"])
        let again = try await refusal(validator, "DPoP " + token, [proof])
        #expect(again?.code == .invalidProof && again?.status == 401)
        #expect(again?.challenge?.hasPrefix("DPoP realm=\"API\", error=\"invalid_dpop_proof\"") == true)
    }

    @Test(
        "A stolen token is worth nothing: as a bearer token, without a proof, with another key's, for another request")
    func stolen() async throws {
        let issuer = try Issuer()
        let (validator, key, other) = (try validator(issuer), try PossessionKey(), try PossessionKey())
        let token = try token(issuer, key)
        let now = issuer.clock.now
        func proof(_ key: PossessionKey, _ method: String = "GET", _ path: String = "/orders", _ text: String? = nil)
            throws -> String
        { try key.proof(method, Self.url + path, token: text ?? token, at: now) }
        #expect(try await refusal(validator, "Bearer " + token, [])?.code == .invalidToken)
        #expect(try await refusal(validator, "Bearer " + token, [try proof(key)])?.code == .invalidToken)
        #expect(try await refusal(validator, "DPoP " + token, [])?.code == .invalidProof)
        #expect(try await refusal(validator, "DPoP " + token, [try proof(key), try proof(key)])?.code == .invalidProof)
        #expect(try await refusal(validator, "DPoP " + token, [try proof(other)])?.code == .invalidToken)
        for bad in [try proof(key, "POST"), try proof(key, "GET", "/other"), try proof(key, "GET", "/orders", "x")] {
            #expect(try await refusal(validator, "DPoP " + token, [bad])?.code == .invalidProof)
        }
        let old = try key.proof("GET", Self.url + "/orders", token: token, at: now.addingTimeInterval(-121))
        #expect(try await refusal(validator, "DPoP " + token, [old])?.code == .invalidProof)
        let plain = try issuer.token()
        #expect(
            try await refusal(validator, "DPoP " + plain, [try proof(key, "GET", "/orders", plain)])?.code
                == .invalidToken)
        let certificate = try issuer.token(["cnf": ["x5t#S256": "x"]])
        #expect(try await refusal(validator, "Bearer " + certificate, [])?.code == .invalidToken)
    }

    @Test("An API that wants bound tokens takes no bearer token; one without an address takes no bound token")
    func required() async throws {
        let issuer = try Issuer()
        let key = try PossessionKey()
        let strict = try validator(issuer, isRequired: true)
        #expect(try await refusal(strict, "Bearer " + issuer.token(), [])?.code == .invalidToken)
        let token = try token(issuer, key)
        let proof = try key.proof("GET", Self.url + "/orders", token: token, at: issuer.clock.now)
        #expect(try await refusal(strict, "DPoP " + token, [proof]) == nil)
        let refused = try await refusal(try issuer.validator(), "DPoP " + token, [proof])
        #expect(refused?.code == .invalidToken && refused?.reason.contains("'resource'") == true)
        #expect(throws: BearerSettings.Problem.self) { try issuer.validator { $0.requiresPossession = true } }
        #expect(throws: BearerSettings.Problem.self) { try issuer.validator { $0.resource = Self.url + "/" } }
    }

    @Test("With an HTTP request the proof is checked for its method and path")
    func request() async throws {
        let issuer = try Issuer()
        let validator = try issuer.validator { $0.resource = "https://orders.example.com" }
        let key = try PossessionKey()
        let token = try token(issuer, key)
        func send(_ method: String, _ target: String, _ proof: String) async throws -> Int {
            let request = HTTPRequest(method, target, headers: ["Authorization": "DPoP " + token, "DPoP": proof])
            do {
                _ = try await validator.validate(request)
                return 200
            } catch let refusal as BearerRefusal {
                return refusal.response.status
            }
        }
        let url = "https://orders.example.com/orders"
        #expect(
            try await send("GET", "/orders?page=2", key.proof("GET", url, token: token, at: issuer.clock.now)) == 200)
        #expect(try await send("PUT", "/orders", key.proof("GET", url, token: token, at: issuer.clock.now)) == 401)
    }

    @Test("The metadata of an API names its issuer, and challenges point to it (RFC 9728)")
    func metadata() async throws {
        let issuer = try Issuer()
        let validator = try validator(issuer)
        let url = "https://orders.example.com/.well-known/oauth-protected-resource/v1"
        #expect(validator.resourceMetadataURL == url)
        let metadata = try JSONValue(parsing: Array(try #require(validator.resourceMetadata)))
        #expect(metadata["resource"]?.text == Self.url && metadata["authorization_servers"]?.texts == [issuer.url])
        #expect(metadata["bearer_methods_supported"] == ["header"])
        let refused = try await refusal(validator, "Bearer x", [])
        #expect(refused?.challenge?.contains("resource_metadata=\"\(url)\"") == true)
        #expect(try issuer.validator().resourceMetadata == nil)
    }
}
