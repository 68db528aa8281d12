import Foundation
import Testing
import TestSupport

@testable import Roster
@testable import RosterSignIn

@Suite("Every refusal costs the same work, and imported hashes are bounded")
struct PasswordCostTests {
    private static let bcrypt = String(repeating: ".", count: 53)
    private static let a22 = String(repeating: "A", count: 22)
    private static let a43 = String(repeating: "A", count: 43)
    private static let a86 = String(repeating: "A", count: 86)

    @Test("The cost of every scheme is read from its hash; digests have none")
    func costs() throws {
        for text in PasswordHashTests.made {
            let hash = try PasswordHash(text)
            let cost = PasswordCost(text)
            if case .digest = hash.scheme {
                #expect(cost == nil)
            } else {
                #expect(cost != nil, "\(text)")
            }
        }
        #expect(PasswordCost("$2b$12$\(Self.bcrypt)")?.steps == 4_096)
        #expect(PasswordCost("{crypt}$6$rounds=656000$salt$\(Self.a86)")?.steps == 656_000)
        #expect(PasswordCost("$5$salt$\(Self.a43)")?.steps == 5_000)
        #expect(PasswordCost("pbkdf2_sha256$600000$salt$\(Self.a43)=")?.steps == 600_000)
        #expect(PasswordCost("{PBKDF2-SHA512}10000$\(Self.a22)$\(Self.a86)")?.scheme == .pbkdf2SHA512)
        #expect(PasswordCost("$scrypt$ln=15,r=8,p=3$\(Self.a22)$\(Self.a43)")?.steps == 786_432)
        #expect(PasswordCost("$y$j9T$\(Self.a22)$\(Self.a43)")?.steps == 131_072)
        #expect(PasswordCost("$7$CU..../....\(Self.a22)$\(Self.a43)")?.steps == 524_288)
        #expect(PasswordCost("$argon2id$v=19$m=65536,t=3,p=4$\(Self.a22)$\(Self.a43)")?.steps == 196_608)
    }

    static let tooCostly = [
        "$2b$13$\(bcrypt)", "$2y$16$\(bcrypt)", "$2b$31$\(bcrypt)", "$2b$99$\(bcrypt)", "{CRYPT}$2a$14$\(bcrypt)",
        "$scrypt$ln=18,r=8,p=2$\(a22)$\(a43)", "$scrypt$ln=62,r=99999999,p=99999999$\(a22)$\(a43)",
        "{PBKDF2}1400001$\(a22)$AAAA", "$pbkdf2-sha256$1200001$\(a22)$\(a43)", "pbkdf2_sha256$10000000$salt$\(a43)=",
        "{PBKDF2-SHA512}500001$\(a22)$\(a86)", "$6$rounds=1000001$salt$\(a86)",
        "$5$rounds=99999999999999999999$salt$\(a43)",
        "$y$jDT$\(a22)$\(a43)", "$7$FU..../....\(a22)$\(a43)", "$argon2id$v=19$m=262144,t=2,p=1$\(a22)$\(a43)",
    ]

