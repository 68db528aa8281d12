import Foundation
import RosterClient
import RosterMobileSDK
import ServiceTestSupport
import TestSupport
import Testing

@Suite("Hashes of the crypto service")
struct HashTests {
    private let data = Data("The quick brown fox".utf8)
    private let salt = Data("pepper".utf8)

    @Test("openssl computes the same hashes", arguments: HashAlgorithm.allCases)
    func hashes(algorithm: HashAlgorithm) throws {
        try withFolder { folder in
            let made = try CryptoService.hash(data, with: algorithm, salt: salt, isSaltAppended: true)
            let expected = try OpenSSL.run(
                "dgst -\(algorithm.rawValue.lowercased()) -binary data", in: folder, files: ["data": data + salt])
            #expect(made == expected + salt)
            #expect(try CryptoService.hash(Data(), with: algorithm).count == expected.count)
        }
    }

    @Test(
        "openssl computes the same insecure hashes", arguments: [(InsecureHashAlgorithm.md5, "md5"), (.sha1, "sha1")])
    func insecureHashes(algorithm: InsecureHashAlgorithm, name: String) throws {
        try withFolder { folder in
            let expected = try OpenSSL.run("dgst -\(name) -binary data", in: folder, files: ["data": data])
            #expect(try weak.hash(data, insecure: algorithm, salt: Data(), isSaltAppended: false) == expected)
            #expect(try CryptoService.verify(data, hash: expected, insecure: algorithm))
            #expect(try !CryptoService.verify(salt, hash: expected, insecure: algorithm))
        }
    }

    @Test(
        "A hash as text has its name, and a new salt of the given length each time", arguments: HashAlgorithm.allCases)
    func texts(algorithm: HashAlgorithm) throws {
        let text = try CryptoService.hashText(data, with: algorithm, saltBits: 64)
        #expect(text.hasPrefix("{S\(algorithm.rawValue)}"))
        #expect(try text != CryptoService.hashText(data, with: algorithm, saltBits: 64))
        #expect(try CryptoService.verify(data, hashText: text))
        #expect(try !CryptoService.verify(data + [0], hashText: text))
        let plain = try CryptoService.hashText(data, with: algorithm, saltBits: 64, isPrefixed: false)
        let length = try CryptoService.hash(Data(), with: algorithm).count
        #expect(Data(base64Encoded: plain)?.count == length + 8)
        #expect(try CryptoService.verify(data, hashText: plain, with: algorithm))
        #expect(try CryptoService.hashText(data, with: algorithm, saltBits: 0).hasPrefix("{\(algorithm.rawValue)}"))
    }

    @Test(
        "Hashes of other programs verify under every name of their function",
        arguments: [
            "{SHA}", "{SHA-1}", "{sha1}", "{SSHA}", "{SSHA1}", "{SaltedSHA-1}", "{MD5}", "{SMD5}", "{SaltedMD5}",
            "{SHA-224}",
            "{SSHA224}", "{SHA256}", "{SHA-256}", "{SSHA256}", "{SaltedSHA-256}", "{SHA-384}", "{SaltedSHA-384}",
            "{SHA512}",
            "{SSHA512}", "{SaltedSHA-512}", "{ssha512}",
        ])
    func names(name: String) throws {
        try withFolder { folder in
            let isSalted =
                name.lowercased().hasPrefix("{ss") || name.lowercased().hasPrefix("{sm") || name.contains("Salted")
            // Oracle's SDK writes salts as hexadecimal digits.
            let salt = isSalted ? Data("0AF3".utf8) : Data()
            let function =
                name.contains("MD5")
                ? "md5" : ["224", "256", "384", "512"].first { name.contains($0) }.map { "sha" + $0 } ?? "sha1"
            let hash = try OpenSSL.run("dgst -\(function) -binary data", in: folder, files: ["data": data + salt])
            let text = name + (hash + salt).base64EncodedString()
            #expect(try CryptoService.verify(data, hashText: text))
            #expect(try !CryptoService.verify(salt, hashText: text))
            let wrong = name + (hash + (isSalted ? Data() : Data("0AF3".utf8))).base64EncodedString()
            #expect(clientCode { _ = try CryptoService.verify(data, hashText: wrong) } == .invalidInput)
        }
    }

