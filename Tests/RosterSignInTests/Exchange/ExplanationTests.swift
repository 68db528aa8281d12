import Foundation
import RosterCrypto
import RosterOpenID
import RosterText
import Testing
import TestSupport

import RosterSignIn

@Suite("An administrator is told what was found in a token and what was expected", .timeLimit(.minutes(2)))
struct ExplanationTests {
    @Test("Of whom a token is and who is trusted; the feed shows neither")
    func unknownIssuer() async throws {
        func issuer(_ name: String) -> JSONValue {
            ["issuerName": .string(name), "certificateSubjectNames": ["CN=idp"]]
        }
        let many = (1...30).map { issuer("i\($0)") }
        try await IssuerPlace.with([
            "issuers": [issuer("https://a.example"), issuer("https://b.example")], "samlIssuers": [issuer("saml")],
        ]) { place in
            let slash = try await place.refusal(try place.token(["iss": "https://a.example/"]))
            #expect(slash.told.contains("\"https://a.example/\""))
            #expect(slash.told.contains("these are \"https://a.example\", \"https://b.example\"."))
            #expect(!slash.logged.contains("example"))
            #expect(try await place.refusal(try place.token(["iss": "saml"])).told.contains("the other list"))
            #expect(try await place.refusal(try place.token(["iss": 5])).told.contains("'iss' is 5"))
            #expect(
                try await place.refusal(try place.token(["iss": .string(IssuerPlace.base)])).told.contains("our own"))
            let nobody = try place.key.sign([.init("sub", "ada")], type: "JWT")
            #expect(try await place.refusal(nobody).told.contains("has no 'iss'"))
            let hostile = try await place.refusal(try place.token(["iss": "a\u{1B}[2J\u{202E}"])).told
            #expect(!hostile.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" })
            try place.write(["issuers": .array(many)])
            #expect(try await place.refusal(try place.token()).told.contains("\"i20\" and 10 more."))
            try place.write(["issuers": []])
            #expect(try await place.refusal(try place.token()).told.contains("'issuers': there are none."))
        }
    }

    @Test("Of its times and the time that it is")
    func times() async throws {
        try await IssuerPlace.with { place in
            let ended = try await place.refusal(try place.token(["exp": 1_799_999_000]))
            #expect(ended.told.contains("The token has ended ('exp')."))
            #expect(ended.told.contains("'exp' is 1799999000 (2027-01-15T07:43:20Z)"))
            #expect(ended.told.contains("now is 2027-01-15T08:00:00Z"))
            #expect(!ended.logged.contains("now is"))
            let early = try await place.refusal(try place.token(["nbf": 1_800_000_900]))
            #expect(early.told.contains("'nbf' is 1800000900 (2027-01-15T08:15:00Z)"))
            let milliseconds = try await place.refusal(try place.token(["exp": 1_800_000_900_000]))
            #expect(milliseconds.told.contains("'exp' is 1800000900000, now"))
        }
    }

    @Test("Of the certificates that are stored where none is the issuer's, or none is valid")
    func certificates() async throws {
        try await IssuerPlace.with(subject: nil) { place in
            let token = try place.token()
            #expect(try await place.refusal(token).told.contains("There is none at all."))
            let useless = place.certificates.appendingPathComponent("notes.txt")
            try Data("no certificate".utf8).write(to: useless)
            let noted = try await place.refusal(token).told
            #expect(noted.contains("These files have none whose key is accepted") && noted.contains("\"notes.txt\"."))
            try place.certify("/C=DE/O=Acme, Inc./CN=idp")
            let other = try await place.refusal(token)
            #expect(other.told.contains(#"No certificate of "CN=idp" is stored"#))
            #expect(other.told.contains(#"The subjects there are: "CN=idp,O=Acme\\, Inc.,C=DE"."#), "\(other.told)")
            #expect(!other.logged.contains("Acme"))
            try place.certify("/CN=idp", more: ["-days", "1"])
            let ended = try await place.refusal(token).told
            #expect(ended.hasPrefix("The certificates of the issuer are not valid now, at 2027-01-15T08:00:00Z"))
        }
    }

    @Test("Of why the key that a token names cannot be used")
    func keys() async throws {
        let server = try CannedServer()
        let issuer: JSONValue = [
            "issuerName": .string(IssuerPlace.issuer), "virtualUserEnabled": true,
            "jwks": ["jwksUri": .string("http://127.0.0.1:\(server.port)/keys"), "allowHttp": true],
        ]
        try await IssuerPlace.with(["issuers": [issuer]], subject: nil) { place in
            let good = place.key.publicKey
            func told(_ change: (inout JSONValue) -> Void) async throws -> String {
                var key = good
                key["kid"] = "k"
                change(&key)
                server.answer("/keys", ["keys": [key]])
                return try await place.refusal(try place.token(header: ["kid": "k"])).told
            }
            #expect(try await told { $0["use"] = "enc" }.contains("its 'use' is \"enc\", not for signatures"))
            #expect(try await told { $0["alg"] = "XX" }.contains("its 'alg' is \"XX\", which is not supported"))
            #expect(try await told { $0["alg"] = "RS256" }.contains("keys of another type"))
            #expect(try await told { $0["key_ops"] = ["sign"] }.contains("without 'verify'"))
            #expect(try await told { $0["crv"] = "secp256k1" }.contains("its 'crv' is \"secp256k1\""))
            #expect(try await told { $0["kty"] = "oct" }.contains("its 'kty' is \"oct\""))
            #expect(try await told { $0["x"] = nil }.contains("its 'x' is missing"))
            #expect(try await told { $0["x"] = $0["y"] ?? .null }.contains("none of a sound key"))
            let short = Base64URL.text([UInt8](repeating: 0xFF, count: 128))
            #expect(
                try await told { $0 = ["kty": "RSA", "kid": "k", "e": "AQAB", "n": .string(short)] }
                    == "The issuer's key of that 'kid' cannot be used: an RSA key of 1024 bits, which must have 2048 to 8192."
            )
            #expect(try await told { $0["kid"] = "other" } == "The issuer publishes no key of that 'kid'.")
            // Beside one without a name, which could be meant.
            var (unnamed, named) = (try SigningKey(generating: .es256).publicKey, good)
            unnamed["kid"] = nil
            (named["kid"], named["use"]) = ("k", "enc")
            server.answer("/keys", ["keys": [unnamed, named]])
            let both = try await place.refusal(try place.token(header: ["kid": "k"])).told
            #expect(
                both.hasPrefix("None of the issuer's keys made the signature. The issuer's key of that 'kid' cannot"))
        }
    }

    @Test("What is not signed and what is encrypted are called so, by whoever tells it")
    func forms() async throws {
        try await IssuerPlace.with { place in
            let payload = Base64URL.text(Array("{}".utf8))
            for name in ["none", "None"] {
                let text = Base64URL.text(Array(#"{"alg":"\#(name)"}"#.utf8)) + "." + payload + "."
                #expect(try await place.refusal(text).logged.contains("is not signed ('alg' is 'none')"))
                #expect(try await place.refusal(text + "AAAA").logged.contains("is not signed ('alg' is 'none')"))
            }
            let encrypted = Base64URL.text(Array(#"{"alg":"dir","enc":"A256GCM"}"#.utf8)) + "..AAAA.AAAA.AAAA"
            #expect(try await place.refusal(encrypted).logged.contains("is encrypted"))
            let cut = try place.token().split(separator: ".").prefix(2).joined(separator: ".") + "."
            #expect(try await place.refusal(cut).logged.contains("three parts"))
        }
    }
}
