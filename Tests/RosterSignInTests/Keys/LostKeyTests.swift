import Foundation
import RosterStore
import Testing
import TestSupport

@testable import Roster
import RosterSignIn

@Suite("A key file that is lost, damaged or another directory's", .timeLimit(.minutes(2)))
struct LostKeyTests {
    private static let issuer = "https://id.example.com"
    private static let password = "a staple of correct horses"

    /// A closed directory whose key encrypts a signing key, Ada's second factor and a backend's secret.
    private static func withFile(_ body: (URL) async throws -> Void) async throws {
        try await withFolder { (folder: URL) async throws in
            let url = folder.appendingPathComponent("company.db")
            let directory = try Directory(at: url)
            let signIn = try SignIn(directory, issuer: issuer)
            let ada = try await directory.unrestricted.users.create("ada")
            try await signIn.setPassword(password, of: "ada", in: directory.unrestricted)
            try await signIn.secondFactors.setQuestions(
                [("First street?", "Rue de la Paix"), ("First teacher?", "Aunt Zoë")], for: ada.id)
            var settings = BackendSettings()
            settings.signing = .clientSecret
            _ = try await signIn.createBackend(named: "shop", settings: settings, in: directory.unrestricted)
            await signIn.flush()
            directory.close()
            try await body(url)
        }
    }

    /// The names and the bytes of everything in a folder, except for the log's index, which is memory, and an empty log, which
    /// SQLite leaves if two connections close at the same moment.
    private static func content(of folder: URL) throws -> [String: Data] {
        var content: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where !name.hasSuffix("-shm") {
            let bytes = (try? Data(contentsOf: folder.appendingPathComponent(name))) ?? Data()
            if name.hasSuffix("-wal") && bytes.isEmpty { continue }
            content[name] = bytes
        }
        return content
    }

    enum Damage: String, CaseIterable { case missing, empty, truncated, long, noHexadecimal, unreadable, other }

    private static func damage(_ key: URL, _ damage: Damage) throws {
        let text = try String(contentsOf: key, encoding: .utf8)
        try FileManager.default.removeItem(at: key)
        switch damage {
        case .missing: return
        case .empty: try Data().write(to: key)
        case .truncated: try Data(text.utf8.prefix(40)).write(to: key)
        case .long: try Data((text + text).utf8).write(to: key)
        case .noHexadecimal: try Data(String(repeating: "x", count: 64).utf8).write(to: key)
        case .unreadable: try FileManager.default.createDirectory(at: key, withIntermediateDirectories: false)
        case .other: try Data(String(repeating: "ab", count: 32).utf8).write(to: key)
        }
    }

    @Test("Signing in is refused, with the way out named, and nothing is changed", arguments: Damage.allCases)
    func refused(damage: Damage) async throws {
        try await Self.withFile { url in
            try Self.damage(URL(fileURLWithPath: url.path + "-key"), damage)
            let before = try Self.content(of: url.deletingLastPathComponent())
            let closed = #expect(throws: DirectoryError.self) { try MasterKey.found(for: DirectoryFile(url)) }
            #expect(try Self.content(of: url.deletingLastPathComponent()) == before)
            let directory = try Directory(at: url)
            let error = #expect(throws: DirectoryError.self) { try SignIn(directory, issuer: Self.issuer) }
            directory.close()
            for error in [closed, error] {
                #expect(error?.code == .unusableKey)
                #expect(error?.message.contains(url.path + "-key") == true)
                #expect(error?.advice?.contains("lost for good") == true)
            }
            let after = try Self.content(of: url.deletingLastPathComponent())
            #expect(after.filter { before[$0.key] != $0.value }.mapValues(\.count) == [:])
            #expect(after.keys.sorted() == before.keys.sorted())
        }
    }

