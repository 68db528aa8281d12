import RosterStore
import RosterText
import Synchronization

/// PostgreSQL on a server, over one link. After a loss the engine makes another link at the next transaction.
final class PostgreSQLEngine: Engine {
    let kind = EngineKind.postgreSQL
    let address: ServerAddress
    let shared: ServerState
    var link: Link
    private var names = 0
    var phase = Phase.outside
    /// The number of the last transaction that wrote, by which this process finds out whether the transaction was kept; nil for a
    /// migration.
    private(set) var number: Int64?
    /// The session's `statement_timeout` in milliseconds; 0 for none, nil if that is not known.
    var timeout: Int? = 0
    /// Whether the session's `plan_cache_mode` is `auto`; nil if that is not known.
    var serverPlansEachRun: Bool? = false
    /// The cancellations of statements on this connection, which must have arrived before its next use.
    let cancels = CancelCount()
    let backend: Locked<Link.Backend>
    /// The revision in the open transaction, once the head has come.
    private var settledRevision: Int64?
    /// Whether a read is open. Any thread may interrupt the read.
    private let isReading = Atomic<Bool>(false)

    /// Connects with a server as soon as the server can be reached.
    ///
    /// - Parameter ending: Ends callers' work on the connection, and the waiting.
    static func connect(_ address: ServerAddress, _ shared: ServerState, ending: Ending) throws -> Connection {
        let engine = PostgreSQLEngine(address, shared, try shared.connect(until: ending))
        let connection = Connection(engine, ending: ending)
        ending.add(connection)
        return connection
    }

    init(_ address: ServerAddress, _ shared: ServerState, _ link: Link) {
        (self.address, self.shared, self.link) = (address, shared, link)
        backend = Locked(link.backend)
    }

    // MARK: Transactions

    func beginReading(once: Bool, on connection: Connection) throws {
        let expected = connection.expectedReads
        connection.expectedReads = []
        if hasExpectedReads { tripsWithExpectations = trips }
        (hasExpectedReads, trips) = (!expected.isEmpty, 0)
        isReading.store(true, ordering: .relaxed)
        try begin(on: connection) {
            // The statements until the end of the read form a transaction without further statements.
            let endsEarly = once || (hasExpectedReads && tripsWithExpectations <= 1)
            phase = .reading(ReadProgress(endsWithFirstTrip: endsEarly))
            try limitTime(on: connection)
            link.isOneTransaction = !endsEarly
            try askForHead(on: connection)
            try sendExpected(expected, on: connection)
            if shared.revision == nil, isHeadOpen {
                trips += 1
                _ = try translating(on: connection) { try link.finish() }
                try takeHead(on: connection)
            }
        }
    }

    /// Asks for the head, whose answer comes with that of the first statement, which saves a trip.
    private func askForHead(on connection: Connection) throws {
        try send(PostgreSQLStatements.head, [], on: connection) { _ in .head }
        phase.read?.askForHead()
    }

    /// Whether the open read, or else the last one, has expected reads.
    private var hasExpectedReads = false
    /// The number of round trips of the last read so far.
    private var trips = 0
    /// The number of round trips of the last read that had expectations. If that read needed a second one, before which others may
    /// commit, the next read keeps its transaction open.
    private var tripsWithExpectations = 1

    /// Goes on with a read whose transaction has ended early.
    private func reopenTransaction(on connection: Connection) throws {
        guard phase.read?.reopen(after: connection.settledSnapshot) == true else { return }
        link.isOneTransaction = true
        try askForHead(on: connection)
    }

    private var isHeadOpen: Bool { phase.read?.isHeadOpen == true }

    /// Reads the head, once its answer has come.
    private func takeHead(on connection: Connection) throws {
        guard isHeadOpen, link.head != nil else { return }
        let head = try link.takeHead()
        (connection.settledSnapshot, settledRevision) = (head.commits, head.revision)
        let contradiction = phase.read?.settleHead(commits: head.commits, revision: head.revision)
        connection.mustReadAgain = connection.mustReadAgain || contradiction != nil
        if contradiction == .commits {
            throw StoreError(.unreachable, "The directory was changed within a read.", advice: "Try again.")
        }
        shared.adopt(revision: head.revision)
        if contradiction == .revision {
            throw StoreError(.unreachable, "Another server has changed the attributes.", advice: "Try again.")
        }
    }

