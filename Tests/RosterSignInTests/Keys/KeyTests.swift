import Foundation
import Roster
import RosterCrypto
import RosterOpenID
import RosterStore
import RosterText
import Testing
import TestSupport

import RosterSignIn

@Suite("The keys that sign tokens")
struct KeyTests {
    @Test(
        "A new key is published at once and signs when clients had the time to see it; at once where the old one is gone"
    )
    func notice() async throws {
        let clock = SettableClock()
        let directory = try emptyDirectory(clock: { clock.now })
        let ring = try KeyRing(directory, master: MasterKey(inMemory: directory))
        func signer() throws -> String? {
            try JSONWebToken(ring.sign([], type: "JWT", with: .es256)).keyID
        }
        func published() -> [String] { ring.published["keys"]?.elements.compactMap { $0["kid"]?.text } ?? [] }
        let first = try #require(try signer())
        clock.advance(by: 1)
        try await ring.rotate(.es256, in: directory.unrestricted)
        #expect(published().count == 2)
        let second = try #require(published().first { $0 != first })
        clock.advance(by: 100)
        try await ring.rotate(.es256, in: directory.unrestricted)
        let third = try #require(published().first { ![first, second].contains($0) })
        #expect(try signer() == first)
        clock.advance(by: 199)
        #expect(try signer() == first)
        clock.advance(by: 1)
        #expect(try signer() == second)
        #expect(try KeyRing(directory, master: MasterKey(inMemory: directory)).published == ring.published)
        clock.advance(by: 100)
        #expect(try signer() == third)
        clock.advance(by: 1)
        try await ring.rotate(.es256, in: directory.unrestricted)
        let fourth = try #require(published().first { ![first, second, third].contains($0) })
        #expect(try signer() == third)
        try await ring.remove(third, in: directory.unrestricted)
        #expect(try signer() == fourth)
    }

    @Test(
        "Keys that another server makes or removes count here within two seconds, also for tokens that were verified before"
    )
    func otherServers() async throws {
        let directory = try emptyDirectory()
        let signIn = try SignIn(directory, issuer: "https://id.example.com")
        let here = signIn.oauth
        let there = try SignIn.keys(of: directory)
        var settings = BackendSettings()
        (settings.scopes, settings.directoryRole) = ([.directory], .provisioning)
        let made = try await signIn.createBackend(named: "shop", settings: settings, in: directory.unrestricted)
        func published() -> Int { here.keys.published["keys"]?.elements.count ?? 0 }
        #expect(published() == 1)
        try await there.rotate(.es256, in: directory.unrestricted)
        try await Task.sleep(for: KeyRing.freshness + .milliseconds(100))
        #expect(published() == 2)
        let answer = try await signIn.tokens(
            .clientCredentials(scopes: [.directory]), clientID: made.clientID, secret: made.secret)
        #expect(try here.accessTokens.check(answer.accessToken) != nil)
        let signer = try #require(try JSONWebToken(answer.accessToken).keyID)
        try await there.remove(signer, in: directory.unrestricted)
        try await Task.sleep(for: KeyRing.freshness + .milliseconds(100))
        #expect(try here.accessTokens.check(answer.accessToken) == nil)
        #expect(published() == 1)
    }

    @Test("The keys of all backends are there before their first token: when one is made or changed, and at the start")
    func inTime() async throws {
        let directory = try emptyDirectory()
        let signIn = try SignIn(directory, issuer: "https://id.example.com")
        let view = directory.unrestricted
        func algorithms(_ signIn: SignIn) -> Set<String?> {
            Set((signIn.oauth.keys.published["keys"]?.elements ?? []).map { $0["alg"]?.text })
        }
        #expect(algorithms(signIn) == ["ES256"])
        var settings = BackendSettings()
        settings.signing = .key(.edDSA)
        let backend = try await signIn.createBackend(named: "shop", settings: settings, in: view)
        #expect(algorithms(signIn) == ["ES256", "EdDSA"])
        settings.signing = .key(.rs256)
        try await signIn.changeBackend(backend.clientID, settings: settings, in: view)
        #expect(algorithms(signIn) == ["ES256", "EdDSA", "RS256"])
        for key in try view.read({ try $0.keys.all() }) where key.algorithm == .rs256 {
            try await signIn.oauth.keys.remove(key.id, in: view)
        }
        #expect(algorithms(try SignIn(directory, issuer: "https://id.example.com")) == ["ES256", "EdDSA", "RS256"])
    }

