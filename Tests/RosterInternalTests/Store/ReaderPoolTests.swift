import Foundation
import RosterText
import Testing
import TestSupport

@testable import Roster
@testable import RosterStore

@Suite("Readers are shared", .timeLimit(.minutes(3)))
struct ReaderPoolTests {
    private static let ada = Requester(id: 1, isLimited: true)
    private static let bob = Requester(id: 2, isLimited: true)
    private static let program = Requester(name: "hr", isLimited: false)

    /// A store whose searches all run until the gate is open.
    private static func withBusyStore(
        by caller: Requester? = nil, _ body: (Store, Gate) async throws -> Void
    ) async throws {
        try await CancellationTests.withStore(.file) { (store: Store) async throws in
            let gate = Gate()
            let searches = (0..<Store.searchCount).map { _ in
                Task { try await store.awaitRead(for: .search(caller)) { _ in gate.pass() } }
            }
            _ = try await onThread { gate.waitForArrivals(Store.searchCount) }
            do {
                try await body(store, gate)
            } catch {
                gate.open()
                throw error
            }
            gate.open()
            for search in searches { try await search.value }
        }
    }

    @Test("Searches leave readers to look-ups, however many searches there are")
    func searchesLeaveReaders() async throws {
        try await Self.withBusyStore { store, gate in
            let waiting = (0..<50).map { _ in
                Task { try await store.awaitRead(for: .search(nil)) { _ in gate.pass() } }
            }
            for _ in 0..<50 { await Task.yield() }
            #expect(try await store.awaitRead(for: .lookUp) { try $0.first("SELECT 1") { $0.integer(0) } } == 1)
            #expect(try store.read { try $0.first("SELECT 2") { $0.integer(0) } } == 2)
            gate.open()
            for search in waiting { try await search.value }
        }
    }

    @Test("Whoever must not wait is told at once that every reader is taken")
    func neverWaits() async throws {
        try await Self.withBusyStore { store, gate in
            let lookUps = (0..<Store.lookUpCount).map { _ in
                Task { try await store.awaitRead(for: .lookUp) { _ in gate.pass() } }
            }
            _ = try await onThread { gate.waitForArrivals(Store.searchCount + Store.lookUpCount) }
            #expect(store.lookUpAtOnce { true } == nil)
            let later = Task {
                try await store.awaitReader(for: .lookUp) {
                    try store.read { try $0.first("SELECT 3") { $0.integer(0) } }
                }
            }
            gate.open()
            #expect(try await later.value == 3)
            for lookUp in lookUps { try await lookUp.value }
        }
    }

    @Test("Everything that is looked up at once goes to one reader, which other threads do not get")
    func keepsReader() async throws {
        try await CancellationTests.withStore(.file) { (store: Store) async throws in
            try store.read { _ in }
            let handles = try store.lookUpAtOnce {
                let own = [
                    try store.read { ObjectIdentifier($0) }, try store.read { ObjectIdentifier($0) },
                ]
                let nested = try store.read { outer in
                    try store.read { ObjectIdentifier($0) } == ObjectIdentifier(outer)
                }
                #expect(!nested, "a reader that is in use is not used twice")
                let other = Gathered<ObjectIdentifier>()
                Thread.detachNewThread {
                    if let handle = try? store.read({ ObjectIdentifier($0) }) { other.append(handle) }
                }
                return own + other.wait(for: 1)
            }
            let found = try #require(handles)
            #expect(found.count == 3 && found[0] == found[1] && found[1] != found[2])
            try await CancellationTests.expectUsable(store)
        }
    }

    @Test("Of one user some searches run, some wait and the next is refused, while others search")
    func limitsUsers() async throws {
        try await CancellationTests.withStore(.file) { (store: Store) async throws in
            let (gate, begun) = (Gate(), Gate())
            begun.open()
            let limit = DirectoryLimits.maximumSearchesOfUser + DirectoryLimits.maximumWaitingSearchesOfUser
            let searches = (0..<limit).map { _ in
                Task {
                    while true {
                        do {
                            return try await store.awaitRead(for: .search(Self.ada)) { _ in
                                begun.pass()
                                gate.pass()
                            }
                        } catch let error as DirectoryError where error.code == .overloaded {
                            // One of the probes below waits in the place of this search.
                            await Task.yield()
                        }
                    }
                }
            }
            _ = try await onThread { begun.waitForArrivals(DirectoryLimits.maximumSearchesOfUser) }
            // The others wait as soon as they have asked; the first probe that is refused shows that all have.
            var refusal: (any Error)?
            while refusal == nil {
                let probe = Task { try await store.awaitRead(for: .search(Self.ada)) { _ in } }
                for _ in 0..<100 { await Task.yield() }
                probe.cancel()
                do { try await probe.value } catch { refusal = error is CancellationError ? nil : error }
            }
            #expect((refusal as? DirectoryError)?.code == .overloaded)
            #expect(throws: DirectoryError.self) { try store.read(for: .search(Self.ada)) { _ in } }
            #expect(try await store.awaitRead(for: .search(Self.bob)) { _ in 1 } == 1)
            #expect(try await store.awaitRead(for: .lookUp) { _ in 2 } == 2)
            gate.open()
            for search in searches { try await search.value }
            #expect(try await store.awaitRead(for: .search(Self.ada)) { _ in 3 } == 3)
        }
    }

