import Foundation
import RosterStore
import Synchronization
import Testing
import TestSupport

@testable import Roster

/// A statement that takes for ever unless it is interrupted.
private let endless = "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
private let endlessRows = "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"

@Suite("Cancellation at every stage", .timeLimit(.minutes(3)))
struct CancellationTests {
    static func withStore(_ place: Place, _ body: (Store) async throws -> Void) async throws {
        try await withFolder { folder in
            let location: Store.Location =
                place == .memory ? .memory : .file(folder.appendingPathComponent("test.db").path, readOnly: false)
            let store = try Store(location, mappedBytes: 0, now: Date())
            defer { store.close() }
            try await store.awaitWrite { try $0.run(script: "CREATE TABLE mark (text TEXT NOT NULL) STRICT") }
            try await body(store)
        }
    }

    static func mark(_ text: String, on connection: Connection) throws {
        try connection.run(dynamic: "INSERT INTO mark VALUES ('\(text)')")
    }

    static func marks(in store: Store) throws -> [String] {
        try store.read { try $0.all("SELECT text FROM mark ORDER BY text") { $0.text(0) } }
    }

    /// The store takes reads and changes as ever; nothing of what was cancelled is there.
    static func expectUsable(
        _ store: Store, marks expected: [String] = [], _ location: SourceLocation = #_sourceLocation
    )
        async throws
    {
        #expect(try marks(in: store) == expected, sourceLocation: location)
        try await store.awaitWrite { try mark("after", on: $0) }
        try store.write { try mark("again", on: $0) }
        #expect(try marks(in: store) == (expected + ["after", "again"]).sorted(), sourceLocation: location)
        #expect(
            try await store.awaitRead(for: .search(nil)) { try $0.first("SELECT count(*) FROM mark") { $0.integer(0) } }
                == Int64(expected.count + 2), sourceLocation: location)
    }

    enum Verb: String, CaseIterable { case read, write }

    static func start<Value: Sendable>(
        _ verb: Verb, in store: Store, _ body: @escaping @Sendable (Connection) throws -> Value
    ) -> Task<Value, any Error> {
        Task {
            switch verb {
            case .read: try await store.awaitRead(for: .search(nil), body)
            case .write: try await store.awaitWrite(body)
            }
        }
    }

    /// Cancels a task that has arrived at the gate, and expects that it ends and leaves the store usable.
    static func cancel(
        _ task: Task<some Sendable, any Error>, at gate: Gate, in store: Store,
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        _ = try await onThread { gate.waitForArrivals() }
        for _ in 0..<20 { await Task.yield() }
        task.cancel()
        gate.open()
        await #expect(throws: CancellationError.self, sourceLocation: location) { try await task.value }
        try await expectUsable(store, location)
    }

    @Test("Before it starts", arguments: Verb.allCases, Place.allCases)
    func beforeStart(verb: Verb, place: Place) async throws {
        try await Self.withStore(place) { (store: Store) async throws in
            let runs = Atomic<Int>(0)
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                switch verb {
                case .read: try await store.awaitRead(for: .search(nil)) { _ in _ = runs.add(1, ordering: .relaxed) }
                case .write:
                    try await store.awaitWrite { connection in
                        runs.add(1, ordering: .relaxed)
                        try Self.mark("never", on: connection)
                    }
                }
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(runs.load(ordering: .relaxed) == 0)
            let brief = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await store.awaitRead(for: .lookUp) { _ in 1 }
            }
            await #expect(throws: CancellationError.self) { try await brief.value }
            try await Self.expectUsable(store)
        }
    }

    @Test("While it waits for a connection or in line", arguments: Verb.allCases, Place.allCases)
    func waiting(verb: Verb, place: Place) async throws {
        try await Self.withStore(place) { (store: Store) async throws in
            let gate = Gate()
            let runs = Atomic<Int>(0)
            // Everything that could serve the task is taken.
            let count =
                verb == .write || place == .memory ? 1 : Store.searchCount
            let holders = (0..<count).map { _ in Self.start(verb, in: store) { _ in gate.pass() } }
            _ = try await onThread { gate.waitForArrivals(count) }
            let task = Self.start(verb, in: store) { connection in
                runs.add(1, ordering: .relaxed)
                if verb == .write { try Self.mark("never", on: connection) }
            }
            let other = Self.start(verb, in: store) { connection in
                if verb == .write { try Self.mark("other", on: connection) }
            }
            for _ in 0..<50 { await Task.yield() }
            task.cancel()
            if verb == .read {
                await #expect(throws: CancellationError.self) { try await task.value }
            }
            gate.open()
            await #expect(throws: CancellationError.self) { try await task.value }
            for holder in holders { try await holder.value }
            try await other.value
            #expect(runs.load(ordering: .relaxed) == 0)
            try await Self.expectUsable(store, marks: verb == .write ? ["other"] : [])
        }
    }

    @Test("While a statement runs", arguments: Verb.allCases, Place.allCases)
    func statementRunning(verb: Verb, place: Place) async throws {
        try await Self.withStore(place) { (store: Store) async throws in
            let begun = Gate()
            begun.open()
            let task = Self.start(verb, in: store) { connection in
                if verb == .write { try Self.mark("never", on: connection) }
                begun.pass()
                try connection.forEach(dynamic: endless, []) { _ in true }
            }
            try await Self.cancel(task, at: begun, in: store)
        }
    }

    @Test("While a changing statement runs, which ends the whole transaction", arguments: Place.allCases)
    func changingStatementRunning(place: Place) async throws {
        try await Self.withStore(place) { (store: Store) async throws in
            let begun = Gate()
            begun.open()
            let task = Self.start(.write, in: store) { connection in
                try Self.mark("never", on: connection)
                begun.pass()
                try connection.run(dynamic: "INSERT INTO mark SELECT i FROM (\(endlessRows)) WHERE i % 1000 = 0")
            }
            try await Self.cancel(task, at: begun, in: store)
        }
    }

    @Test("While rows are read", arguments: Verb.allCases, Place.allCases)
    func rowsBeingRead(verb: Verb, place: Place) async throws {
        try await Self.withStore(place) { (store: Store) async throws in
            let rows = Gate()
            let task = Self.start(verb, in: store) { connection in
                if verb == .write { try Self.mark("never", on: connection) }
                var count = 0
                try connection.forEach(dynamic: endlessRows, []) { _ in
                    count += 1
                    if count == 10 { rows.pass() }
                    return true
                }
            }
            try await Self.cancel(task, at: rows, in: store)
        }
    }

    @Test("Between two statements", arguments: Verb.allCases, Place.allCases)
    func betweenStatements(verb: Verb, place: Place) async throws {
        try await Self.withStore(place) { (store: Store) async throws in
            let between = Gate()
            let task = Self.start(verb, in: store) { connection in
                _ = try Self.readOne(connection)
                if verb == .write { try Self.mark("never", on: connection) }
                between.pass()
                _ = try Self.readOne(connection)
            }
            try await Self.cancel(task, at: between, in: store)
        }
    }

    static func readOne(_ connection: Connection) throws -> Int64? {
        try connection.first("SELECT count(*) FROM mark") { $0.integer(0) }
    }

    @Test("After success nothing changes", arguments: Verb.allCases, Place.allCases)
    func afterSuccess(verb: Verb, place: Place) async throws {
        try await Self.withStore(place) { (store: Store) async throws in
            let task = Self.start(verb, in: store) { connection in
                if verb == .write { try Self.mark("done", on: connection) }
            }
            try await task.value
            task.cancel()
            try await task.value
            try await Self.expectUsable(store, marks: verb == .write ? ["done"] : [])
        }
    }

    @Test("A cancellation after the last statement but before COMMIT takes the change back", arguments: Place.allCases)
    func beforeCommit(place: Place) async throws {
        try await Self.withStore(place) { (store: Store) async throws in
            let written = Gate()
            let task = Self.start(.write, in: store) { connection in
                try Self.mark("never", on: connection)
                written.pass()
            }
            try await Self.cancel(task, at: written, in: store)
        }
    }

    @Test("Once COMMIT has begun a cancellation changes nothing and interrupts nobody")
    func afterCommitBegan() throws {
        let connection = try Connection(path: ":memory:", mode: .init(isWriter: true, mappedBytes: 0))
        let cancellation = Cancellation()
        try cancellation.run(on: connection)
        cancellation.pause(on: connection)
        #expect(cancellation.endCancellability())
        cancellation.cancel()
        #expect(!cancellation.isCancelled)
        let late = Cancellation()
        late.cancel()
        #expect(!late.endCancellability())
        #expect(throws: CancellationError.self) { try late.run(on: connection) }
        #expect(throws: CancellationError.self) { try late.wait {} }
        // The next statement runs to its end.
        #expect(try connection.first("SELECT 1") { $0.integer(0) } == 1)
    }

    @Test(
        "A cancellation ends a running statement or script even if its interrupt came just before the beginning",
        arguments: [false, true])
    func interruptLost(isScript: Bool) throws {
        let connection = try Connection(path: ":memory:", mode: .init(isWriter: true, mappedBytes: 0))
        let cancellation = Cancellation()
        // The cancellation does not know the connection, and so sends no interrupt.
        connection.cancellation = cancellation
        connection.rowFunction = { _, _, _ in
            cancellation.cancel()
            return .null
        }
        let text = "SELECT count(*) FROM (\(endlessRows)) WHERE i > 1 OR roster_residual(0, i, '') IS NULL"
        #expect(throws: CancellationError.self) {
            if isScript { return try connection.run(script: text) }
            try connection.forEach(dynamic: text, []) { _ in true }
        }
    }

    @Test("Long reads do not hold up Swift's own threads")
    func longReadsLeaveTasksAlone() async throws {
        try await Self.withStore(.file) { (store: Store) async throws in
            let begun = Gate()
            begun.open()
            let count = ProcessInfo.processInfo.activeProcessorCount
            let searches = (0..<count).map { _ in
                Self.start(.read, in: store) { connection in
                    begun.pass()
                    try connection.forEach(dynamic: endless, []) { _ in true }
                }
            }
            _ = try await onThread { begun.waitForArrivals(count) }
            // The searches never end by themselves: tasks that come to an end beside them have threads of their own.
            for _ in 0..<10 { await Task.detached { await Task.yield() }.value }
            for search in searches { search.cancel() }
            for search in searches { await #expect(throws: CancellationError.self) { try await search.value } }
        }
    }

    @Test("Whatever the moment, what the caller hears is what is stored", arguments: Place.allCases)
    func callerHearsTheTruth(place: Place) async throws {
        let seed = randomSeed()
        var numbers = SeededNumbers(seed: seed)
        try await Self.withStore(place) { (store: Store) async throws in
            var kept: [String] = []
            for number in 0..<300 {
                let name = "m" + String(1000 + number)
                let task = Self.start(.write, in: store) { try Self.mark(name, on: $0) }
                let pause = Int.random(in: 0..<400, using: &numbers)
                for _ in 0..<pause { _ = numbers.next() }
                if pause % 3 == 0 { await Task.yield() }
                task.cancel()
                switch await task.result {
                case .success: kept.append(name)
                case .failure(let error): #expect(error is CancellationError, "seed \(seed)")
                }
            }
            #expect(try Self.marks(in: store) == kept, "seed \(seed)")
        }
    }

    @Test("Cancelling every other one of 400 tasks hits none of the others", arguments: Place.allCases)
    func othersAreNotHit(place: Place) async throws {
        try await Self.withStore(place) { (store: Store) async throws in
            for round in 0..<15 {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<400 {
                        let verb = Verb.allCases[number / 2 % 2]
                        let task = Self.start(verb, in: store) { connection -> Int64? in
                            for _ in 0..<3 { _ = try Self.readOne(connection) }
                            return try connection.first("SELECT count(*) FROM sqlite_schema") { $0.integer(0) }
                        }
                        group.addTask {
                            if number % 2 == 0 {
                                task.cancel()
                                do { _ = try await task.value } catch is CancellationError {}
                            } else {
                                #expect(try await task.value ?? 0 > 0, "round \(round)")
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
            try await Self.expectUsable(store)
        }
    }
}
