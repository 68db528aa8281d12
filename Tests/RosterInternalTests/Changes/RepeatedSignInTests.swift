import Foundation
import RosterStore
import RosterText
import Testing
import TestSupport

@testable import Roster

@Suite("Repeated sign-ins in the change feed")
struct RepeatedSignInTests {
    private static let start = Date(timeIntervalSince1970: 1_800_000_000)

    private static func entry(
        _ kind: Change.Kind = .signedIn, id: Int64 = 7, from: String = "192.0.2.1", browser: String = "Firefox",
        app: String = "Mail"
    ) -> AuditEntry {
        AuditEntry(
            kind, .user, id: id, name: "ada", actor: "sign-in",
            detail: [
                "from": .string(from), "browser": .string(browser), "backend": .string(app), "means": "session",
            ])
    }

    private func withFeed(
        _ place: Place, _ body: (Directory, SettableClock) async throws -> Void
    ) async throws {
        let clock = SettableClock(Self.start)
        try await withDirectory(place, clock: { clock.now }) { (directory: Directory) async throws in
            try await body(directory, clock)
            #expect(try await directory.unrestricted.check().isEmpty)
        }
    }

    @Test(
        "Sign-ins that are alike within an hour are one entry, with their number, the first and the last time",
        arguments: Place.allCases)
    func merges(place: Place) async throws {
        try await withFeed(place) { directory, clock in
            for _ in 0..<60 {
                try await directory.audit([(Self.entry(), 2)])
                clock.advance(by: 60)
            }
            let changes = try await directory.unrestricted.changes.since(0)
            #expect(changes.map(\.count) == [120])
            #expect(changes.map(\.time) == [Self.start])
            #expect(changes.map(\.lastTime) == [Self.start.addingTimeInterval(59 * 60)])
            clock.advance(by: 1)
            try await directory.audit([(Self.entry(), 1)])
            #expect(try await directory.unrestricted.changes.since(0).map(\.count) == [120, 1])
        }
    }

    @Test("Another person, app, address, browser or outcome is an entry of its own", arguments: Place.allCases)
    func keepsApart(place: Place) async throws {
        try await withFeed(place) { directory, _ in
            let entries = [
                Self.entry(), Self.entry(.refused), Self.entry(.granted), Self.entry(id: 8),
                Self.entry(from: "192.0.2.2"), Self.entry(browser: "Safari"), Self.entry(app: "Chat"),
            ]
            for _ in 0..<3 { try await directory.audit(entries.map { ($0, 1) }) }
            let changes = try await directory.unrestricted.changes.since(0)
            #expect(changes.map(\.count) == Array(repeating: 3, count: entries.count))
            #expect(changes.map(\.kind) == entries.map(\.kind))
        }
    }

    @Test("An entry of the feed is never altered: only the number beside it grows", arguments: Place.allCases)
    func neverAlters(place: Place) async throws {
        try await withFeed(place) { directory, clock in
            try await directory.unrestricted.users.create("ada")
            func rows() throws -> [[String]] {
                try directory.core.store.read { connection in
                    try connection.all("SELECT sequence, time, name, after FROM change ORDER BY sequence") { row in
                        ["\(row.integer(0))", "\(row.integer(1))", row.text(2), row.text(3)]
                    }
                }
            }
            try await directory.audit([(Self.entry(), 1)])
            let before = try rows()
            for _ in 0..<100 {
                clock.advance(by: 1)
                try await directory.audit([(Self.entry(), 5)])
            }
            #expect(try rows() == before)
            #expect(try await directory.unrestricted.changes.since(0).map(\.count) == [1, 501])
            try await directory.unrestricted.users.create("bob")
            #expect(try await directory.unrestricted.changes.since(0).map(\.sequence) == [1, 2, 3])
        }
    }

    @Test(
        "Each view of the history has the number: the audit log, the user's sign-ins and the wire",
        arguments: Place.allCases)
    func views(place: Place) async throws {
        try await withFeed(place) { directory, clock in
            let ada = try await directory.unrestricted.users.create("ada").id
            try await directory.audit([(Self.entry(id: ada.rawValue), 4)])
            let view = directory.unrestricted
            let log = try view.read { try $0.feed.latestChanges(ChangeFilter(kind: .signedIn), before: nil, limit: 5) }
            #expect(log.changes.map(\.count) == [4])
            let own = directory.acting(as: .user(ada))
            #expect(try own.read { try $0.feed.signIns(of: .id(ada), limit: 5) }.map(\.count) == [4])
            #expect(try own.read { try $0.feed.history(of: .id(ada), limit: 5) }.map(\.count) == [4, 1])
            let change = try #require(log.changes.first)
            #expect(change.json["count"] == 4 && change.json["last_time"] != nil)
        }
    }

    @Test("Pruning, compacting and erasing take the numbers along", arguments: Place.allCases)
    func ends(place: Place) async throws {
        try await withFeed(place) { directory, clock in
            let view = directory.unrestricted
            func numbers() throws -> Int64? {
                try directory.core.store.read {
                    try $0.first("SELECT count(*) FROM repeated_sign_in") { $0.integer(0) }
                }
            }
            try await directory.audit([(Self.entry(), 3)])
            clock.advance(by: 181 * 86_400)
            try await directory.audit([(Self.entry(), 3)])
            #expect(try numbers() == 2)
            #expect(try await view.changes.prune() == 1)
            #expect(try numbers() == 1)
            try await view.changes.compact(through: 2)
            #expect(try numbers() == 0)
        }
    }
}
