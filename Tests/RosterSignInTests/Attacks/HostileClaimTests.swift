import Foundation
import Roster
import RosterCrypto
import RosterOpenID
import RosterText
import Testing
import TestSupport

import RosterSignIn

@Suite("Tokens whose form or times are made to deceive")
struct HostileClaimTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func problem(_ claims: JSONValue) -> String? {
        TokenTimes.problem(with: claims, now: Self.now, skew: 60)
    }

    @Test("Clocks may differ by a minute and no more, and every token has an end")
    func times() {
        let now: Int64 = 1_800_000_000
        #expect(problem(["exp": .integer(now + 1)]) == nil && problem(["exp": .integer(now - 59)]) == nil)
        #expect(problem(["exp": .integer(now - 60)]) != nil && problem([:]) != nil)
        for name in ["nbf", "iat"] {
            #expect(problem(["exp": .integer(now + 9), name: .integer(now + 60)]) == nil)
            #expect(problem(["exp": .integer(now + 9), name: .integer(now + 61)]) != nil)
        }
        #expect(problem(["exp": .decimal(1_800_000_000.5)]) == nil, "fractions are allowed (RFC 7519, section 2)")
    }

    @Test(
        "A time is a number of seconds that a calendar has",
        arguments: ["exp", "nbf", "iat"])
    func forms(name: String) throws {
        for text in [
            "\"1800000100\"", "\"2026-11-21T00:00:00Z\"", "null", "true", "[]", "[1800000100]", "{}", "-1", "-0.5",
            "1e300", "1e18", "253402300800", "9223372036854775807", "-9223372036854775808", "1800000100000000",
        ] {
            let claims = try JSONValue(strictly: Array(#"{"other":1,"\#(name)":\#(text)}"#.utf8))
            var all = claims
            if name != "exp" { all["exp"] = 1_800_000_100 }
            #expect(problem(all) != nil, "\(name): \(text)")
        }
        for text in [#"{"exp":1,"exp":1800000100}"#, #"{"exp":1800000100,"\u0065xp":1}"#] {
            #expect(throws: DirectoryError.self) { try JSONValue(strictly: Array(text.utf8)) }
        }
    }

    @Test(
        "What is encrypted, compressed or derived from a password is no token here, and costs nothing",
        arguments: [
            #"{"alg":"dir","enc":"A256GCM"}"#, #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256","zip":"DEF"}"#,
            #"{"alg":"PBES2-HS256+A128KW","enc":"A128GCM","p2c":2147483647,"p2s":"AAAA"}"#,
            #"{"alg":"ECDH-ES","enc":"A128GCM","epk":{"kty":"EC","crv":"P-256","x":"AAAA","y":"AAAA"}}"#,
            #"{"alg":"HS256","zip":"DEF"}"#, #"{"alg":"HS256","enc":"A256GCM"}"#,
        ])
    func encrypted(header: String) {
        let head = Base64URL.text(Array(header.utf8))
        let elapsed = processorTime {
            for text in [
                head + ".AAAA.AAAA.AAAA.AAAA", head + "..AAAA.AAAA.AAAA", head + ".e30.AAAA",
                head + "." + Base64URL.text([UInt8](repeating: 0, count: 40_000)) + ".AAAA",
            ] { #expect(throws: JSONWebToken.Problem.self) { try JSONWebToken(text) } }
        }
        #expect(elapsed < .seconds(1), "\(elapsed)")
    }

    @Test("Deep nesting and many members in a token are refused or read soon")
    func large() {
        let elapsed = processorTime {
            for payload in [
                String(repeating: "[", count: 30_000), #"{"a":"# + String(repeating: "[", count: 20_000),
                String(repeating: #"{"a":"#, count: 8_000) + "1" + String(repeating: "}", count: 8_000),
            ] {
                for part in 0..<2 {
                    let good = Base64URL.text(Array(#"{"alg":"ES256"}"#.utf8))
                    let bad = Base64URL.text(Array(payload.utf8))
                    let text = part == 0 ? "\(bad).e30.AAAA" : "\(good).\(bad).AAAA"
                    #expect(throws: JSONWebToken.Problem.self) { try JSONWebToken(text) }
                }
            }
            let many = "{" + (0..<4_000).map { "\"a\($0)\":1" }.joined(separator: ",") + "}"
            _ = try? JSONWebToken("e30." + Base64URL.text(Array(many.utf8)) + ".AAAA")
        }
        #expect(elapsed < .seconds(2), "\(elapsed)")
    }
}