    @Test("Insecure hashes are written under the names that LDAP servers know")
    func insecureTexts() throws {
        for (algorithm, name) in [(InsecureHashAlgorithm.md5, "MD5}"), (.sha1, "SHA}")] {
            let salted = try weak.hashText(data, insecure: algorithm, saltBits: 32, isPrefixed: true)
            let plain = try weak.hashText(data, insecure: algorithm, saltBits: 0, isPrefixed: true)
            #expect(salted.hasPrefix("{S" + name) && plain.hasPrefix("{" + name))
            #expect(try CryptoService.verify(data, hashText: salted) && CryptoService.verify(data, hashText: plain))
            let bare = try weak.hashText(data, insecure: algorithm, saltBits: 32, isPrefixed: false)
            #expect(try CryptoService.verify(data, hashText: bare, insecure: algorithm))
        }
    }

    @Test(
        "What is no hash is an error, and not merely a wrong hash",
        arguments: [
            "", "{", "{}", "{SHA256", "SHA256}AAAA", "{SHA3}AAAA", "{SHA256}", "{SHA256}AAAA", "{SHA256}!!!!",
            "{SSHA256}" + String(repeating: "A", count: 5_000), "{AES}AAAA", "{SSSHA}AAAA", "{\u{1F4A9}}AAAA", "}{",
        ])
    func malformed(text: String) {
        #expect(clientCode { _ = try CryptoService.verify(data, hashText: text) } == .invalidInput)
    }

    @Test("A salt that bytes cannot hold is refused", arguments: [-8, 0, 4, 12, 20, 1_032, Int.max, Int.min])
    func salts(bits: Int) throws {
        #expect(clientCode { _ = try CryptoService.salt(bits: bits) } == .invalidInput)
        if bits != 0 { #expect(clientCode { _ = try CryptoService.hashText(data, saltBits: bits) } == .invalidInput) }
    }

    @Test("A salt that was kept elsewhere is used for checking")
    func separateSalt() throws {
        let salt = try CryptoService.salt(bits: 24)
        #expect(salt.count == 3)
        let hash = try CryptoService.hash(data, with: .sha256, salt: salt)
        #expect(try CryptoService.verify(data, hash: hash, with: .sha256, salt: salt))
        #expect(try !CryptoService.verify(data, hash: hash, with: .sha256))
        #expect(
            clientCode { _ = try CryptoService.verify(data, hash: hash + salt, with: .sha256, salt: salt) }
                == .invalidInput)
        #expect(clientCode { _ = try CryptoService.verify(data, hash: Data(), with: .sha256) } == .invalidInput)
    }

    @Test("openssl computes the same authentication codes", arguments: HashAlgorithm.allCases)
    func authenticationCodes(algorithm: HashAlgorithm) throws {
        try withFolder { folder in
            for key in [Data("k".utf8), Data(repeating: 7, count: 200)] {
                let expected = try OpenSSL.run(
                    "dgst -\(algorithm.rawValue.lowercased()) -binary -mac HMAC -macopt hexkey:\(hex(key)) data",
                    in: folder,
                    files: ["data": data])
                #expect(try CryptoService.authenticationCode(for: data, key: key, with: algorithm) == expected)
                #expect(
                    try CryptoService.verify(authenticationCode: expected, of: data, key: key, with: algorithm))
                #expect(
                    try !CryptoService.verify(authenticationCode: expected, of: salt, key: key, with: algorithm))
            }
        }
    }

    @Test("RFC 2202's codes, and the code with an empty key, are right")
    func insecureAuthenticationCodes() throws {
        let key = Data(repeating: 0x0b, count: 20)
        let message = Data("Hi There".utf8)
        let code = try weak.authenticationCode(for: message, key: key, insecure: .sha1)
        #expect(hex(code) == "b617318655057264e28bc0b6fb378c8ef146be00")
        let md5 = try weak.authenticationCode(for: message, key: key.prefix(16), insecure: .md5)
        #expect(hex(md5) == "9294727a3638bb1c13f48ef8158bfc9d")
        #expect(try CryptoService.verify(authenticationCode: code, of: message, key: key, insecure: .sha1))
        #expect(
            hex(try CryptoService.authenticationCode(for: Data(), key: Data()))
                == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    }
}
