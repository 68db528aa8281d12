import Foundation
import RosterClient
import RosterMobileSDK
import RosterSecrets
import ServiceTestSupport
import TestSupport
import Testing

@Suite("Key pairs in the secure store")
struct KeyPairTests {
    private let data = Data("a message to sign".utf8)

    private func withPairs(_ body: (KeyPairs, URL) throws -> Void) throws {
        try withFolder { folder in
            let store = try SecureStore(
                file: folder.appendingPathComponent("secrets"), key: .keyFile(folder.appendingPathComponent("key")))
            try body(KeyPairs(store), folder)
        }
    }

    @Test(
        "openssl verifies signatures of RSA, and only of the signed data",
        arguments: [
            (SignatureScheme.rsaPKCS1(.sha256), "-sha256"), (.rsaPKCS1(.sha512), "-sha512"),
            (.rsaPSS(.sha256), "-sha256 -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:digest"),
            (.rsaPSS(.sha384), "-sha384 -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:digest"),
        ])
    func rsaSignatures(scheme: SignatureScheme, options: String) throws {
        try withPairs { pairs, folder in
            let key = try pairs.generate(.rsa(bits: 2_048), tag: "t")
            let signature = try pairs.sign(data, with: "t", scheme: scheme)
            #expect(try key.verify(signature, of: data, scheme: scheme))
            #expect(try !key.verify(signature, of: data + [0], scheme: scheme))
            #expect(try !key.verify(Data(), of: data, scheme: scheme))
            let files = ["key.pem": Data(key.pem.utf8), "data": data, "signature": signature]
            try OpenSSL.run("dgst \(options) -verify key.pem -signature signature data", in: folder, files: files)
        }
    }

    @Test("Signatures of P-256 go both ways between openssl and the service")
    func curve() throws {
        try withPairs { pairs, folder in
            let key = try pairs.generate(.p256, tag: "t")
            let signature = try pairs.sign(data, with: "t", scheme: .ecdsa(.sha256))
            let files = ["key.pem": Data(key.pem.utf8), "data": data, "signature": signature]
            try OpenSSL.run("dgst -sha256 -verify key.pem -signature signature data", in: folder, files: files)
            try OpenSSL.run("ecparam -name prime256v1 -genkey -noout -out own.pem", in: folder)
            try OpenSSL.run("pkey -in own.pem -pubout -out own.pub", in: folder)
            let theirs = try OpenSSL.run("dgst -sha256 -sign own.pem data", in: folder)
            let own = try PublicKey(pem: String(decoding: OpenSSL.bytes("own.pub", in: folder), as: UTF8.self))
            #expect(try own.verify(theirs, of: data, scheme: .ecdsa(.sha256)))
            #expect(try !key.verify(theirs, of: data, scheme: .ecdsa(.sha256)))
            #expect(try !own.verify(theirs, of: data, scheme: .ecdsa(.sha384)))
        }
    }