    @Test("What a retired key signed is good until it ends; what a removed one signed is not")
    func rotation() async throws {
        let clock = SettableClock()
        let directory = try emptyDirectory(clock: { clock.now })
        let ring = try KeyRing(directory, master: MasterKey(inMemory: directory))
        let old = try ring.sign([.init("n", 1)], type: "JWT", with: .es256)
        let first = try #require(ring.published["keys"]?.elements.first?["kid"]?.text)
        try await ring.rotate(.es256, in: directory.unrestricted)
        clock.advance(by: KeyRing.notice)
        let new = try ring.sign([.init("n", 2)], type: "JWT", with: .es256)
        #expect(ring.published["keys"]?.elements.count == 2)
        #expect(try JSONWebToken(new).keyID != first)
        #expect(try ring.verify(old, type: "JWT")?["n"] == 1)
        try await ring.remove(first, in: directory.unrestricted)
        #expect(try ring.verify(old, type: "JWT") == nil)
        #expect(try ring.verify(new, type: "JWT")?["n"] == 2)
        #expect(try ring.verify(new, type: "at+jwt") == nil, "each type is its own")
    }

    @Test("Keys can be read again with the same key file; another key file is refused, and nothing is lost")
    func keyFiles() throws {
        try withFolder { folder in
            let file = folder.appendingPathComponent("a.db")
            let key = folder.appendingPathComponent("a.db-key")
            let directory = try Directory(at: file)
            defer { directory.close() }
            let ring = try KeyRing(directory, master: MasterKey(of: directory))
            let text = try ring.sign([], type: "JWT", with: .edDSA)
            #expect(try KeyRing(directory, master: MasterKey(of: directory)).verify(text, type: "JWT") != nil)
            let mode = try FileManager.default.attributesOfItem(atPath: key.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let other = try MasterKey(of: DirectoryFile(folder.appendingPathComponent("other.db")), opening: [])
            let problem = #expect(throws: DirectoryError.self) { try KeyRing(directory, master: other) }
            #expect(problem?.message.contains("another key file") == true)
            try Data("short".utf8).write(to: key)
            #expect(throws: DirectoryError.self) { try MasterKey(of: directory) }
        }
    }

    @Test("Who may not make a signing key costs the server no key: ten refusals take less than one key does")
    func refusals() throws {
        let directory = try emptyDirectory()
        let ring = try KeyRing(directory, master: MasterKey(inMemory: directory))
        let view = directory.acting(as: .user(try directory.unrestricted.users.create("ada").id))
        let oneKey = try processorTime { try ring.rotate(.rs256, in: directory.unrestricted) }
        let refusals = processorTime {
            for _ in 0..<10 { #expect(throws: DirectoryError.self) { try ring.rotate(.rs256, in: view) } }
        }
        print("one key \(oneKey), ten refusals \(refusals)")
        #expect(refusals < oneKey)
        #expect(try directory.signInRecords.signingKeys().count == 1)
    }

    @Test("Private keys are nowhere in the file")
    func encrypted() throws {
        let directory = try emptyDirectory()
        let ring = try KeyRing(directory, master: MasterKey(inMemory: directory))
        try ring.rotate(.es256, in: directory.unrestricted)
        let record = try #require(try directory.signInRecords.signingKeys().first)
        #expect(record.publicKey["d"] == nil)
        let sealed = try #require(Base64URL.bytes(record.sealedKey ?? ""))
        #expect(KeyHandle(.p256, pkcs8: sealed) == nil)
        #expect(!sealed.dropFirst(12).starts(with: [0x30, 0x81, 0x87]), "no DER")
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