    @Test("A hash that takes longer than a tenth of a second or three is refused with its reason", arguments: tooCostly)
    func refused(hash: String) async throws {
        let directory = try emptyDirectory()
        let error = await #expect(throws: DirectoryError.self) {
            try await directory.unrestricted.users.create("ada", attributes: ["password": .string(hash)])
        }
        #expect(error?.code == .invalidAttribute && error?.attribute == "password")
        #expect(error?.message.contains("too costly") == true && error?.message.contains(Self.a22) == false)
        await #expect(throws: DirectoryError.self) {
            try await directory.unrestricted.users.load([NewUser("ada", attributes: ["password": .string(hash)])])
        }
    }

    @Test(
        "The bounds themselves are taken",
        arguments: [
            "$2b$12$\(bcrypt)", "$scrypt$ln=17,r=8,p=1$\(a22)$\(a43)", "pbkdf2_sha256$1200000$salt$\(a43)=",
            "$6$rounds=1000000$salt$\(a86)", "$y$jCT$\(a22)$\(a43)",
        ])
    func taken(hash: String) async throws {
        let directory = try emptyDirectory()
        try await directory.unrestricted.users.create("ada", attributes: ["password": .string(hash)])
        #expect(try directory.accounts.account(named: "ada")?.passwordHash == hash)
    }

    /// The steps of each scheme that a refusal takes.
    private func work(_ stored: String?, _ dummy: DummyHash, in directory: Directory) throws
        -> [PasswordCost.Scheme: Int]
    {
        let stored = try stored.map { try PasswordHash($0) }
        let costliest = try directory.accounts.costliestHashes(where: PasswordHash.isStorable)
        var steps: [PasswordCost.Scheme: Int] = [:]
        for hash in dummy.padding(beside: stored, costliest) + [stored].compactMap(\.self) {
            if let cost = PasswordCost(hash.text) { steps[cost.scheme, default: 0] += cost.steps }
        }
        return steps
    }

    @Test("A refusal takes the same steps of each scheme, whatever is stored of the account")
    func sameWork() async throws {
        let directory = try emptyDirectory()
        let parameters = try #require(PasswordParameters(logN: 8, r: 8, p: 3))
        let dummy = try DummyHash(parameters)
        #expect(try work(nil, dummy, in: directory) == [.scrypt: 256 * 8 * 3], "only new hashes are there")
        let hashes =
            PasswordHashTests.made + [
                try PasswordHash.make("secret99", parameters).text, "$2b$12$\(Self.bcrypt)", "$2b$10$\(Self.bcrypt)",
                "$6$rounds=100000$salt$\(Self.a86)", "pbkdf2_sha256$600000$salt$\(Self.a43)=",
                "$scrypt$ln=9,r=8,p=1$\(Self.a22)$\(Self.a43)",
            ]
        try await directory.unrestricted.users.load(
            hashes.enumerated().map { NewUser("user\($0)", attributes: ["password": .string($1)]) })
        let all = try work(nil, dummy, in: directory)
        #expect(all[.bcrypt] == 4_096 && all[.sha512crypt] == 100_000 && all[.pbkdf2SHA256] == 600_000)
        for text in hashes {
            let own = try work(text, dummy, in: directory)
            for (scheme, steps) in all {
                let difference = abs(steps - (own[scheme] ?? 0))
                #expect(difference * 50 <= steps, "\(scheme) of \(text): \(own[scheme] ?? 0), not \(steps)")
            }
        }
        // All of it can be verified, and nothing of it is anybody's password.
        let cheap = PasswordParameters.forTests
        let costliest = PasswordHashTests.made.compactMap { PasswordCost($0) }.map { ($0.scheme, $0) }
        #expect(
            try DummyHash(cheap).match(
                "secret99", against: nil, costliest: Dictionary(costliest) { $0.steps < $1.steps ? $1 : $0 }) == nil)
    }

    @Test("A hash that this system cannot verify refuses its user only, and nobody guesses without delay")
    func unverifiable() async throws {
        let directory = try emptyDirectory()
        let hash = try PasswordHash.make("a staple of horses", .forTests).text
        let argon2 = "$argon2id$v=19$m=8192,t=1,p=1$\(Self.a22)$\(Self.a43)"
        for (name, text) in [("ada", hash), ("xavier", argon2)] {
            try await directory.unrestricted.users.create(name, attributes: ["password": .string(text)])
        }
        let signIn = try SignIn(directory, issuer: "https://id.example.com", passwordCost: .forTests)
        for name in ["ada", "xavier", "nobody"] {
            await #expect(throws: AuthenticationFailure.wrong) {
                try await signIn.person(named: name, password: "wrong")
            }
        }
        #expect(try await signIn.person(named: "ada", password: "a staple of horses").name == "ada")
        var failures: Set<String> = []
        for number in 1...8 {
            do {
                _ = try await signIn.person(named: "xavier", password: "guess \(number)")
            } catch AuthenticationFailure.tooManyAttempts {
                failures.insert("delayed")
            } catch AuthenticationFailure.wrong {
                failures.insert("wrong")
            } catch {
                failures.insert("\(error)")
            }
        }
        #expect(failures == ["wrong", "delayed"], "\(failures)")
    }

    @Test("What is stored later counts at once, and what cannot be verified does not")
    func noted() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("a.db")
            func costliest(_ directory: Directory) throws -> [PasswordCost.Scheme: PasswordCost] {
                try directory.accounts.costliestHashes(where: PasswordHash.isStorable)
            }
            do {
                let directory = try Directory(at: url)
                #expect(try costliest(directory).isEmpty)
                try await directory.unrestricted.users.create(
                    "ada", attributes: ["password": .string("$2b$11$\(Self.bcrypt)")])
                #expect(try costliest(directory)[.bcrypt]?.steps == 2_048)
                // As an older version took them.
                for (name, hash) in [("bob", "$2b$14$\(Self.bcrypt)"), ("eve", "$2b$30$\(Self.bcrypt)")] {
                    let id = try await directory.unrestricted.users.create(name).id
                    try await directory.unrestricted.users.modify(
                        .id(id), attributes: ["password": .string("$2b$04$\(Self.bcrypt)")])
                    try await directory.accounts.upgrade(id, from: "$2b$04$\(Self.bcrypt)", to: hash)
                }
                directory.close()
            }
            let directory = try Directory(at: url)
            #expect(try costliest(directory)[.bcrypt]?.steps == 1 << 14)
            directory.close()
        }
    }

    @Test("Somebody with a second factor is refused over HTTP Basic as with a wrong password, and remembered nowhere")
    func basic() async throws {
        let directory = try emptyDirectory()
        let hash = try PasswordHash.make("the right password", PasswordHashTests.cheap).text
        try await directory.unrestricted.users.create("ada", attributes: ["password": .string(hash)])
        let keeper = try PasswordKeeper(directory, parameters: PasswordHashTests.cheap)
        let ada = try #require(try directory.accounts.account(named: "ada")).id
        // By way of the sign-in page the password is right, and remembered.
        guard
            case .later(let work) = keeper.authenticate(name: "ada", password: "the right password", from: "192.0.2.1")
        else { return }
        _ = try await work()
        let signIn = try SignIn(directory, issuer: "https://id.example.com", passwordCost: PasswordHashTests.cheap)
        try await signIn.secondFactors.setQuestions([("First pet?", "Rex"), ("First school?", "Hill")], for: ada)
        guard
            case .later(let again) = keeper.authenticate(
                name: "ada", password: "the right password", from: "192.0.2.1", takesSecondFactor: false)
        else {
            Issue.record("the answer came without the work of a refusal")
            return
        }
        await #expect(throws: AuthenticationFailure.wrong) { try await again() }
    }
}
