import RosterStore
import RosterText
import Synchronization

/// A connection with a PostgreSQL server. After a loss it connects anew at the next transaction.
final class PostgreSQLConnection: Connection, @unchecked Sendable {
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
    /// Whether a read is open. Any thread may interrupt the read.
    private let isReading = Atomic<Bool>(false)

    /// - Parameter link: The link to use; nil to make one as soon as the server can be reached.
    init(_ address: ServerAddress, _ shared: ServerState, ending: Ending, link: Link? = nil) throws {
        (self.address, self.shared) = (address, shared)
        self.link = try link ?? shared.connect(until: ending)
        backend = Locked(self.link.backend)
        super.init(engine: .postgreSQL, ending: ending)
        ending.add(self)
    }

    // MARK: Transactions

    override func beginReading(once: Bool) throws {
        let expected = expectedReads
        expectedReads = []
        if hasExpectedReads { tripsWithExpectations = trips }
        (hasExpectedReads, trips) = (!expected.isEmpty, 0)
        isReading.store(true, ordering: .relaxed)
        try begin {
            // The statements until the end of the read form a transaction without further statements.
            let endsEarly = once || (hasExpectedReads && tripsWithExpectations <= 1)
            phase = .reading(ReadProgress(endsWithFirstTrip: endsEarly))
            try limitTime()
            link.isOneTransaction = !endsEarly
            try askForHead()
            try sendExpected(expected)
            if shared.vocabulary == nil { try awaitHead() }
        }
    }

