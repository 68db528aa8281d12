import Foundation
import RosterStore
import Synchronization
import Testing
import TestSupport

@testable import Roster

@Suite("What no index answers", .timeLimit(.minutes(3)))
struct ResidualTests {
    private static func plan(_ filter: String, in directory: Directory) throws -> SearchPlan {
        try directory.unrestricted.read { session in
            let filter = try Filter(scim: filter, vocabulary: session.vocabulary, for: .user)
            return try session.search.firstPlan(SearchQuery(filter, of: .user, session)).plan
        }
    }

    @Test(
        "A filter hands a record over once, with each of the values that it compares once",
        arguments: [
            ((0..<100).map { "locale ew \"\($0)\"" }.joined(separator: " or "), 1),
            ((0..<50).map { "locale co \"\($0)\" and not (timezone sw \"\($0)\")" }.joined(separator: " or "), 2),
            ("userName sw \"a\" and (locale eq \"b\" or locale eq \"c\" or not (locale pr))", 1),
            ("phoneNumbers[type eq \"work\" and (value ew \"1\" or value ew \"2\")]", 2),
        ])
    func sharesRecords(filter: String, columns: Int) throws {
        let plan = try Self.plan(filter, in: Directory.inMemory())
        #expect(plan.residuals.all.count == 1)
        #expect(plan.residuals.columns.count == columns)
    }

    @Test(
        "The text index answers three characters of a list's values, with and without naming the part",
        arguments: ["emails co \"smi\"", "emails.value co \"smi\""])
    func answersSubstringsByTheTextIndex(filter: String) throws {
        let plan = try Self.plan(filter, in: Directory.inMemory())
        #expect(plan.selection.source.hasPrefix("text_index"))
        #expect(plan.residuals.all.isEmpty)
    }

    @Test(
        "The text index leads a search for longer text, and only the rows that it finds are looked at",
        arguments: ["emails co \"smith\"", "emails.value co \"smith\"", "title pr and emails co \"smith\""])
    func looksAtCandidates(filter: String) throws {
        let plan = try Self.plan(filter, in: Directory.inMemory())
        #expect(plan.selection.source.hasPrefix("text_index"))
        #expect(plan.residuals.all.count == 1)
        #expect(!plan.selection.condition.contains("attribute_value"))
    }

    @Test("A value is brought into the form in which it is compared once for each record")
    func foldsOnce() throws {
        let store = try Store(.memory, mappedBytes: 0, now: Date())
        let selected = Atomic<Int>(0)
        let column = ResidualColumn(stored: "locale", isCaseExact: false) { value in
            selected.add(1, ordering: .relaxed)
            return value
        }
        try store.read { connection in
            let text = Array(#"{"locale":"DE"}"#.utf8)
            let record = text.withUnsafeBufferPointer { ResidualRecord(1, $0, [column], connection) }
            for _ in 0..<100 {
                let keys = try record.keys(ofColumn: 0)
                #expect(keys == [.text("de")])
            }
        }
        #expect(selected.load(ordering: .relaxed) == 1)
    }

    /// A directory with one user, whose record an endless condition looks at.
    private static func withEndlessCondition(_ body: (Store) async throws -> Void) async throws {
        try await withDirectory(.file) { (directory: Directory) async throws in
            _ = try await directory.unrestricted.users.create("ada")
            try await body(directory.core.store)
        }
    }

    @Sendable
    private static func compareForEver(_ connection: Connection, until deadline: ContinuousClock.Instant) throws {
        let residuals = Residuals(all: [
            .condition { record in
                while true { try record.step() }
            }
        ])
        connection.rowFunction = residuals.rowFunction(on: connection)
        connection.deadline = deadline
        defer {
            connection.rowFunction = nil
            connection.deadline = nil
        }
        try connection.forEach(dynamic: "SELECT 1 FROM users u WHERE roster_residual(0, u.id, u.attributes)", []) { _ in
            true
        }
    }

    @Test("The time of a search ends within a comparison, not only between rows")
    func endsInTime() async throws {
        try await Self.withEndlessCondition { store in
            let code = await code {
                try await store.awaitRead(for: .search(nil)) { try Self.compareForEver($0, until: .now) }
            }
            #expect(code == .limitExceeded)
        }
    }

    @Test("A search that nobody waits for any more ends within a comparison")
    func isCancelled() async throws {
        try await Self.withEndlessCondition { store in
            let begun = Gate()
            begun.open()
            let search = Task {
                try await store.awaitRead(for: .search(nil)) { connection in
                    begun.pass()
                    try Self.compareForEver(connection, until: .now + .seconds(3_600))
                }
            }
            _ = try await onThread { begun.waitForArrivals() }
            search.cancel()
            await #expect(throws: CancellationError.self) { try await search.value }
        }
    }

    @Test("Comparisons within brackets count as all others do")
    func countsInBrackets() throws {
        let many = (0...Filter.maximumComparisons).map { "value eq \"\($0)\"" }.joined(separator: " or ")
        #expect(code { try Self.plan("phoneNumbers[\(many)]", in: Directory.inMemory()) } == .invalidFilter)
    }

    @Test("Text is found where it stands, and nowhere else")
    func findsText() {
        var numbers = SeededNumbers(seed: 9)
        func text(_ length: ClosedRange<Int>) -> String {
            String(
                (0..<Int.random(in: length, using: &numbers)).map { _ in "ab".randomElement(using: &numbers) ?? "a" })
        }
        for _ in 0..<5_000 {
            let (whole, part) = (text(0...20), text(0...5))
            let pattern = ByteText(part, isContained: true)
            #expect(pattern.isContained(in: whole) == (part.isEmpty || whole.contains(part)), "'\(part)' in '\(whole)'")
            #expect(pattern.begins(whole) == whole.hasPrefix(part))
            #expect(pattern.ends(whole) == whole.hasSuffix(part))
            #expect(pattern.isEqual(to: whole) == (whole == part))
            #expect(pattern.precedes(whole) == (part < whole) && pattern.follows(whole) == (part > whole))
        }
    }
}
