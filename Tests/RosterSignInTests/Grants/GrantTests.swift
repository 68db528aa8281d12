import Foundation
import Roster
import RosterSignIn
import Testing
import TestSupport

@Suite("Grants, sessions and what must not be used twice", .timeLimit(.minutes(1)))
struct GrantTests {
    private static let detail = GrantDetail(scopes: [], authenticationTime: 0, amr: [])

    private func backend(_ directory: Directory) async throws -> BackendID {
        try await Backend.create(
            .init(name: "a"), keys: try SignIn.keys(of: directory), in: directory.unrestricted
        ).backend.id
    }

    @Test("A grant lives until its end, and its refresh token rotates with one living child", arguments: Place.allCases)
    func rotation(place: Place) async throws {
        let clock = SettableClock()
        try await withDirectory(place, clock: { clock.now }) { (directory: Directory) async throws in
            let user = try await directory.unrestricted.users.create("ada")
            let grant = try await directory.grants.begin(
                salt: "salty-salt", backend: backend(directory), holder: .user(user.id), version: nil, session: nil,
                detail: Self.detail, expires: clock.now + 100)
            #expect(try directory.grants.standing(ofGrant: grant.number, salt: "salty", token: "t") == "ada")
            #expect(try directory.grants.standing(ofGrant: grant.number, salt: "other", token: "t") == nil)
            guard
                case .rotated(let second) = try await directory.grants.rotate(
                    grant.number, salt: grant.salt, generation: 1, grace: 10)
            else { return #expect(Bool(false), "it rotates") }
            #expect(second.generation == 2)
            guard
                case .repeated(let same) = try await directory.grants.rotate(
                    grant.number, salt: grant.salt, generation: 1, grace: 10)
            else { return #expect(Bool(false), "within its grace it repeats") }
            #expect(same == second)
            clock.advance(by: -1)
            guard
                case .repeated = try await directory.grants.rotate(
                    grant.number, salt: grant.salt, generation: 1, grace: 10)
            else { return #expect(Bool(false), "of two at once the one that came first may be written second") }
            clock.advance(by: 12)
            guard
                case .reused = try await directory.grants.rotate(
                    grant.number, salt: grant.salt, generation: 1, grace: 10)
            else { return #expect(Bool(false), "afterwards it is a theft") }
            #expect(try directory.grants.grant(grant.number) == nil)
            #expect(try directory.grants.standing(ofGrant: grant.number, salt: "salty", token: "t") == nil)
        }
    }

    @Test("A restored backend is in another epoch than its tokens: those that ended since the backup stay ended")
    func restoredBackend() async throws {
        try await withFolder { (folder: URL) async throws in
            let (file, copy) = (folder.appendingPathComponent("a.db"), folder.appendingPathComponent("copy.db"))
            let directory = try Directory(at: file)
            _ = try await backend(directory)
            try await directory.backup(to: copy)
            directory.close()
            try await Directory.restore(from: copy, to: file, replacing: true)
            let restored = try Directory(at: file)
            defer { restored.close() }
            let made = try await restored.unrestricted.awaitRead { try $0.backends.all() }
            #expect(made.map(\.epoch) == [1])
        }
    }

    @Test("What has ended is refused, and forgotten when it is cleaned up")
    func expiry() async throws {
        let clock = SettableClock()
        let directory = try emptyDirectory(clock: { clock.now })
        let user = try await directory.unrestricted.users.create("ada")
        let grant = try await directory.grants.begin(
            salt: "s", backend: backend(directory), holder: .user(user.id), version: nil, session: nil,
            detail: Self.detail,
            expires: clock.now + 100)
        let sessions = CookieSessions(directory: directory)
        let cookie = try await sessions.begin(.user(user.id), at: clock.now, amr: [], lifetime: 100)
        #expect(try await directory.spentTokens.spend(.init("x", until: clock.now + 100)))
        #expect(try await !directory.spentTokens.spend(.init("x", until: clock.now + 100)))
        #expect(
            try sessions.find(cookie)?.name == "ada"
                && directory.spentTokens.isSpent(.init("x", until: clock.now + 100)))
        try await directory.spentTokens.forgetExpired()
        #expect(try directory.grants.grant(grant.number) != nil)
        clock.advance(by: 101)
        #expect(try directory.grants.grant(grant.number) == nil && sessions.find(cookie) == nil)
        try await directory.spentTokens.forgetExpired()
        #expect(try await directory.spentTokens.spend(.init("x", until: clock.now + 100)))
    }

    @Test(
        "A virtual user keeps their identifier, has the roles of the last token, and is none of the directory's users")
    func virtualUsers() async throws {
        let directory = try emptyDirectory()
        let first = try await directory.holders.remember(
            issuer: "https://i", subject: "ada", name: "ada", roles: ["a", "b"])
        let other = try await directory.holders.remember(issuer: "https://j", subject: "ada", name: "ada", roles: [])
        let again = try await directory.holders.remember(issuer: "https://i", subject: "ada", name: "Ada", roles: ["c"])
        #expect(first.id == again.id && first.id != other.id && again.roles == ["c"] && again.name == "Ada")
        let user = try await directory.unrestricted.users.create("ada")
        #expect(user.id.rawValue != first.id.rawValue, "identifiers are counted together")
        #expect(try await directory.unrestricted.users.count() == 1)
        let visitor = directory.acting(as: .virtualUser(issuer: "https://i", subject: "ada"))
        #expect(try await visitor.users.user("ada").uid == "ada")
        await #expect(throws: DirectoryError.self) { try await visitor.users.modify("ada", attributes: ["title": "x"]) }
        await #expect(throws: DirectoryError.self) { try await visitor.users.create("eve") }
        #expect(try await visitor.changes.since(0).map(\.name) == ["ada"], "sign-ins are for administrators")
    }

    @Test("Roles of tokens are kept apart by issuer, and replaced at each sign-in")
    func tokenRoles() async throws {
        let directory = try emptyDirectory()
        let user = try await directory.unrestricted.users.create("ada")
        try await directory.holders.setTokenRoles(["a", "b"], of: user.id, from: "https://i")
        try await directory.holders.setTokenRoles(["c"], of: user.id, from: "https://j")
        try await directory.holders.setTokenRoles(["b"], of: user.id, from: "https://i")
        #expect(try directory.holders.tokenRoles(of: user.id) == ["b", "c"])
        let memberships = try await directory.unrestricted.awaitRead { try $0.roles.memberships(of: user.id).count }
        #expect(memberships == 0)
    }
}
