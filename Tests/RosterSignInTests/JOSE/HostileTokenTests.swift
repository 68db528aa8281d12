import Foundation
import RosterCrypto
import RosterOpenID
import RosterText
import Testing
import TestSupport

import RosterSignIn

@Suite("Tokens that were tampered with")
struct HostileTokenTests {
    static let algorithms = SignatureAlgorithm.allCases.filter { $0 != .hs256 }

    static func key(_ algorithm: SignatureAlgorithm) throws -> (SigningKey, VerificationKeySet) {
        let key = try SigningKey(generating: algorithm)
        let published = key.publicKey
        return (key, VerificationKeySet([try #require(VerificationKey(published))]))
    }

    static func isTaken(_ text: String, _ keys: VerificationKeySet) -> Bool {
        guard let token = try? JSONWebToken(text) else { return false }
        return (try? token.isSigned(by: keys, allowing: Set(SignatureAlgorithm.allCases))) ?? false
    }

    static func text(_ header: String, _ payload: String, _ signature: [UInt8]) -> String {
        [Array(header.utf8), Array(payload.utf8), signature].map { Base64URL.text($0) }.joined(separator: ".")
    }

    @Test("What a key signs its public half verifies, and no other key does", arguments: algorithms)
    func roundTrip(algorithm: SignatureAlgorithm) throws {
        let (key, keys) = try Self.key(algorithm)
        let (_, others) = try Self.key(algorithm)
        let text = try key.sign([.init("sub", "ada")], type: "JWT")
        #expect(Self.isTaken(text, keys) && !Self.isTaken(text, others))
        let secret = try key.pkcs8()
        let again = try SigningKey(algorithm, pkcs8: secret)
        let second = try again.sign([], type: "JWT")
        #expect(again.id == key.id && Self.isTaken(second, keys))
    }

    @Test("RFC 7515's example of HS256 and of ES256 verifies, and with one bit changed does not")
    func rfc7515() throws {
        let shared = try #require(
            Base64URL.bytes("AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"))
        let hs256 =
            "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        #expect(Self.isTaken(hs256, VerificationKeySet([VerificationKey(sharedSecret: shared)])))
        let point: JSONValue = [
            "kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
            "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
        ]
        let es256 =
            "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
        let keys = VerificationKeySet([try #require(VerificationKey(point))])
        #expect(Self.isTaken(es256, keys))
        #expect(!Self.isTaken(es256.replacing("eyJpc3MiOiJqb2Ui", with: "eyJpc3MiOiJqb2Uj"), keys))
    }

    @Test("RFC 8037's example of Ed25519 verifies, and RFC 7638's thumbprint is what it says")
    func rfc8037() throws {
        let key: JSONValue = ["kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"]
        let text =
            "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
        // Its payload is no JSON, so it is no JWT; the signature is looked at alone.
        #expect(throws: JSONWebToken.Problem.notJSON("payload")) { try JSONWebToken(text) }
        let parts = text.split(separator: ".")
        let signature = try #require(Base64URL.bytes(parts[2]))
        let verifier = try #require(VerificationKey(key))
        #expect(try verifier.verify(signature, of: Array("\(parts[0]).\(parts[1])".utf8), .edDSA))
    }

    @Test("'Ed25519' is EdDSA by another name, in a header and in a key (RFC 9864), and of no other kind of key")
    func ed25519() throws {
        let (key, keys) = try Self.key(.edDSA)
        let secret = try key.pkcs8()
        let handle = try #require(KeyHandle(.ed25519, pkcs8: secret))
        let head = Base64URL.text(Array(#"{"alg":"Ed25519"}"#.utf8)) + "." + Base64URL.text(Array("{}".utf8))
        let text = head + "." + Base64URL.text(try handle.sign(Array(head.utf8), .init(digest: nil)))
        #expect(Self.isTaken(text, keys))
        var published = key.publicKey
        published["alg"] = "Ed25519"
        let named = VerificationKeySet([try #require(VerificationKey(published))])
        let usual = try key.sign([], type: "JWT")
        #expect(Self.isTaken(text, named) && Self.isTaken(usual, named))
        let (curve, curveKeys) = try Self.key(.es256)
        #expect(!Self.isTaken(text, curveKeys))
        var wrong = curve.publicKey
        wrong["alg"] = "Ed25519"
        #expect(VerificationKey(wrong) == nil)
    }

    @Test(
        "There is no algorithm 'none', in whatever case",
        arguments: ["none", "None", "nOnE", "NONE", "", "HS384", "es256", "RS1"])
    func none(name: String) throws {
        let (_, keys) = try Self.key(.es256)
        let text = Self.text(#"{"alg":"\#(name)"}"#, #"{"sub":"ada"}"#, [1])
        #expect(!Self.isTaken(text, keys))
        #expect(!Self.isTaken(String(text.dropLast(2)), keys))
    }

    @Test("A public key is no shared secret: the algorithm is the key's to say", arguments: algorithms)
    func confusion(algorithm: SignatureAlgorithm) throws {
        let (key, keys) = try Self.key(algorithm)
        let published = key.publicKey.bytes
        let head =
            Base64URL.text(Array(#"{"alg":"HS256","kid":"\#(key.id)"}"#.utf8)) + "."
            + Base64URL.text(Array(#"{"sub":"ada"}"#.utf8))
        let code = try HMACSHA256.code(for: Array(head.utf8), key: published)
        #expect(!Self.isTaken(head + "." + Base64URL.text(code), keys))
    }

    @Test("A key is used with its own algorithm only: not PS for RS, not another curve")
    func pinned() throws {
        let (rsa, keys) = try Self.key(.rs256)
        let pinned = rsa.publicKey
        let secret = try rsa.pkcs8()
        let signedWithPS = try SigningKey(.ps256, pkcs8: secret).sign([], type: "JWT")
        #expect(!Self.isTaken(signedWithPS, keys), "the key says RS256")
        let free = try #require(VerificationKey(.object(pinned.members.filter { $0.name != "alg" })))
        #expect(Self.isTaken(signedWithPS, VerificationKeySet([free])))
        let (p384, _) = try Self.key(.es384)
        let text = try p384.sign([], type: "JWT")
        let header = Base64URL.text(Array(#"{"alg":"ES256"}"#.utf8))
        let (_, p256) = try Self.key(.es256)
        #expect(!Self.isTaken(header + text.drop { $0 != "." }, p256))
    }

    @Test("ECDSA: r and s of zero, DER in place of the two numbers, and other lengths are refused")
    func ecdsa() throws {
        let (key, keys) = try Self.key(.es256)
        let text = try key.sign([.init("sub", "ada")], type: "JWT")
        let head = text.split(separator: ".")[..<2].joined(separator: ".")
        let signature = try #require(Base64URL.bytes(text.split(separator: ".")[2]))
        for bad in [
            [UInt8](repeating: 0, count: 64), [UInt8](repeating: 255, count: 64), [], Array(signature.dropLast()),
            signature + [0], [0x30, 0x44, 0x02, 0x20] + signature[..<32] + [0x02, 0x20] + signature[32...],
        ] { #expect(!Self.isTaken(head + "." + Base64URL.text(bad), keys), "\(bad.count) bytes") }
        #expect(Self.isTaken(text, keys))
    }

    @Test(
        "Headers that would lead elsewhere are passed over, and extensions refused",
        arguments: [
            (#""jku":"https://evil.example.com/jwks""#, true), (#""x5u":"http://169.254.169.254/""#, true),
            (#""jwk":{"kty":"oct","k":"AAAA"}"#, true), (#""x5c":["AAAA"]"#, true), (#""crit":["exp"],"exp":1"#, false),
            (#""b64":false,"crit":["b64"]"#, false), (#""b64":true"#, false), (#""zip":"DEF""#, false),
            (#""enc":"A256GCM""#, false), (#""kid":"'; DROP TABLE user; --""#, false),
            (#""kid":"../../etc/passwd""#, false),
            (#""kid":5"#, false), (#""alg":"ES256""#, false),
        ])
    func headers(more: String, isTaken: Bool) throws {
        let (key, keys) = try Self.key(.es256)
        let secret = try key.pkcs8()
        let handle = try #require(KeyHandle(.p256, pkcs8: secret))
        let head = Base64URL.text(Array(#"{"alg":"ES256",\#(more)}"#.utf8)) + "." + Base64URL.text(Array("{}".utf8))
        let signature = try handle.sign(Array(head.utf8), .init(digest: .sha256))
        #expect(Self.isTaken(head + "." + Base64URL.text(signature), keys) == isTaken)
    }

    @Test("Text that is not exactly a token is refused before anything is verified")
    func forms() throws {
        let (key, keys) = try Self.key(.edDSA)
        let text = try key.sign([.init("sub", "ada")], type: "JWT")
        let parts = text.split(separator: ".").map(String.init)
        for bad in [
            "", ".", "..", "...", text + ".", "." + text, text + "=", text + " ", " " + text, text + "\n",
            text + ".x.y",
            parts[0] + "." + parts[1], text.replacing(".", with: ".."), text.replacing("_", with: "/") + "+",
            parts[0] + "=." + parts[1] + "." + parts[2], String(repeating: "a", count: 70_000),
            parts[0] + "." + String(repeating: "A", count: 1 << 20) + "." + parts[2],
        ] { #expect(!Self.isTaken(bad, keys), "\(bad.prefix(60))") }
        let secret = try key.pkcs8()
        let handle = try #require(KeyHandle(.ed25519, pkcs8: secret))
        for payload in [#"{"a":1,"a":2}"#, "[]", "null", "{", #"{"a":1e400}"#, "\u{FEFF}{}"] {
            let head = parts[0] + "." + Base64URL.text(Array(payload.utf8))
            let signed = head + "." + Base64URL.text(try handle.sign(Array(head.utf8), .init(digest: nil)))
            #expect(!Self.isTaken(signed, keys), "\(payload)")
        }
    }

    @Test("Keys that are not sound, or not for signatures, are none")
    func badKeys() throws {
        let (_, _) = try Self.key(.es256)
        let good = try SigningKey(generating: .es256).publicKey
        func with(_ changes: (String, JSONValue)...) -> JSONValue {
            var key = good
            for (name, value) in changes { key[name] = value }
            return key
        }
        #expect(VerificationKey(good) != nil)
        let zero = Base64URL.text([UInt8](repeating: 0, count: 32))
        for bad in [
            with(("x", .string(zero)), ("y", .string(zero))), with(("x", good["y"] ?? .null)), with(("crv", "P-384")),
            with(("crv", "secp256k1")), with(("use", "enc")), with(("alg", "RS256")), with(("alg", "none")),
            with(("kty", "oct"), ("k", "AAAA")), with(("kid", 5)), with(("x", "!")), with(("key_ops", ["sign"])),
            ["kty": "RSA", "n": .string(Base64URL.text([UInt8](repeating: 0xFF, count: 128))), "e": "AQAB"],
            ["kty": "RSA", "n": .string(Base64URL.text([UInt8](repeating: 0xFF, count: 2_048))), "e": "AQAB"],
            ["kty": "RSA", "n": .string(Base64URL.text([UInt8](repeating: 0xFF, count: 256))), "e": "AQ"],
            [
                "kty": "RSA", "n": .string(Base64URL.text([UInt8](repeating: 0xFF, count: 256))),
                "e": .string(Base64URL.text([UInt8](repeating: 0xFF, count: 64))),
            ],
            ["kty": "OKP", "crv": "Ed25519", "x": "AAAA"], ["kty": "OKP", "crv": "X25519", "x": .string(zero)], [:], [],
        ] as [JSONValue] { #expect(VerificationKey(bad) == nil, "\(bad)") }
        let set = VerificationKeySet(["keys": [good, ["kty": "new"], "x"]])
        #expect(set?.keys.count == 1, "what is not known is left out")
        #expect(VerificationKeySet(["keys": "x"]) == nil && VerificationKeySet([:]) == nil)
    }

    @Test(
        "Whatever byte of a token is changed, it is refused, and nothing crashes",
        arguments: [SignatureAlgorithm.es256, .rs256, .edDSA])
    func mutations(algorithm: SignatureAlgorithm) throws {
        let seed = randomSeed()
        var numbers = SeededNumbers(seed: seed)
        let (key, keys) = try Self.key(algorithm)
        let text = Array(try key.sign([.init("sub", "ada"), .init("exp", 4_000_000_000)], type: "JWT").utf8)
        for _ in 0..<2_000 {
            var bytes = text
            for _ in 0...Int.random(in: 0..<3, using: &numbers) {
                bytes[Int.random(in: 0..<bytes.count, using: &numbers)] = UInt8.random(in: 0x20...0x7E, using: &numbers)
            }
            guard bytes != text else { continue }
            #expect(!Self.isTaken(String(decoding: bytes, as: UTF8.self), keys), "seed \(seed)")
        }
    }
}
