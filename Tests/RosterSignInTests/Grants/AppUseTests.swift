import Foundation
import Roster
import RosterSignIn
import RosterStore
import Testing
import TestSupport

@Suite("Who uses an app", .timeLimit(.minutes(5)))
struct AppUseTests {
    private static let detail = GrantDetail(scopes: [], authenticationTime: 0, amr: [])

    private func backend(_ name: String, _ directory: Directory) async throws -> BackendID {
        try await Backend.create(
            .init(name: name), keys: try SignIn.keys(of: directory), in: directory.unrestricted
        ).backend.id
    }

    private func begin(
        _ app: BackendID, _ user: UserID, _ directory: Directory, session: String? = nil, seconds: Double = 1_000
    ) async throws -> TokenGrant {
        try await directory.grants.begin(
            salt: "salty-salt", backend: app, holder: .user(user), version: nil, session: session, detail: Self.detail,
            expires: directory.now + seconds)
    }

    private func users(_ app: BackendID, _ directory: Directory, count: Int = 50) async throws -> [String] {
        var (all, position): ([String], AppUser.Position?) = ([], nil)
        repeat {
            let after = position
            let page = try await directory.unrestricted.awaitRead {
                try $0.backends.users(of: app, after: after, count: count)
            }
            all += page.users.map(\.label)
            position = page.next.map { AppUser.Position($0.description) } ?? nil
        } while position != nil
        return all
    }

    @Test(
        "Each person with a living grant is there once, latest use first, in pages of any size",
        arguments: Place.allCases)
    func list(place: Place) async throws {
        let clock = SettableClock()
        try await withDirectory(place, clock: { clock.now }) { (directory: Directory) async throws in
            let view = directory.unrestricted
            let (app, other) = (try await backend("a", directory), try await backend("b", directory))
            var ids: [UserID] = []
            for name in ["ada", "bob", "cleo", "dan"] { ids.append(try await view.users.create(name).id) }
            try await view.users.modify("bob", [.set("displayName", "Bob B.")])
            for _ in 0..<3 { _ = try await begin(app, ids[0], directory) }
            clock.advance(by: 90)
            let second = try await begin(app, ids[1], directory)
            clock.advance(by: 90)
            _ = try await begin(app, ids[2], directory, seconds: 200)
            _ = try await begin(other, ids[3], directory)
            for count in [1, 2, 50] {
                #expect(try await users(app, directory, count: count) == ["cleo", "Bob B.", "ada"], "\(count)")
            }
            clock.advance(by: 90)
            guard
                case .rotated = try await directory.grants.rotate(
                    second.number, salt: second.salt, generation: 1, grace: 10)
            else { return #expect(Bool(false), "it rotates") }
            #expect(try await users(app, directory) == ["Bob B.", "cleo", "ada"], "a refresh is a use")
            clock.advance(by: 111)
            #expect(try await users(app, directory) == ["Bob B.", "ada"], "a grant has expired")
            try await directory.grants.end(second)
            #expect(try await users(app, directory, count: 1) == ["ada"], "a grant was revoked")
            try await view.users.modify("ada", [.set("active", false)])
            #expect(try await users(app, directory).isEmpty, "a disabled person uses nothing")
            try await view.users.modify("ada", [.set("active", true)])
            clock.advance(by: 10_000)
            try await directory.spentTokens.forgetExpired()
            let rows = try await view.awaitRead { transaction in
                try transaction.connection.all("SELECT user_id FROM app_use") { $0.integer(0) }.count
            }
            #expect(rows == 0)
            await #expect(throws: DirectoryError.self) {
                _ = try await directory.acting(as: .user(ids[0])).awaitRead {
                    try $0.backends.users(of: app, after: nil, count: 1)
                }
            }
        }
    }

    @Test("Deleting the person or the app deletes the use", arguments: Place.allCases)
    func deletion(place: Place) async throws {
        try await withDirectory(place) { (directory: Directory) async throws in
            let view = directory.unrestricted
            let (app, other) = (try await backend("a", directory), try await backend("b", directory))
            let (ada, bob) = (try await view.users.create("ada").id, try await view.users.create("bob").id)
            for (app, user) in [(app, ada), (app, bob), (other, bob)] { _ = try await begin(app, user, directory) }
            try await view.users.delete("ada")
            #expect(try await users(app, directory) == ["bob"])
            try await view.awaitWrite { try $0.asPresentAdministrator(to: "test").backends.delete(app) }
            #expect(try await users(app, directory).isEmpty)
            #expect(try await users(other, directory) == ["bob"])
        }
    }

    @Test(
        "A page takes the same work for an app with four times as many people and tokens", arguments: Place.allCases)
    func pageWork(place: Place) async throws {
        var found: [StatementWork] = []
        for count in [30, 120] {
            try await withDirectory(place) { (directory: Directory) async throws in
                let view = directory.unrestricted
                let app = try await backend("a", directory)
                try await view.users.load((0..<count).map { NewUser("u\($0)") })
                for number in 0..<count {
                    let id = try await view.users.user(.named("u\(number)"), attributes: ["uid"]).id
                    for _ in 0..<(count < 100 ? 1 : 4) { _ = try await begin(app, id, directory) }
                }
                func page() async throws {
                    let page = try await view.awaitRead { try $0.backends.users(of: app, after: nil, count: 20) }
                    #expect(page.users.count == 20 && page.next != nil)
                }
                try await page()
                found.append(try await work(on: directory) { try await page() })
            }
        }
        #expect(found[1].isSame(as: found[0]), "\(found)")
        #expect(found[0].statements > 0)
    }
}