    @Test("Programs' searches are not refused, and leave one to the others")
    func programsWait() async throws {
        try await CancellationTests.withStore(.file) { (store: Store) async throws in
            let gate = Gate()
            let searches = (0..<100).map { _ in
                Task { try await store.awaitRead(for: .search(Self.program)) { _ in gate.pass() } }
            }
            _ = try await onThread { gate.waitForArrivals(Store.searchCount - 1) }
            #expect(try await store.awaitRead(for: .search(Self.ada)) { _ in 1 } == 1)
            gate.open()
            for search in searches { try await search.value }
        }
    }

    @Test("Callers whose searches wait take turns")
    func takesTurns() throws {
        let pool = ReaderPool(maximum: 1, maximumSearches: 1) {
            try Connection(path: ":memory:", mode: .init(isWriter: false, mappedBytes: 0))
        }
        let first = try pool.take(for: .search(nil))
        let order = Gathered<String>()
        for (caller, name) in [(Self.ada, "ada"), (Self.ada, "ada"), (Self.ada, "ada"), (Self.bob, "bob")] {
            pool.request(for: .search(caller), cancellation: nil) { result in
                order.append(name)
                if let connection = try? result.get() { pool.give(connection, after: .search(caller)) }
            }
        }
        pool.give(first, after: .search(nil))
        #expect(order.wait(for: 4) == ["ada", "bob", "ada", "ada"])
    }

    @Test("Look-ups that wait share a reader and its expected reads, sixteen at a time")
    func sharesReaders() throws {
        let pool = ReaderPool(maximum: 1, maximumSearches: 1) {
            try Connection(path: ":memory:", mode: .init(isWriter: false, mappedBytes: 0))
        }
        let first = try pool.take(for: .lookUp)
        let groups = Gathered<Int>()
        for number in 0..<20 {
            let read = ExpectedRead("SELECT ?1", [.integer(Int64(number))])
            pool.request(for: .lookUp, sharedReads: [read], cancellation: nil) { result in
                groups.append((try? result.get().expectedReads.count) ?? 0)
            }
        }
        let alone = Gathered<Bool>()
        pool.request(for: .lookUp, cancellation: nil) { result in
            guard let connection = try? result.get() else { return }
            alone.append(connection.expectedReads.isEmpty)
            pool.give(connection, after: .lookUp)
        }
        pool.give(first, after: .lookUp)
        #expect(groups.wait(for: 20) == Array(repeating: 16, count: 16) + Array(repeating: 4, count: 4))
        #expect(alone.wait(for: 1) == [true])
        pool.give(try pool.take(for: .search(Self.ada)), after: .search(Self.ada))
    }

    @Test("Look-ups share one reader at a time, and leave the others to callers who need one alone")
    func sharesFewReaders() async throws {
        let pool = ReaderPool(maximum: 3, maximumSearches: 1) {
            try Connection(path: ":memory:", mode: .init(isWriter: false, mappedBytes: 0))
        }
        let (gate, running) = (Gate(), Gathered<Int>())
        for number in 0..<2 {
            pool.request(for: .lookUp, sharedReads: [], cancellation: nil) { _ in
                running.append(number)
                gate.pass()
            }
        }
        _ = try await onThread { gate.waitForArrivals(1) }
        pool.give(try pool.take(for: .lookUp), after: .lookUp)
        pool.give(try pool.take(for: .search(Self.ada)), after: .search(Self.ada))
        #expect(running.all == [0])
        gate.open()
        #expect(running.wait(for: 2) == [0, 1])
    }

    @Test("A look-up that fails, or that is cancelled, does not end the others with which it shares a reader")
    func sharesWithoutHarm() async throws {
        try await CancellationTests.withStore(.file) { (store: Store) async throws in
            let gate = Gate()
            let holders = (0..<Store.sharingCount).map { _ in
                Task { try await store.awaitSharedReader(expecting: []) { gate.pass() } }
            }
            _ = try await onThread { gate.waitForArrivals(Store.sharingCount) }
            let lookUps = (0..<30).map { number in
                Task {
                    try await store.awaitSharedReader(expecting: []) {
                        if number == 3 { throw StoreError.tooLong }
                        return try store.read {
                            try $0.first("SELECT ?1 + 1", [.integer(Int64(number))]) { $0.integer(0) }
                        }
                    }
                }
            }
            lookUps[5].cancel()
            await #expect(throws: CancellationError.self) { try await lookUps[5].value }
            gate.open()
            for holder in holders { try await holder.value }
            await #expect { try await lookUps[3].value } throws: { ($0 as? DirectoryError)?.code == .limitExceeded }
            for (number, lookUp) in lookUps.enumerated() where number != 3 && number != 5 {
                #expect(try await lookUp.value == Int64(number + 1))
            }
            try await CancellationTests.expectUsable(store)
        }
    }

