import Foundation
import RosterCrypto
import RosterText
import Testing

import RosterSignIn

@Suite("Tokens are known for what they are; unknown names cost what known ones do")
struct TokenAndDummyTests {
    @Test("A token has the form that scanners look for, and its digest is what is stored")
    func tokens() throws {
        var seen: Set<String> = []
        for _ in 0..<200 {
            let (text, digest) = try APIToken.make()
            #expect(text.utf8.count == 56 && text.contains(#/^roster_[A-Za-z0-9_-]{49}$/#))
            #expect(APIToken.digest(of: text) == digest)
            #expect(try digest == SHA256.hex(text))
            #expect(seen.insert(text).inserted)
        }
    }

    @Test("Every character counts: with any other, longer or shorter, it is no token")
    func changedTokens() throws {
        let (text, _) = try APIToken.make()
        for index in text.indices {
            var changed = text
            changed.replaceSubrange(index...index, with: text[index] == "A" ? "B" : "A")
            #expect(APIToken.digest(of: changed) == nil, "\(changed)")
        }
        for other in ["", "roster_", text + "A", String(text.dropLast()), " " + text.dropFirst(), text.uppercased()] {
            #expect(APIToken.digest(of: other) == nil)
        }
        #expect(APIToken.digest(of: "roster_" + String(repeating: "é", count: 24) + "A") == nil)
    }

    @Test("A known vector: 32 zero bytes")
    func vector() throws {
        let body = "roster_" + String(repeating: "A", count: 43)
        let checksum = Base64URL.text(Array(try SHA256.digest(Array(body.utf8)).prefix(4)))
        #expect(checksum == "sQQGDA")
        #expect(
            APIToken.digest(of: body + checksum) == "810c4f7b5be832efcf371000b72c300425669f2d8ad08ed9c9db6e6bf2fd4ebd")
    }

    @Test("The dummy is nobody's password, and finds out what is right all the same")
    func dummy() throws {
        let dummy = try DummyHash(PasswordHashTests.cheap)
        let own = try PasswordHash.make("secret99", PasswordHashTests.cheap)
        let foreign = try PasswordHash(PasswordHashTests.made[2])
        #expect(try dummy.match("secret99", against: nil) == nil)
        #expect(try dummy.match("secret99", against: own) != nil)
        #expect(try dummy.match("secret98", against: own) == nil)
        #expect(try dummy.match(PasswordHashTests.password, against: foreign) != nil)
        #expect(try dummy.match("secret99", against: foreign) == nil)
        for stored in [nil, own, foreign] {
            #expect(try dummy.match("", against: stored) == nil)
            #expect(throws: PasswordProblem.tooLong(maximumBytes: 1_024)) {
                try dummy.match(String(repeating: "a", count: 1_025), against: stored)
            }
        }
    }
}
