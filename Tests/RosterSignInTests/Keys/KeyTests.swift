import Foundation
import Roster
import RosterWire
import TestSupport
import Testing

@testable import RosterSignIn

@Suite("The keys that sign tokens")
struct KeyTests {
    @Test("What a retired key signed is good until it ends; what a removed one signed is not")
    func rotation() throws {
        let directory = try Directory.inMemory()
        let ring = try KeyRing(directory, master: MasterKey(inMemory: directory))
        let old = try ring.sign([.init("n", 1)], type: "JWT", with: .es256, secret: nil)
        let first = try #require(ring.published["keys"]?.elements.first?["kid"]?.text)
        try ring.rotate(.es256, by: "test")
        let new = try ring.sign([.init("n", 2)], type: "JWT", with: .es256, secret: nil)
        #expect(ring.published["keys"]?.elements.count == 2)
        #expect(try JSONWebToken(new).keyID != first)
        #expect(try ring.verify(old, type: "JWT")?["n"] == 1)
        try ring.remove(first, by: "test")
        #expect(try ring.verify(old, type: "JWT") == nil)
        #expect(try ring.verify(new, type: "JWT")?["n"] == 2)
        #expect(try ring.verify(new, type: "at+jwt") == nil, "each type is its own")
    }

    @Test("Keys are read again with the same key file; with another one that is said, and nothing is lost")
    func keyFiles() throws {
        try withFolder { folder in
            let file = folder.appendingPathComponent("a.db")
            let key = folder.appendingPathComponent("a.db-key")
            let other = folder.appendingPathComponent("other-key")
            let directory = try Directory(at: file)
            defer { directory.close() }
            #expect(directory.keyFile?.lastPathComponent == "a.db-key")
            let ring = try KeyRing(directory, master: MasterKey(at: key))
            let text = try ring.sign([], type: "JWT", with: .edDSA, secret: nil)
            #expect(try KeyRing(directory, master: MasterKey(at: key)).verify(text, type: "JWT") != nil)
            let mode = try FileManager.default.attributesOfItem(atPath: key.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let problem = #expect(throws: DirectoryError.self) {
                try KeyRing(directory, master: MasterKey(at: other))
            }
            #expect(problem?.message.contains("another key file") == true)
            try Data("short".utf8).write(to: other)
            #expect(throws: DirectoryError.self) { try MasterKey(at: other) }
        }
    }

    @Test("Private keys are nowhere in the file")
    func encrypted() throws {
        let directory = try Directory.inMemory()
        let ring = try KeyRing(directory, master: MasterKey(inMemory: directory))
        try ring.rotate(.es256, by: "test")
        let record = try #require(try directory.credentials.signingKeys().first)
        #expect(!record.publicKey.contains("\"d\""))
        let sealed = try #require(Base64URL.bytes(record.sealedKey))
        #expect(KeyHandle(.p256, pkcs8: sealed) == nil)
        #expect(sealed.dropFirst(12).first != 0x30, "no DER")
    }

    @Test("A box that was altered, or belongs elsewhere, does not open")
    func boxes() throws {
        let key = try SecureRandom.bytes(32)
        let sealed = try SecretBox.seal([1, 2, 3], key: key, context: "a")
        #expect(try SecretBox.open(sealed, key: key, context: "a") == [1, 2, 3])
        #expect(try SecretBox.open(sealed, key: key, context: "b") == nil)
        #expect(try SecretBox.open(sealed, key: SecureRandom.bytes(32), context: "a") == nil)
        for index in sealed.indices {
            var altered = sealed
            altered[index] ^= 1
            #expect(try SecretBox.open(altered, key: key, context: "a") == nil)
        }
        #expect(try SecretBox.open([], key: key, context: "a") == nil)
        #expect(try SecretBox.open(SecretBox.seal([], key: key, context: ""), key: key, context: "") == [])
    }
}