    /// Asks for the head, whose answer comes with that of the first statement, which saves a trip.
    private func askForHead() throws {
        try send(PostgreSQLStatements.head, []) { _ in .head }
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
    private func reopenTransaction() throws {
        let commits = super.exactSnapshot
        guard phase.read?.reopen(after: commits) == true else { return }
        link.isOneTransaction = true
        try askForHead()
    }

    private var isHeadOpen: Bool { phase.read?.isHeadOpen == true }

    private func awaitHead() throws {
        guard isHeadOpen else { return }
        trips += 1
        _ = try translating { try link.finish() }
        try takeHead()
    }

    /// Reads the head, once its answer has come.
    private func takeHead() throws {
        guard isHeadOpen, link.head != nil else { return }
        let head = try link.takeHead()
        (super.exactSnapshot, super.storedVocabulary) = (head.commits, head.vocabulary)
        let contradiction = phase.read?.settleHead(commits: head.commits, vocabulary: head.vocabulary)
        mustReadAgain = mustReadAgain || contradiction != nil
        if contradiction == .commits {
            throw StoreError(.unreachable, "The directory was changed within a read.", advice: "Try again.")
        }
        shared.adopt(vocabulary: head.vocabulary)
        if contradiction == .vocabulary {
            throw StoreError(.unreachable, "Another server has changed the attributes.", advice: "Try again.")
        }
    }

    override var exactSnapshot: UInt64? {
        get {
            if isHeadOpen { try? awaitHead() }
            return super.exactSnapshot
        }
        set { super.exactSnapshot = newValue }
    }

    override var storedVocabulary: Int64? {
        get {
            guard isHeadOpen else { return super.storedVocabulary }
            let known = shared.vocabulary
            return phase.read?.assumeVocabulary(known)
        }
        set { super.storedVocabulary = newValue }
    }

    override func beginWriting(expecting reads: [ExpectedRead]) throws {
        do {
            try beginWriting(sending: reads)
        } catch let error as StoreError where !reads.isEmpty && error.kind != .unreachable {
            // The error can be that of an expected read of one of several changes, which the change may make without an error.
            try beginWriting(sending: [])
        }
    }

    private func beginWriting(sending reads: [ExpectedRead]) throws {
        try begin {
            try run(PostgreSQLStatements.beginWriting)
            try limitTime()
            try send(PostgreSQLStatements.waitForTurn, [])
            try send(PostgreSQLStatements.takeTurn, [.text(shared.identifier)]) { _ in .head }
            try sendExpected(reads)
            _ = try translating { try link.finish() }
            shared.isReached()
            let head = try link.takeHead()
            // A transaction that writes sees its own changes, so that nothing it reads may be cached under a commit number.
            (super.exactSnapshot, super.storedVocabulary, number) = (nil, head.vocabulary, head.number)
        }
        phase = .writing
    }

    override func expect(_ reads: [ExpectedRead]) throws {
        link.expected = [:]
        try ask { try sendExpected(reads) }
    }

    /// Sends a statement. The link keeps the answers to the head's statement and to expected reads, and drops other answers.
    ///
    /// - Parameter request: Makes the request from the call.
    func send(
        _ sql: SQL, _ bindings: [Binding], as request: (PostgreSQLStatement.Call) -> Link.Request = { _ in .statement }
    ) throws {
        guard let statement = try prepared(sql) as? PostgreSQLStatement else { return }
        defer { statement.reset() }
        for (index, binding) in bindings.enumerated() { try statement.bind(binding, at: Int32(index + 1)) }
        try translating { try link.send(statement, as: request) }
    }

    override func beginSideTables() throws {
        try begin {
            try run(PostgreSQLStatements.beginWriting)
            try run(PostgreSQLStatements.commitSoon)
        }
        phase = .besides
    }

    override func beginMigrating() throws {
        try begin {
            try run(PostgreSQLStatements.beginWriting)
            _ = try first(PostgreSQLStatements.waitToMigrate) { _ in true }
        }
        number = nil
        phase = .writing
    }

    override func didPause() {
        guard cancels.waitForAll() else { return }
        // `drain()` ends the server's transaction. If the snapshot stayed, the next look-up on a kept connection would read as if that
        // transaction were still open. A write keeps its state, because the writer itself rolls back after a cancelled change.
        if !phase.isWriting, phase != .besides { endSnapshot() }
        drain()
    }

    override var isOutsideTransaction: Bool { phase.isOutside }
    override var hasLostTransaction: Bool {
        phase.hasLostTransaction(isConnectionLost: link.isLost && link.failure != PostgreSQLFailure.paused)
    }
    override var isTransactionBroken: Bool { link.failure != nil || link.isLost }
    override var reportsLate: Bool { true }

    // MARK: Statements

    override func makeStatement(_ text: String) throws -> Statement {
        names += 1
        return PostgreSQLStatement(text, name: "s\(names)", on: self)
    }

    func rows(of statement: PostgreSQLStatement) throws -> Result? {
        if !link.expected.isEmpty {
            if !statement.isRead { forgetExpected() }
            if let answer = link.expected[statement.call] { return answer.result }
        }
        return try ask { try link.send(statement) }
    }

    /// Runs `send`, and waits for the answers to the statements that `send` has sent.
    ///
    /// - Returns: The answer to the last statement; nil if all statements were expected reads, whose answers the link keeps.
    @discardableResult
    private func ask(_ send: () throws -> Void) throws -> Result? {
        do {
            let result = try translating {
                try reopenTransaction()
                try limitTime()
                try choosePlanning()
                try send()
                if phase != .besides { trips += 1 }
                return try link.finish()
            }
            shared.isReached()
            try takeHead()
            return result
        } catch let error as StoreError where !phase.isWriting && phase != .besides && !mustReadAgain {
            // A read can be repeated, because its result is handed out at its end. The error may come from an expected read of another
            // look-up; the repeated read expects none.
            mustReadAgain = link.isLost ? shared.mayTryAgain(after: link) : hasExpectedReads
            if link.isLost, !mustReadAgain { loss = error }
            throw error
        }
    }

    /// Runs a statement whose rows nobody needs. Its error can come at the next statement.
    func perform(_ statement: PostgreSQLStatement) throws {
        switch statement.text.prefix(while: { $0 != " " }) {
        case "ROLLBACK":
            forgetSettings()
            link.expected = [:]
            // A transaction that has failed accepts only a rollback.
            link.clearFailure()
            if statement.text == "ROLLBACK" { phase.end() }
            try translating {
                try link.send(statement)
                try link.finish()
            }
        case "BEGIN":
            // Nothing may come before the level of isolation.
            try translating { try link.send(statement) }
        case "COMMIT" where phase.isWriting: try commit(statement)
        case "COMMIT" where phase == .besides:
            _ = try rows(of: statement)
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
        case "RELEASE" where link.isWaiting: _ = try rows(of: statement)
        default:
            forgetExpected()
            try translating {
                try reopenTransaction()
                try limitTime()
                try link.send(statement)
            }
        }
    }

    func translating<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as StoreError where error == .tooLong {
            try cancellation?.check()
            try checkOpen()
            throw error
        }
    }

    override func run(script: String) throws {
        forgetExpected()
        try link.leavingPipeline { try link.run(script: script) }
    }

    override func insert(_ rows: [[Binding]], into table: String, _ columns: [String]) throws {
        guard !rows.isEmpty else { return }
        forgetExpected()
        let statement = PostgreSQLStatements.copy(into: table, columns)
        try translating { try link.leavingPipeline { try link.copy(CopyText(rows).bytes, with: statement) } }
    }

    var workOfLostLinks = StatementWork()

    override var work: StatementWork { workOfLostLinks + link.work }

    deinit { ending?.add(work) }

    override var changedRows: Int {
        _ = try? link.finish()
        return link.changedRows
    }

    override var totalChangedRows: Int {
        _ = try? link.finish()
        return link.totalChangedRows
    }

    func forget(_ statement: PostgreSQLStatement) {
        // The server forgets all statements when the link ends. A dynamic statement is forgotten at once.
        guard statement.link == link.number, !link.isLost else { return }
        link.deallocate(statement.name)
    }

    override func interruptRead() { if isReading.load(ordering: .relaxed) { interrupt() } }

    override func interrupt() {
        cancels.begin()
        shared.cancel(backend.withLock { $0 }) { [cancels] in cancels.end() }
    }
}