    @Test("A user's search that does not get its turn in time is refused, a program's waits")
    func limitsWaiting() throws {
        let pool = ReaderPool(maximum: 1, maximumSearches: 1, maximumWait: .milliseconds(1)) {
            try Connection(path: ":memory:", mode: .init(isWriter: false, mappedBytes: 0))
        }
        let first = try pool.take(for: .search(nil))
        let program = Gathered<Bool>()
        pool.request(for: .search(Self.program), cancellation: nil) { result in
            program.append((try? result.get()) != nil)
        }
        #expect { try pool.take(for: .search(Self.ada)) } throws: { ($0 as? StoreError)?.kind == .overloaded }
        #expect(program.all.isEmpty)
        pool.give(first, after: .search(nil))
        #expect(program.wait(for: 1) == [true])
    }

    @Test("A search that cannot get a reader opened leaves its place to the next")
    func failedOpening() throws {
        let fails = Locked(true)
        let pool = ReaderPool(maximum: 1, maximumSearches: 1) {
            if fails.withLock({ $0 }) { throw CancellationError() }
            return try Connection(path: ":memory:", mode: .init(isWriter: false, mappedBytes: 0))
        }
        #expect(throws: CancellationError.self) { try pool.take(for: .search(Self.ada)) }
        fails.withLock { $0 = false }
        let connection = try pool.take(for: .search(Self.ada))
        pool.give(connection, after: .search(Self.ada))
    }

    @Test("Of one user's changes few share a commit, so that others do not wait for all of them")
    func sharesCommits() {
        func job(_ requester: Requester?) -> WriteJob {
            WriteJob(requester: requester, body: { _ in }, cancellation: Cancellation(), finish: { _ in })
        }
        var jobs = (0..<100).map { _ in job(Self.ada) } + [job(Self.bob), job(Self.program), job(nil)]
        var batch = WriteBatch()
        let first = batch.take(from: &jobs)
        #expect(first.map(\.requester) == [Self.ada, Self.ada, Self.bob, Self.program, nil])
        #expect(jobs.count == 98)
        #expect(batch.takeMore(from: &jobs).isEmpty)
        var next = WriteBatch()
        #expect(next.take(from: &jobs).count == Writer.maximumBatchOfUser)
        var programs = (0..<300).map { _ in job(Self.program) }
        var full = WriteBatch()
        #expect(full.take(from: &programs).count == Writer.maximumBatch)
        #expect(full.takeMore(from: &programs).isEmpty)
    }

    @Test("A change that arrives while others run shares their commit, within its user's share")
    func sharesRunningCommit() {
        func job(_ requester: Requester?) -> WriteJob {
            WriteJob(requester: requester, body: { _ in }, cancellation: Cancellation(), finish: { _ in })
        }
        var jobs = [job(Self.ada)]
        var batch = WriteBatch()
        #expect(batch.take(from: &jobs).count == 1)
        #expect(batch.takeMore(from: &jobs).isEmpty)
        jobs = [job(Self.ada), job(Self.ada), job(Self.bob)]
        #expect(batch.takeMore(from: &jobs).map(\.requester) == [Self.ada, Self.bob])
        #expect(jobs.count == 1)
    }

    @Test("A long change shares a commit with no other, so that others wait for nothing that came after them")
    func longStaysAlone() {
        func job(_ requester: Requester?, isLong: Bool = false) -> WriteJob {
            WriteJob(
                requester: requester, isLong: isLong, body: { _ in }, cancellation: Cancellation(), finish: { _ in })
        }
        var jobs = [job(Self.ada), job(nil), job(Self.program, isLong: true), job(Self.bob)]
        var before = WriteBatch()
        #expect(before.take(from: &jobs).map(\.requester) == [Self.ada, nil])
        #expect(before.takeMore(from: &jobs).isEmpty)
        var alone = WriteBatch()
        #expect(alone.take(from: &jobs).map(\.requester) == [Self.program])
        #expect(alone.takeMore(from: &jobs).isEmpty)
        var after = WriteBatch()
        #expect(after.take(from: &jobs).map(\.requester) == [Self.bob])
        jobs = [job(Self.program, isLong: true)]
        var empty = WriteBatch()
        #expect(empty.take(from: &jobs).count == 1)
        jobs = [job(Self.ada)]
        #expect(empty.takeMore(from: &jobs).isEmpty, "a long change takes in nobody who arrives")
    }
}
