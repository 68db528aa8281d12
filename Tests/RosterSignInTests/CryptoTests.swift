import Foundation
import RosterText
import Testing

@testable import RosterCrypto
@testable import RosterSignIn

@Suite("Cryptography comes from libcrypto and agrees with the published vectors")
struct CryptoTests {
    static func key(
        _ password: String, _ salt: String, _ iterations: Int, _ algorithm: DigestAlgorithm, _ length: Int
    ) throws -> String {
        Hexadecimal.text(
            try password.withUTF8Bytes {
                try PBKDF2.key(
                    password: $0, salt: Array(salt.utf8), iterations: iterations, algorithm: algorithm, length: length)
            })
    }

    static func scrypt(_ password: String, _ salt: String, _ logN: Int, _ r: Int, _ p: Int) throws -> String {
        Hexadecimal.text(
            try password.withUTF8Bytes {
                try Scrypt.key(password: $0, salt: Array(salt.utf8), logN: logN, r: r, p: p, length: 64)
            })
    }

    @Test("SHA-256 agrees with FIPS 180")
    func sha256() throws {
        #expect(try SHA256.hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(try SHA256.hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(try SHA256.digest(Data("abc".utf8)).count == 32)
    }

    @Test("HMAC agrees with RFC 4231, with an empty key too, and a context forgets the message before")
    func hmac() throws {
        let first = try HMACSHA256.code(for: Array("Hi There".utf8), key: [UInt8](repeating: 0x0B, count: 20))
        #expect(Hexadecimal.text(first) == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
        let second = try HMACSHA256.code(for: Data("what do ya want for nothing?".utf8), key: Data("Jefe".utf8))
        #expect(Hexadecimal.text(second) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        let third = try HMACSHA256.code(
            for: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            key: [UInt8](repeating: 0xAA, count: 131))
        #expect(Hexadecimal.text(third) == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
        let none = try HMACSHA256.code(for: [UInt8](), key: [UInt8]())
        #expect(Hexadecimal.text(none) == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")

        let context = try Array("Jefe".utf8).withUnsafeBytes { try HMACSHA256Context(key: $0) }
        for _ in 0..<3 {
            for part in ["what do ya want ", "", "for nothing?"] { try part.withUTF8Bytes { try context.add($0) } }
            #expect(try context.finish().bytes == second)
        }
        try context.add(lengthAndText: "left behind")
        try context.reset()
        try "what do ya want for nothing?".withUTF8Bytes { try context.add($0) }
        #expect(try context.finish().bytes == second)
    }

    @Test("PBKDF2 agrees with RFC 6070 and RFC 7914")
    func pbkdf2() throws {
        #expect(try Self.key("password", "salt", 1, .sha1, 20) == "0c60c80f961f0e71f3a9b524af6012062fe037a6")
        #expect(try Self.key("password", "salt", 2, .sha1, 20) == "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957")
        #expect(try Self.key("password", "salt", 4_096, .sha1, 20) == "4b007901b765489abead49d926f721d065a429c1")
        #expect(
            try Self.key("passwordPASSWORDpassword", "saltSALTsaltSALTsaltSALTsaltSALTsalt", 4_096, .sha1, 25)
                == "3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038")
        #expect(try Self.key("pass\0word", "sa\0lt", 4_096, .sha1, 16) == "56fa6aa75548099dcc37d7f03425e0c3")
        #expect(
            try Self.key("passwd", "salt", 1, .sha256, 64)
                == "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
                + "49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783")
        #expect(throws: CryptoFailure.self) { try Self.key("password", "salt", 0, .sha1, 20) }
    }

    @Test("scrypt agrees with RFC 7914, and the function by name with it")
    func scrypt() throws {
        #expect(
            try Self.scrypt("", "", 4, 1, 1)
                == "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
                + "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906")
        let second =
            "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
            + "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
        #expect(try Self.scrypt("password", "NaCl", 10, 8, 16) == second)
        #expect(
            try Self.scrypt("pleaseletmein", "SodiumChloride", 14, 8, 1)
                == "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
                + "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887")
        let named = try "password".withUTF8Bytes {
            try NamedDerivation.key(
                "SCRYPT", password: $0, salt: Array("NaCl".utf8), numbers: [("n", 1_024), ("r", 8), ("p", 16)],
                length: 64)
        }
        #expect(Hexadecimal.text(named) == second)
        #expect(!NamedDerivation.isAvailable("NO-SUCH-FUNCTION"))
        #expect(throws: CryptoFailure.self) { try Self.scrypt("password", "NaCl", 0, 8, 1) }
        #expect(throws: CryptoFailure.self) { try Self.scrypt("password", "NaCl", 25, 8, 1) }
    }

    @Test("Random bytes are as many as asked for, and different each time")
    func random() throws {
        #expect(try SecureRandom.bytes(0).isEmpty)
        let drawn = try (0..<200).map { _ in try SecureRandom.bytes(16) }
        #expect(Set(drawn).count == 200 && drawn.allSatisfy { $0.count == 16 })
        for count in [-1, 1_048_577] { #expect(throws: CryptoFailure.self) { try SecureRandom.bytes(count) } }
    }

    @Test("Equal is equal, and nothing else is")
    func equality() {
        #expect(constantTimeEqual([UInt8](), [UInt8]()))
        #expect(constantTimeEqual("secret", "secret"))
        for other in ["", "secre", "secrets", "Secret", "secreT"] { #expect(!constantTimeEqual("secret", other)) }
        #expect(!constantTimeEqual("é", "e\u{301}"), "the bytes count, not the characters")
    }

    @Test("What is cleansed is zero")
    func cleansing() {
        var secret = Array("secret".utf8)
        cleanse(&secret)
        #expect(secret == [0, 0, 0, 0, 0, 0])
        var nothing: [UInt8] = []
        cleanse(&nothing)
        #expect(nothing.isEmpty)
    }

    @Test("Adapted base64 has a dot in place of the plus sign")
    func adaptedBase64() {
        #expect(PasswordScheme.adaptedBase64("8PHy.w") == [0xF0, 0xF1, 0xF2, 0xFB])
        #expect(PasswordScheme.adaptedBase64("8PHy+w") == nil)
    }
}
