import Foundation
import Roster
import Testing
import TestSupport

@Suite("How long the change feed is kept")
struct RetentionTests {
    static let start = Date(timeIntervalSince1970: 1_800_000_000)

    /// Writes a feed, a letter an entry and a day a step: `c` is a change, `s` a sign-in, `-` a day without anything.
    static func write(_ days: String, to directory: Directory, _ clock: SettableClock) async throws {
        for day in days {
            switch day {
            case "c":
                let number = try await directory.unrestricted.changes.lastSequence()
                try await directory.unrestricted.users.create("u\(number)")
            case "s":
                try await directory.audit([
                    (
                        AuditEntry(
                            .signedIn, .user, id: 1, name: "ada", actor: "sign-in", detail: ["from": "192.0.2.1"]), 1
                    )
                ])
            default: break
            }
            clock.advance(by: 86_400)
        }
    }

    /// The feed as text: `1c 2-4 5c`.
    static func text(_ changes: [Change]) -> String {
        changes.map { change in
            change.kind == .pruned
                ? "\(change.first)-\(change.sequence)" : "\(change.sequence)\(change.kind == .created ? "c" : "s")"
        }.joined(separator: " ")
    }

    private func withFeed(
        _ place: Place, _ days: String, _ body: (Directory, ChangeFeed, SettableClock) async throws -> Void
    ) async throws {
        let clock = SettableClock(Self.start)
        try await withDirectory(place, clock: { clock.now }) { directory in
            try await Self.write(days, to: directory, clock)
            try await body(directory, directory.unrestricted.changes, clock)
            #expect(try await directory.unrestricted.check().isEmpty)
        }
    }

    @Test("A new directory keeps changes for ever and sign-ins for 180 days", arguments: Place.allCases)
    func defaults(place: Place) async throws {
        try await withFeed(place, "css") {
            (directory: Directory, feed: ChangeFeed, clock: SettableClock) async throws in
            #expect(try await feed.retention() == Retention(changes: nil, signIns: 180))
            clock.advance(by: 178 * 86_400 - 1)
            #expect(try await feed.prune() == 0)
            clock.advance(by: 2)
            #expect(try await feed.prune() == 1)
            clock.advance(by: 1_000 * 86_400)
            #expect(try await feed.prune() == 1)
            #expect(try await Self.text(feed.since(0)) == "1c 2-3")
        }
    }

    @Test("Sign-ins that are pruned from the middle are told by one entry for each run", arguments: Place.allCases)
    func middle(place: Place) async throws {
        try await withFeed(place, "cssscscsc") {
            (directory: Directory, feed: ChangeFeed, clock: SettableClock) async throws in
            try await feed.setRetention(Retention(signIns: 1))
            #expect(try await feed.prune() == 5)
            #expect(try await Self.text(feed.since(0)) == "1c 2-4 5c 6-6 7c 8-8 9c")
            #expect(try await feed.lastSequence() == 9)
            #expect(try await Self.text(feed.since(1)) == "2-4 5c 6-6 7c 8-8 9c", "who stopped before the run is told")
            #expect(try await Self.text(feed.since(4)) == "5c 6-6 7c 8-8 9c")
            for position in [2, 3] as [Int64] {
                let error = await #expect(throws: DirectoryError.self) { try await feed.since(position) }
                #expect(error?.code == .changesCompacted, "who stopped within the run missed a part of it")
                #expect(error?.message.contains("from 2 to 4") == true && error?.message.contains("is 5") == true)
            }
            // Page by page nobody ever stops within a run.
            var (position, seen): (Int64, [Change]) = (0, [])
            while let next = try await feed.since(position, limit: 1).first {
                seen.append(next)
                position = next.sequence
            }
            #expect(Self.text(seen) == "1c 2-4 5c 6-6 7c 8-8 9c")
            #expect(try await feed.prune() == 0, "pruning again changes nothing")
        }
    }

