import Foundation
import Roster
import RosterSignIn
import Testing
import TestSupport

@Suite("Users who sign in with a provider")
struct IdentityLinkTests {
    private func admit(
        _ directory: Directory, _ subject: String, _ name: String, issuer: String = "https://a.example.com",
        isCertain: Bool = true, creates: Bool = true, orElse alternative: String? = nil, mail: String? = nil
    ) async throws -> Admission {
        try await directory.holders.admit(
            issuer: issuer, subject: subject, named: name, orElse: alternative, isNameCertain: isCertain,
            creating: creates ? NewUser(name, attributes: mail.map { ["mail": .string($0)] } ?? [:]) : nil)
    }

    private func name(_ admission: Admission, _ directory: Directory) throws -> String? {
        guard case .user(let id) = admission else { return nil }
        return try directory.unrestricted.users.user(.id(id)).uid
    }

    @Test("A subject is its own person, whatever its case: none is linked to a name that is only like theirs")
    func exactSubjects() async throws {
        for first in ["BOSS", "boss"] {
            let directory = try emptyDirectory()
            try await directory.unrestricted.users.create("corp_boss")
            let order = first == "BOSS" ? ["BOSS", "boss"] : ["boss", "BOSS"]
            for subject in order {
                let found = try await admit(directory, subject, "corp_" + subject, orElse: "corp_\(subject)!1")
                #expect(try name(found, directory) == (subject == "boss" ? "corp_boss" : "corp_BOSS!1"))
                #expect(try await admit(directory, subject, "corp_" + subject) == found, "and again")
            }
            for other in ["corp_bo\u{17F}s", "ｃorp_boss"] {
                #expect(try await admit(directory, other, other, creates: false) == .unknown)
                #expect(try await admit(directory, other, other) == .taken, "no other name is given")
            }
        }
    }

    @Test("The first to come does not keep the other one out, where nobody had an account")
    func exactSubjectsFromNothing() async throws {
        let directory = try emptyDirectory()
        let upper = try await admit(directory, "BOSS", "corp_BOSS", orElse: "corp_BOSS!1")
        let lower = try await admit(directory, "boss", "corp_boss", orElse: "corp_boss!2")
        #expect(try name(upper, directory) == "corp_BOSS" && name(lower, directory) == "corp_boss!2")
    }

    @Test("A new account does not get an address that somebody here has")
    func addresses() async throws {
        let directory = try emptyDirectory()
        let users = directory.unrestricted.users
        try await users.create("ada", attributes: ["mail": "Ada@acme.test"])
        _ = try await admit(directory, "1", "eve", mail: "ada@acme.test")
        _ = try await admit(directory, "2", "bob", mail: "bob@acme.test")
        #expect(try await users.user("eve").mail == nil)
        #expect(try await users.user("bob").mail == "bob@acme.test")
    }

    @Test("Who comes again is the same user, whatever they are called meanwhile")
    func again() async throws {
        let directory = try emptyDirectory()
        let first = try await admit(directory, "1", "ada")
        #expect(try await admit(directory, "1", "somebody.else") == first)
        guard case .user(let id) = first else { return #expect(Bool(false), "\(first)") }
        try await directory.unrestricted.users.modify(.id(id), [.set("uid", "augusta")])
        #expect(try await admit(directory, "1", "ada") == first)
        #expect(try await directory.unrestricted.users.count() == 1)
    }

    @Test("Another subject, or another issuer's, never becomes a user who is linked")
    func spoof() async throws {
        let directory = try emptyDirectory()
        _ = try await admit(directory, "1", "ada")
        #expect(try await admit(directory, "2", "ada") == .taken)
        #expect(try await admit(directory, "2", "ADA") == .taken)
        #expect(try await admit(directory, "1", "ada", issuer: "https://b.example.com") == .taken)
    }

    @Test("A name that was chosen elsewhere gives nobody an account that has a password here")
    func passwords() async throws {
        let directory = try emptyDirectory()
        let users = directory.unrestricted.users
        try await users.create("ada", attributes: ["password": "{SSHA}AAAA"])
        try await users.create("bob")
        #expect(try await admit(directory, "1", "ada", isCertain: false) == .taken)
        guard case .user = try await admit(directory, "1", "bob", isCertain: false) else {
            return #expect(Bool(false), "an account without a password was made for somebody who signs in elsewhere")
        }
        guard case .user = try await admit(directory, "2", "ada") else {
            return #expect(Bool(false), "an administrator has made an account of the certain name")
        }
    }

    @Test("A name that was chosen elsewhere gives nobody an administrator's account, also where it has no password")
    func administrators() async throws {
        let directory = try emptyDirectory()
        let view = directory.unrestricted
        for name in ["ada", "bob"] { try await view.users.create(name) }
        let administrators = try await view.awaitWrite {
            try $0.asPresentAdministrator(to: "test").powers.administratorsRole().id
        }
        try await view.roles.create("operators")
        try await view.roles.add([.user("ada"), .role("operators")], to: .id(administrators))
        try await view.roles.add([.user("bob")], to: "operators")
        #expect(try await admit(directory, "1", "ada", isCertain: false) == .taken)
        #expect(try await admit(directory, "1", "bob", isCertain: false) == .taken, "through a role")
    }

    @Test("Nobody is created where that is not wanted, and who is deleted is not linked any more")
    func unknown() async throws {
        let directory = try emptyDirectory()
        #expect(try await admit(directory, "1", "ada", creates: false) == .unknown)
        _ = try await admit(directory, "1", "ada")
        try await directory.unrestricted.users.delete(.named("ada"))
        #expect(try await admit(directory, "1", "ada", creates: false) == .unknown)
    }

    @Test("Of many first sign-ins at once, one creates the user, and all are that user")
    func races() async throws {
        let directory = try emptyDirectory()
        let found = try await withThrowingTaskGroup(of: Admission.self) { group in
            for _ in 0..<20 { group.addTask { try await admit(directory, "1", "ada") } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(found.count == 1)
        #expect(try await directory.unrestricted.users.count() == 1)
    }
}
