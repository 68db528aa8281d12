import Foundation
import Testing

import RosterSignIn

@Suite("One-time passwords")
struct OneTimePasswordTests {
    @Test(
        "RFC 6238's table",
        arguments: [
            (59, "94287082"), (1_111_111_109, "07081804"), (1_111_111_111, "14050471"), (1_234_567_890, "89005924"),
            (2_000_000_000, "69279037"), (20_000_000_000, "65353130"),
        ] as [(Int64, String)])
    func table(time: Int64, code: String) throws {
        #expect(try OneTimePassword.code(Array("12345678901234567890".utf8), step: time / 30, digits: 8) == code)
    }

    @Test("A password is good in its step and the ones beside it, and never again once it or a later one was used")
    func steps() throws {
        let secret = Array("12345678901234567890".utf8)
        let now = Date(timeIntervalSince1970: 1_800_000_010)
        let step = Int64(1_800_000_010) / 30
        for offset in -3...3 as ClosedRange<Int64> {
            let code = try OneTimePassword.code(secret, step: step + offset)
            let found = try OneTimePassword.step(of: code, secret, now: now, lastUsed: 0)
            #expect(found == ((-1...1).contains(offset) ? step + offset : nil))
            #expect(try OneTimePassword.step(of: code, secret, now: now, lastUsed: step + 1) == nil)
        }
        for bad in ["", "000000000", "12345", "abcdef", "１２３４５６"] {
            #expect(try OneTimePassword.step(of: bad, secret, now: now, lastUsed: 0) == nil)
        }
    }

    @Test("Secrets are written as RFC 4648 says, and the address has what apps look for")
    func address() {
        for (text, expected) in [("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foobar", "MZXW6YTBOI")] {
            #expect(OneTimePassword.base32(Array(text.utf8)) == expected)
        }
        let address = OneTimePassword.address(Array("foobar".utf8), account: "ada & co", issuer: "id.example.com")
        #expect(
            address
                == "otpauth://totp/id.example.com:ada%20%26%20co?secret=MZXW6YTBOI&issuer=id.example.com&algorithm=SHA1&digits=6&period=30"
        )
    }
}