    func settleSnapshot(of connection: Connection) throws { if isHeadOpen { try ask(on: connection) {} } }

    func revision() -> Int64? {
        guard isHeadOpen else { return settledRevision }
        let known = shared.revision
        return phase.read?.assumeRevision(known)
    }

    func beginWriting(expecting reads: [ExpectedRead], on connection: Connection) throws {
        do {
            try beginWriting(sending: reads, on: connection)
        } catch let error as StoreError where !reads.isEmpty && error.kind != .unreachable {
            // The error can be that of an expected read of one of several changes, which the change may make without an error.
            try beginWriting(sending: [], on: connection)
        }
    }

    private func beginWriting(sending reads: [ExpectedRead], on connection: Connection) throws {
        try begin(on: connection) {
            try connection.run(PostgreSQLStatements.beginWriting)
            try limitTime(on: connection)
            try send(PostgreSQLStatements.waitForTurn, [], on: connection)
            try send(PostgreSQLStatements.takeTurn, [.text(shared.identifier)], on: connection) { _ in .head }
            try sendExpected(reads, on: connection)
            _ = try translating(on: connection) { try link.finish() }
            shared.isReached()
            let head = try link.takeHead()
            // A transaction that writes sees its own changes, so that nothing it reads may be cached under a commit number.
            (connection.settledSnapshot, settledRevision, number) = (nil, head.revision, head.number)
        }
        phase = .writing
    }

    func expect(_ reads: [ExpectedRead], on connection: Connection) throws {
        link.expected = [:]
        try ask(on: connection) { try sendExpected(reads, on: connection) }
    }

    /// Sends a statement. The link keeps the answers to the head's statement and to expected reads, and drops other answers.
    ///
    /// - Parameter request: Makes the request from the call.
    func send(
        _ sql: SQL, _ bindings: [Binding], on connection: Connection,
        as request: (PostgreSQLStatement.Call) -> Link.Request = { _ in .statement }
    ) throws {
        guard let statement = try connection.prepared(sql) as? PostgreSQLStatement else { return }
        defer { statement.reset() }
        for (index, binding) in bindings.enumerated() { try statement.bind(binding, at: Int32(index + 1)) }
        try translating(on: connection) { try link.send(statement, as: request) }
    }

    func beginSideTables(on connection: Connection) throws {
        try begin(on: connection) {
            try connection.run(PostgreSQLStatements.beginWriting)
            try connection.run(PostgreSQLStatements.commitSoon)
        }
        phase = .besides
    }

    func beginMigrating(on connection: Connection) throws {
        try begin(on: connection) {
            try connection.run(PostgreSQLStatements.beginWriting)
            _ = try connection.first(PostgreSQLStatements.waitToMigrate) { _ in true }
        }
        number = nil
        phase = .writing
    }

    func didPause(_ connection: Connection) {
        guard cancels.waitForAll() else { return }
        // `drain()` ends the server's transaction. If the snapshot stayed, the next look-up on a kept connection would read as if that
        // transaction were still open. A write keeps its state, because the writer itself rolls back after a cancelled change.
        if !phase.isWriting, phase != .besides { connection.endSnapshot() }
        drain(connection)
    }

    var isOutsideTransaction: Bool { phase.isOutside }
    var hasLostTransaction: Bool {
        phase.hasLostTransaction(isConnectionLost: link.isLost && link.failure != PostgreSQLFailure.paused)
    }
    var isTransactionBroken: Bool { link.failure != nil || link.isLost }
    var reportsLate: Bool { true }

    // MARK: Statements

    func makeStatement(_ text: String, on connection: Connection) throws -> Statement {
        names += 1
        return PostgreSQLStatement(text, name: "s\(names)", of: self)
    }

    func rows(of statement: PostgreSQLStatement, on connection: Connection) throws -> Result? {
        if !link.expected.isEmpty {
            if !statement.isRead { forgetExpected(changing: connection.changedRecords) }
            if let answer = link.expected[statement.call] { return answer.result }
        }
        return try ask(on: connection) { try link.send(statement) }
    }