    @Test("openssl unwraps what the service wraps, and the other way round")
    func wrapping() throws {
        try withPairs { pairs, folder in
            let secret = try CryptoService.key()
            let key = try pairs.generate(.rsa(bits: 2_048), tag: "t")
            #expect(try pairs.unwrap(key.wrap(secret), with: "t") == secret)
            #expect(try pairs.unwrap(key.wrap(Data()), with: "t") == Data())
            let options = "-pkeyopt rsa_padding_mode:oaep -pkeyopt rsa_oaep_md:sha256 -pkeyopt rsa_mgf1_md:sha256"
            let theirs = try OpenSSL.run(
                "pkeyutl -encrypt -pubin -inkey key.pem -in secret \(options)", in: folder,
                files: ["key.pem": Data(key.pem.utf8), "secret": secret])
            #expect(try pairs.unwrap(theirs, with: "t") == secret)
            #expect(clientCode { _ = try pairs.unwrap(theirs, with: "t", scheme: .oaep(.sha512)) } == .decryptionFailed)
            #expect(clientCode { _ = try pairs.unwrap(Data([1, 2, 3]), with: "t") } == .decryptionFailed)
            try OpenSSL.run("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out own.pem", in: folder)
            try OpenSSL.run("pkey -in own.pem -pubout -out own.pub", in: folder)
            let own = try PublicKey(pem: String(decoding: OpenSSL.bytes("own.pub", in: folder), as: UTF8.self))
            let ours = try own.wrap(secret)
            #expect(
                try OpenSSL.run(
                    "pkeyutl -decrypt -inkey own.pem -in ours \(options)", in: folder, files: ["ours": ours])
                    == secret)
            #expect(clientCode { _ = try own.wrap(Data(repeating: 0, count: 191)) } == .invalidInput)
            #expect(try own.wrap(Data(repeating: 0, count: 190)).count == 256)
        }
    }

    @Test("Insecure ways of wrapping and signing still work with openssl")
    func insecureWays() throws {
        try withPairs { pairs, folder in
            let (secret, weakPairs) = (try CryptoService.key(length: 16), pairs as any WeakKeyPairs)
            let key = try pairs.generate(.rsa(bits: 2_048), tag: "t")
            for (scheme, mode) in [(InsecureWrapScheme.pkcs1, "pkcs1"), (.oaepSHA1, "oaep")] {
                let theirs = try OpenSSL.run(
                    "pkeyutl -encrypt -pubin -inkey key.pem -in secret -pkeyopt rsa_padding_mode:\(mode)", in: folder,
                    files: ["key.pem": Data(key.pem.utf8), "secret": secret])
                #expect(try pairs.unwrap(theirs, with: "t", insecure: scheme) == secret)
                #expect(
                    try pairs.unwrap(
                        (key as any WeakWrapping).wrap(secret, insecure: scheme), with: "t", insecure: scheme)
                        == secret)
            }
            let signature = try weakPairs.sign(data, with: "t", insecure: .rsaPKCS1SHA1)
            #expect(try key.verify(signature, of: data, insecure: .rsaPKCS1SHA1))
            #expect(try !key.verify(signature, of: Data(), insecure: .rsaPKCS1SHA1))
            try OpenSSL.run(
                "dgst -sha1 -verify key.pem -signature signature data", in: folder,
                files: ["signature": signature, "data": data])
        }
    }

    @Test("A public key is exported as openssl writes it, and read again")
    func export() throws {
        try withPairs { pairs, folder in
            let rsa = try pairs.generate(.rsa(bits: 3_072), tag: "rsa")
            let curve = try pairs.generate(.p256, tag: "curve")
            for key in [rsa, curve] {
                let written = try OpenSSL.run(
                    "pkey -pubin -in key.pem -pubout", in: folder, files: ["key.pem": Data(key.pem.utf8)])
                #expect(String(decoding: written, as: UTF8.self) == key.pem)
                #expect(try PublicKey(pem: key.pem) == key && PublicKey(info: key.info) == key)
            }
            let raw = try OpenSSL.run(
                "rsa -pubin -in key.pem -RSAPublicKey_out -outform DER", in: folder,
                files: ["key.pem": Data(rsa.pem.utf8)])
            #expect(rsa.raw == raw)
            #expect(curve.raw.count == 65 && curve.raw.first == 4)
            #expect(try pairs.publicKey("rsa") == rsa)
        }
    }

    @Test("Tags are used once, kept apart and gone after deleting")
    func tags() throws {
        try withPairs { pairs, _ in
            let key = try pairs.generate(.p256, tag: "a")
            #expect(clientCode { _ = try pairs.generate(.p256, tag: "a") } == .alreadyExists)
            #expect(try pairs.publicKey("a") == key)
            #expect(try pairs.generate(.p256, tag: "b") != key)
            #expect(try pairs.tags() == ["a", "b"])
            try pairs.delete("a")
            try pairs.delete("a")
            #expect(try pairs.tags() == ["b"])
            #expect(clientCode { _ = try pairs.publicKey("a") } == .notFound)
            #expect(clientCode { _ = try pairs.sign(data, with: "a", scheme: .ecdsa(.sha256)) } == .notFound)
            #expect(clientCode { _ = try pairs.unwrap(Data(), with: "a") } == .notFound)
        }
    }

    @Test("Sizes out of bounds, and schemes for the other kind of key, are refused")
    func misuse() throws {
        try withPairs { pairs, folder in
            for bits in [0, 512, 1_024, 2_047, 2_049, 8_200, Int.max, Int.min] {
                #expect(clientCode { _ = try pairs.generate(.rsa(bits: bits), tag: "t") } == .invalidInput)
            }
            let key = try pairs.generate(.p256, tag: "t")
            #expect(clientCode { _ = try pairs.sign(data, with: "t", scheme: .rsaPSS(.sha256)) } == .invalidInput)
            #expect(clientCode { _ = try key.verify(Data(), of: data, scheme: .rsaPKCS1(.sha256)) } == .invalidInput)
            #expect(clientCode { _ = try key.wrap(Data([1])) } == .invalidInput)
            #expect(clientCode { _ = try pairs.unwrap(Data([1]), with: "t") } == .invalidInput)
            try OpenSSL.run("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1024 -out small.pem", in: folder)
            let small = try OpenSSL.run("pkey -in small.pem -pubout", in: folder)
            let edwards = try OpenSSL.run("genpkey -algorithm ED25519", in: folder)
            try edwards.write(to: folder.appendingPathComponent("edwards.pem"))
            let other = try OpenSSL.run("pkey -in edwards.pem -pubout", in: folder)
            for pem in [small, other, Data(), Data("-----END PUBLIC KEY----------BEGIN PUBLIC KEY-----".utf8)] {
                #expect(clientCode { _ = try PublicKey(pem: String(decoding: pem, as: UTF8.self)) } == .invalidInput)
            }
            #expect(clientCode { _ = try PublicKey(info: key.info + [0]) } == .invalidInput)
        }
    }
}