    @Test("Runs that grow together are told as one, and the beginning is refused", arguments: Place.allCases)
    func merging(place: Place) async throws {
        try await withFeed(place, "cscssscc") {
            (directory: Directory, feed: ChangeFeed, clock: SettableClock) async throws in
            try await feed.setRetention(Retention(signIns: 4))
            try await feed.prune()
            #expect(try await Self.text(feed.since(0)) == "1c 2-2 3c 4-4 5s 6s 7c 8c")
            clock.advance(by: 86_400)
            try await feed.prune()
            #expect(try await Self.text(feed.since(0)) == "1c 2-2 3c 4-5 6s 7c 8c")
            try await feed.setRetention(Retention(changes: 6, signIns: 4))
            try await feed.prune()
            let error = await #expect(throws: DirectoryError.self) { try await feed.since(1) }
            #expect(error?.code == .changesCompacted)
            #expect(try await Self.text(feed.since(5)) == "6s 7c 8c")
            clock.advance(by: 100 * 86_400)
            #expect(try await feed.prune() == 3)
            #expect(try await feed.lastSequence() == 8)
            #expect(try await feed.since(8).isEmpty)
            try await directory.unrestricted.users.create("new")
            #expect(try await Self.text(feed.since(8)) == "9c", "numbers go on")
        }
    }

    @Test("Changes go by age where that is set, and sign-ins between them stay as long as theirs")
    func changesOnly() async throws {
        try await withFeed(.memory, "cscsc") {
            (directory: Directory, feed: ChangeFeed, clock: SettableClock) async throws in
            try await feed.setRetention(Retention(changes: 1, signIns: nil))
            #expect(try await feed.prune() == 2)
            #expect(try await Self.text(feed.since(1)) == "2s 3-3 4s 5c")
            try await feed.compact(through: 2)
            #expect(try await Self.text(feed.since(3)) == "4s 5c", "a pruned run goes as a whole")
            await #expect(throws: DirectoryError.self) { try await feed.since(2) }
        }
    }

    @Test("Whoever follows from what is gone is told so")
    func following() async throws {
        try await withFeed(.memory, "ccccc") {
            (directory: Directory, feed: ChangeFeed, clock: SettableClock) async throws in
            try await feed.setRetention(Retention(changes: 2))
            try await feed.prune()
            await #expect(throws: DirectoryError.self) { for try await _ in feed.follow(since: 0) { break } }
        }
    }

    @Test("A retention survives reopening, and is for administrators to set, within bounds")
    func setting() throws {
        try withFolder { folder in
            let file = folder.appendingPathComponent("d.db")
            let directory = try Directory(at: file)
            try directory.unrestricted.changes.setRetention(Retention(changes: 30, signIns: nil))
            for days in [0, -1, 365_251, Int.max, Int.min] {
                #expect(
                    code { try directory.unrestricted.changes.setRetention(Retention(changes: days)) } == .limitExceeded
                )
            }
            directory.close()
            let again = try reopen(file)
            #expect(try again.unrestricted.changes.retention() == Retention(changes: 30, signIns: nil))
            again.close()
        }
        try AccessTests.withCallers(.memory) { (_: Directory, view: AccessTests.Callers) throws in
            for who in AccessTests.Who.allCases where who != .administrator {
                #expect(code { try view(who).changes.retention() } == .notPermitted)
                #expect(code { try view(who).changes.setRetention(Retention()) } == .notPermitted)
                #expect(code { try view(who).changes.prune() } == .notPermitted)
                #expect(code { try view(who).users.erase([]) } == .notPermitted)
                #expect(code { try view(who).users.deleted("ada") } == .notPermitted)
            }
        }
    }

    @Test("A long feed is pruned in many short transactions, to the last entry")
    func longFeed() async throws {
        let clock = SettableClock(Self.start)
        let directory = try emptyDirectory(clock: { clock.now })
        let entries = (0..<3_500).map { number in
            (AuditEntry(.refused, .user, id: 0, name: "x\(number)", actor: "sign-in", detail: [:]), 1)
        }
        try await directory.unrestricted.users.create("first")
        try await directory.audit(entries)
        clock.advance(by: 181 * 86_400)
        #expect(try await directory.unrestricted.changes.prune() == 3_500)
        #expect(try await Self.text(directory.unrestricted.changes.since(0)) == "1c 2-3501")
        #expect(try await directory.unrestricted.check().isEmpty)
    }
}