    /// Runs `send`, and waits for the answers to the statements that `send` has sent.
    ///
    /// - Returns: The answer to the last statement; nil if all statements were expected reads, whose answers the link keeps.
    @discardableResult
    private func ask(on connection: Connection, _ send: () throws -> Void) throws -> Result? {
        do {
            let result = try translating(on: connection) {
                try reopenTransaction(on: connection)
                try limitTime(on: connection)
                try choosePlanning(on: connection)
                try send()
                if phase != .besides { trips += 1 }
                return try link.finish()
            }
            shared.isReached()
            try takeHead(on: connection)
            return result
        } catch let error as StoreError where !phase.isWriting && phase != .besides && !connection.mustReadAgain {
            // A read can be repeated, because its result is handed out at its end. The error may come from an expected read of another
            // look-up; the repeated read expects none.
            connection.mustReadAgain = link.isLost ? shared.mayTryAgain(after: link) : hasExpectedReads
            if link.isLost, !connection.mustReadAgain { connection.loss = error }
            throw error
        }
    }

    /// Runs a statement whose rows nobody needs. Its error can come at the next statement.
    func perform(_ statement: PostgreSQLStatement, on connection: Connection) throws {
        switch statement.text.prefix(while: { $0 != " " }) {
        case "ROLLBACK":
            forgetSettings()
            link.expected = [:]
            // A transaction that has failed accepts only a rollback.
            link.clearFailure()
            if statement.text == "ROLLBACK" { phase.end() }
            try translating(on: connection) {
                try link.send(statement)
                try link.finish()
            }
        case "BEGIN":
            // Nothing may come before the level of isolation.
            try translating(on: connection) { try link.send(statement) }
        case "COMMIT" where phase.isWriting: try commit(statement, on: connection)
        case "COMMIT" where phase == .besides:
            _ = try rows(of: statement, on: connection)
            phase.end()
        case "COMMIT":
            isReading.store(false, ordering: .relaxed)
            phase.end()
            link.forgetAnswers()
            if link.failure != nil {
                forgetSettings()
                link.clearFailure()
            } else {
                link.end()
            }
        case "RELEASE" where link.isWaiting: _ = try rows(of: statement, on: connection)
        default:
            forgetExpected(changing: connection.changedRecords)
            try translating(on: connection) {
                try reopenTransaction(on: connection)
                try limitTime(on: connection)
                try link.send(statement)
            }
        }
    }

    /// Turns the time-out of a statement into a cancellation if the operation was cancelled, or into `closed` if the store was closed.
    func translating<Value>(on connection: Connection, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as StoreError where error == .tooLong {
            try connection.cancellation?.check()
            try connection.checkOpen()
            throw error
        }
    }

    func run(script: String, on connection: Connection) throws {
        link.expected = [:]
        try link.leavingPipeline { try link.run(script: script) }
    }

    func insert(
        _ rows: [[Binding]], into table: String, _ columns: [String], on connection: Connection
    ) throws {
        link.expected = [:]
        let statement = PostgreSQLStatements.copy(into: table, columns)
        try translating(on: connection) {
            try link.leavingPipeline { try link.copy(CopyText(rows).bytes, with: statement) }
        }
    }

    var workOfLostLinks = StatementWork()

    var work: StatementWork { workOfLostLinks + link.work }

    /// No statement asks PostgreSQL for the number of a new row.
    var insertedRow: Int64 { 0 }

    var changedRows: Int {
        _ = try? link.finish()
        return link.changedRows
    }

    var totalChangedRows: Int {
        _ = try? link.finish()
        return link.totalChangedRows
    }

    func forget(_ statement: PostgreSQLStatement) {
        // The server forgets all statements when the link ends. A dynamic statement is forgotten at once.
        guard statement.link == link.number, !link.isLost else { return }
        link.deallocate(statement.name)
    }

    func interruptRead() { if isReading.load(ordering: .relaxed) { interrupt() } }

    func interrupt() {
        cancels.begin()
        shared.cancel(backend.withLock { $0 }) { [cancels] in cancels.end() }
    }
}