    @Test("Secrets of each kind alone tell a wrong key file, also where every signing key was removed")
    func eachKind() async throws {
        try await Self.withFile { url in
            let key = URL(fileURLWithPath: url.path + "-key")
            for kind in 0..<3 {
                let directory = try Directory(at: url)
                if kind > 0 {
                    for key in try directory.signInRecords.signingKeys() {
                        try await SignIn.keys(of: directory).remove(key.id, in: directory.unrestricted)
                    }
                }
                if kind > 1 {
                    _ = try directory.unrestricted.write {
                        try $0.asHelper(of: "ada", to: "test").removeSecondFactors()
                    }
                }
                directory.close()
                let right = try Data(contentsOf: key)
                try Self.damage(key, .other)
                #expect(code { try MasterKey.found(for: DirectoryFile(url)) } == .unusableKey, "\(kind)")
                try right.write(to: key)
                #expect(try MasterKey.found(for: DirectoryFile(url)) != nil)
            }
        }
    }

    @Test("A key file is made once, whole, however many begin at the same time")
    func firstStart() async throws {
        try await withFolder { (folder: URL) async throws in
            let url = folder.appendingPathComponent("company.db")
            let directory = try Directory(at: url)
            let keys = await inParallel(16) { _ in (try? MasterKey(of: directory))?.fileContent }
            #expect(Set(keys).count == 1 && keys[0] != nil)
            directory.close()
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(!names.contains { $0.contains("partial") })
            let mode = try FileManager.default.attributesOfItem(atPath: url.path + "-key")[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test("A key file that is beside a symbolic link is moved to where the file is, and is used")
    func besideLink() async throws {
        try await Self.withFile { url in
            let links = url.deletingLastPathComponent().appendingPathComponent("links")
            try FileManager.default.createDirectory(at: links, withIntermediateDirectories: false)
            let link = links.appendingPathComponent("link.db")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: url)
            try FileManager.default.moveItem(atPath: url.path + "-key", toPath: link.path + "-key")
            #expect(try MasterKey.found(for: DirectoryFile(link)) != nil)
            let directory = try Directory(at: link)
            _ = try SignIn(directory, issuer: Self.issuer)
            directory.close()
            #expect(try FileManager.default.contentsOfDirectory(atPath: links.path) == ["link.db"])
            #expect(try MasterKey.found(for: DirectoryFile(url)) != nil)
        }
    }

    @Test(
        "After a reset nobody is let in by a password alone who had a second factor, until an administrator removes what is left of it"
    )
    func afterwards() async throws {
        try await Self.withFile { url in
            try Self.damage(URL(fileURLWithPath: url.path + "-key"), .missing)
            let directory = try Directory(at: url)
            defer { directory.close() }
            let lost = try directory.sealedSecrets.giveUp(by: "test")
            #expect(lost.signingKeys.count == 1 && lost.secondFactors == ["ada"] && lost.backends == ["shop 1.0"])
            let signIn = try SignIn(directory, issuer: Self.issuer)
            let proofs = [
                SecondFactorProof(), SecondFactorProof(code: "123456"),
                SecondFactorProof(answers: ["First street?": "Rue de la Paix", "First teacher?": "Aunt Zoë"]),
            ]
            for proof in proofs {
                let failure = await #expect(throws: AuthenticationFailure.self) {
                    try await signIn.person(named: "ada", password: Self.password, proof: proof)
                }
                #expect(failure == .secondFactorLost && failure?.description.contains("lost") == true)
            }
            let ada = try await directory.unrestricted.users.user("ada").id
            #expect(code { try signIn.secondFactors.begin(for: ada, account: "ada") } == .notPermitted)
            #expect(try directory.sealedSecrets.samples().count == 1, "the new signing key")
            #expect(
                try await directory.unrestricted.awaitWrite {
                    try $0.asHelper(of: "ada", to: "test").removeSecondFactors()
                })
            let person = try await signIn.person(named: "ada", password: Self.password)
            #expect(person.name == "ada")
            _ = try signIn.secondFactors.begin(for: ada, account: "ada")
        }
    }
}
