import Foundation
import Roster
import RosterFixtures
import RosterSignIn
import Testing
import TestSupport

@Suite("Passwords in plain text in a seed", .timeLimit(.minutes(1)))
struct PlainPasswordSeedTests {
    private let directory: Directory
    private let signIn: SignIn
    private var view: DirectoryView { directory.unrestricted }

    init() async throws {
        directory = try Fixtures.empty()
        signIn = try await SignIn.forTests(directory)
    }

    private func seed(_ people: String) throws -> Seed {
        try Seed(json: Data("{\"people\": [\n\(people)\n]}".utf8), name: "s.json")
    }

    @Test("SignIn.load hashes plain passwords under any name of the attribute, and keeps hashes")
    func hashed() async throws {
        let hash = StoredPasswords.made[1]
        try await signIn.load(
            seed(
                """
                {"uid": "ada", "password": "a staple of horses"}, {"uid": "bob"},
                {"uid": "eve", "userPassword": "another staple of horses", "title": "Lead"},
                {"uid": "old", "password": "\(hash)"}
                """), in: view)
        for (name, password) in [
            ("ada", "a staple of horses"), ("eve", "another staple of horses"), ("old", StoredPasswords.password),
        ] {
            #expect(try await signIn.person(named: name, password: password).name == name)
        }
        await #expect(throws: AuthenticationFailure.wrong) { try await signIn.person(named: "bob", password: "") }
        #expect(try await view.users.user("eve").title == "Lead")
        #expect(try directory.memoryImage().range(of: Data("staple".utf8)) == nil, "no plain text is stored")
    }

    @Test("Loading the same seed again changes nothing, and another password ends the sessions")
    func again() async throws {
        let people = #"{"uid": "ada", "password": "a staple of horses"}"#
        try await signIn.load(seed(people), in: view)
        let session = try await signIn.beginSession(for: signIn.person(named: "ada", password: "a staple of horses"))
        let report = try await signIn.load(seed(people), in: view).report
        #expect(report.users.unchanged == 1 && report.users.changed == 0)
        #expect(try await signIn.person(ofSession: session) != nil)
        try await signIn.load(seed(#"{"uid": "ada", "password": "another staple of horses"}"#), in: view)
        #expect(try await signIn.person(ofSession: session) == nil)
        #expect(try await signIn.person(named: "ada", password: "another staple of horses").name == "ada")
    }

    @Test("The loader of the directory refuses plain passwords, and names SignIn.load, which can hash them")
    func refusedByTheCore() async throws {
        let people = "{\"uid\": \"ada\",\n\"password\": \"a staple of horses\"}"
        let seed = try seed(people)
        let error = await #expect(throws: DirectoryError.self) { try await view.load(seed) }
        #expect(error?.advice?.contains("SignIn.load") == true && error?.place?.file == "s.json")
        #expect(error?.description.contains("staple") == false)
        #expect(try await view.users.count() == 0)
        #expect(throws: DirectoryError.self) { try Fixtures.directory(seed: "{\"people\": [\(people)]}") }
    }

    @Test(
        "A password that is too short, too common, or the person's name or address is refused with its place",
        arguments: ["short", "password1", "ada.lovelace", "ada@example.com"])
    func policy(password: String) async throws {
        let seed = try seed(
            "{\"uid\": \"ada.lovelace\", \"mail\": \"ada@example.com\",\n\"password\": \"\(password)\"}")
        let error = await #expect(throws: DirectoryError.self) { try await signIn.load(seed, in: view) }
        #expect(error?.code == .invalidInput && error?.place?.line == 3 && error?.place?.field == "password")
        #expect(try await view.users.count() == 0)
    }

    @Test(
        "Plain passwords are hashed for administrators only, and change an administrator's password only with that grant"
    )
    func rights() async throws {
        let people = #"{"uid": "ada", "password": "a staple of horses"}"#
        let hr = directory.acting(as: .provisioning("hr"))
        let refused = await #expect(throws: DirectoryError.self) { try await signIn.load(seed(people), in: hr) }
        #expect(refused?.code == .notPermitted)
        try await signIn.load(seed(people), in: view)
        let administrators = try await view.awaitWrite {
            try $0.asPresentAdministrator(to: "test").powers.administratorsRole()
        }
        try await view.roles.add([.user("ada")], to: .id(administrators.id))
        let other = try seed(#"{"uid": "ada", "password": "another staple of horses"}"#)
        await #expect(throws: DirectoryError.self) { try await signIn.load(other, in: view) }
        try await signIn.load(other, grants: .administrators, in: view)
        #expect(try await signIn.person(named: "ada", password: "another staple of horses").name == "ada")
    }
}
