import Foundation
import RosterClient
import RosterMobileSDK
import ServiceTestSupport
import TestSupport
import Testing

@Suite("Ciphers of the crypto service")
struct CipherTests {
    private let data = Data("Attack at dawn, or a little later.".utf8)

    private func key(_ length: Int) -> Data { Data((0..<length).map { UInt8($0 * 7 % 251 + 1) }) }

    @Test("GCM brings data back with the same key and context only", arguments: [16, 24, 32])
    func gcm(length: Int) throws {
        let key = try CryptoService.key(length: length)
        for data in [data, Data()] {
            let sealed = try CryptoService.encrypt(data, key: key, context: "letters")
            #expect(sealed.count == data.count + 28)
            #expect(try CryptoService.encrypt(data, key: key, context: "letters") != sealed)
            #expect(try CryptoService.decrypt(sealed, key: key, context: "letters") == data)
            #expect(clientCode { _ = try CryptoService.decrypt(sealed, key: key) } == .decryptionFailed)
            let other = try CryptoService.key(length: length)
            #expect(
                clientCode { _ = try CryptoService.decrypt(sealed, key: other, context: "letters") }
                    == .decryptionFailed)
            for index in sealed.indices {
                var altered = sealed
                altered[index] ^= 1
                #expect(
                    clientCode { _ = try CryptoService.decrypt(altered, key: key, context: "letters") }
                        == .decryptionFailed)
            }
            #expect(
                clientCode { _ = try CryptoService.decrypt(sealed.prefix(27), key: key) } == .decryptionFailed)
        }
    }

    @Test("A known answer of GCM decrypts (NIST's test case 14)")
    func knownAnswer() throws {
        let sealed =
            Data(repeating: 0, count: 12) + bytes("cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919")
        #expect(
            try CryptoService.decrypt(sealed, key: Data(repeating: 0, count: 32)) == Data(repeating: 0, count: 16)
        )
    }

    private func bytes(_ hex: String) -> Data {
        Data(stride(from: 0, to: hex.count, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) })
    }

    @Test("openssl reads CBC, and the service reads openssl's", arguments: [16, 24, 32])
    func cbc(length: Int) throws {
        try withFolder { folder in
            let (key, iv) = (key(length), Data(key(16).reversed()))
            let options = "enc -aes-\(length * 8)-cbc -K \(hex(key)) -iv \(hex(iv))"
            let sealed = try CryptoService.encrypt(data, key: key, mode: .cbc(iv: iv))
            #expect(try OpenSSL.run(options + " -d -in in", in: folder, files: ["in": sealed]) == data)
            #expect(try OpenSSL.run(options + " -in in", in: folder, files: ["in": data]) == sealed)
            #expect(try CryptoService.decrypt(sealed, key: key, mode: .cbc(iv: iv)) == data)
            let blocks = data.prefix(32)
            let bare = try CryptoService.encrypt(blocks, key: key, mode: .cbc(iv: iv, padding: .none))
            #expect(try OpenSSL.run(options + " -nopad -in in", in: folder, files: ["in": blocks]) == bare)
            #expect(try CryptoService.decrypt(bare, key: key, mode: .cbc(iv: iv, padding: .none)) == blocks)
        }
    }

    @Test(
        "Insecure ciphers read what openssl wrote, and openssl reads what they write",
        arguments: [
            ("aes-128-ecb", InsecureCipher(.aes, mode: .ecb), 16),
            ("aes-256-ecb", InsecureCipher(.aes, mode: .ecb), 32),
            ("aes-192-cbc", InsecureCipher(.aes), 24), ("des-ede3-cbc", InsecureCipher(.tripleDES), 24),
            ("des-ede3", InsecureCipher(.tripleDES, mode: .ecb), 24),
            ("des-cbc -provider legacy -provider default", InsecureCipher(.des), 8),
            ("des-ecb -provider legacy -provider default", InsecureCipher(.des, mode: .ecb), 8),
            (
                "des-cbc -provider legacy -provider default",
                InsecureCipher(.des, mode: .cbc(iv: Data(1...8))), 8
            ),
        ])
    func insecure(name: String, cipher: InsecureCipher, length: Int) throws {
        try withFolder { folder in
            let key = key(length)
            var options = "enc -\(name) -K \(hex(key))"
            switch cipher.mode {
            case .cbc(let iv):
                options += " -iv \(hex(iv ?? Data(repeating: 0, count: cipher.algorithm == .aes ? 16 : 8)))"
            case .ecb: break
            }
            let sealed = try OpenSSL.run(options + " -in in", in: folder, files: ["in": data])
            #expect(try CryptoService.decrypt(sealed, key: key, insecure: cipher) == data)
            #expect(try weak.encrypt(data, key: key, insecure: cipher) == sealed)
            let text = try weak.encryptText(data, key: key, insecure: cipher, isPrefixed: true)
            #expect(text == "{\(cipher.algorithm.rawValue)}" + sealed.base64EncodedString())
            #expect(try CryptoService.decrypt(text: text, key: key, insecure: cipher) == data)
            #expect(
                clientCode { _ = try CryptoService.decrypt(sealed.dropLast(), key: key, insecure: cipher) }
                    == .decryptionFailed)
        }
    }

    @Test("Text has the name of the cipher, or none, and another name is refused")
    func texts() throws {
        let (key, iv) = (key(16), key(16))
        let text = try CryptoService.encryptText(data, key: key)
        #expect(text.hasPrefix("{AES-GCM}"))
        #expect(try CryptoService.decrypt(text: text, key: key) == data)
        let bare = try CryptoService.encryptText(data, key: key, isPrefixed: false)
        #expect(Data(base64Encoded: bare) != nil)
        #expect(try CryptoService.decrypt(text: bare, key: key) == data)
        let chained = try CryptoService.encryptText(data, key: key, mode: .cbc(iv: iv))
        #expect(chained.hasPrefix("{AES}"))
        #expect(try CryptoService.decrypt(text: chained, key: key, mode: .cbc(iv: iv)) == data)
        for text in [chained, "{", "{AES-GCM", "{aes-gcm}AAAA", "{AES-GCM}!", "{AES-GCM}AAA", "\u{0}"] {
            #expect(clientCode { _ = try CryptoService.decrypt(text: text, key: key) } == .invalidInput, "\(text)")
        }
        #expect(clientCode { _ = try CryptoService.decrypt(text: "", key: key) } == .decryptionFailed)
    }

    @Test("Keys, vectors and data of the wrong length are refused")
    func lengths() {
        for length in [0, 1, 8, 15, 17, 31, 33, 64] {
            #expect(clientCode { _ = try CryptoService.encrypt(data, key: key(length)) } == .invalidInput)
            #expect(clientCode { _ = try CryptoService.decrypt(data, key: key(length)) } == .invalidInput)
            #expect(
                clientCode {
                    _ = try CryptoService.decrypt(data, key: key(length), insecure: InsecureCipher(.tripleDES))
                }
                    == .invalidInput)
        }
        for length in [0, 8, 15, 17] {
            #expect(
                clientCode { _ = try CryptoService.encrypt(data, key: key(16), mode: .cbc(iv: key(length))) }
                    == .invalidInput)
        }
        #expect(
            clientCode { _ = try CryptoService.encrypt(data, key: key(16), mode: .cbc(iv: key(16), padding: .none)) }
                == .invalidInput)
        #expect(
            clientCode { _ = try CryptoService.encrypt(data, key: key(16), mode: .cbc(iv: key(16)), context: "c") }
                == .invalidInput)
        for length in [-1, 0, 8, 15, 1_025, Int.max] {
            #expect(clientCode { _ = try CryptoService.key(length: length) } == .invalidInput)
        }
    }

    @Test("Random bytes as encrypted data never trap, with any cipher")
    func noise() {
        var numbers = SeededNumbers(seed: randomSeed())
        for _ in 0..<500 {
            let data = (0..<Int.random(in: 0..<80, using: &numbers)).map { _ in
                UInt8.random(in: 0...255, using: &numbers)
            }
            for algorithm in InsecureCipher.Algorithm.allCases {
                let key = key(algorithm == .des ? 8 : 24)
                _ = try? CryptoService.decrypt(data, key: key, insecure: InsecureCipher(algorithm, mode: .ecb))
                _ = try? CryptoService.decrypt(data, key: key, insecure: InsecureCipher(algorithm, padding: .none))
            }
            #expect(clientCode { _ = try CryptoService.decrypt(data, key: key(32)) } == .decryptionFailed)
        }
    }
}
