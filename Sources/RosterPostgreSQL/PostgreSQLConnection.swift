import RosterStore
import RosterText
import Synchronization

/// A connection with a PostgreSQL server. After a loss it connects anew at the next transaction.
final class PostgreSQLConnection: Connection, @unchecked Sendable {
    private let address: ServerAddress
    private let canceller: Canceller
    private var link: Link
    private var names = 0
    private var isOutside = true
    private var isWriting = false
    /// Whether the open transaction has a limit for the time of its statements.
    private var hasTimeout = false
    /// The cancellations of statements on this connection, which must have arrived before its next use.
    private let cancels = CancelCount()
    private let process: Atomic<Int32>

    init(_ address: ServerAddress, _ canceller: Canceller, ending: Ending) throws {
        (self.address, self.canceller) = (address, canceller)
        link = try Link(address)
        process = Atomic(link.process)
        super.init(engine: .postgreSQL, ending: ending)
    }

    // MARK: Transactions

    override func beginReading() throws {
        isWriting = false
        try begin(PostgreSQLStatements.beginReading)
        try readHead(PostgreSQLStatements.head)
    }

    override func beginWriting() throws {
        isWriting = true
        try begin(PostgreSQLStatements.beginWriting)
        try readHead(PostgreSQLStatements.takeTurn)
    }

    override func beginMigrating() throws {
        isWriting = true
        try begin(PostgreSQLStatements.beginWriting)
        _ = try first(PostgreSQLStatements.migrationLock) { _ in true }
    }

    /// Begins a transaction on a link that works. Nothing was read yet, so that a lost link is replaced.
    private func begin(_ sql: SQL) throws {
        for attempt in 0..<2 {
            do {
                try settle()
                try run(sql)
                (isOutside, hasTimeout) = (false, false)
                return
            } catch let error as StoreError where error.kind == .unreachable && attempt == 0 {
                continue
            }
        }
    }

    private func readHead(_ sql: SQL) throws {
        do {
            let head = try first(sql) { (commits: $0.integer(0), vocabulary: $0.integer(1)) }
            guard let head else {
                throw StoreError(.damaged, "The table 'head' is empty.", advice: "Restore a backup.")
            }
            exactSnapshot = UInt64(bitPattern: head.commits)
            storedVocabulary = head.vocabulary
        } catch {
            try? run(StoreStatements.rollback)
            throw error
        }
    }

    /// Connects again after a loss, and waits for cancellations of statements that have ended.
    private func settle() throws {
        if link.isLost {
            link = try Link(address)
            process.store(link.process, ordering: .sequentiallyConsistent)
            isOutside = true
        }
        if cancels.waitForAll() {
            drain()
            link.forgive()
        }
    }

    /// Runs a statement that a late cancellation may end, so that it ends no other one.
    private func drain() {
        _ = try? first(PostgreSQLStatements.nothing) { _ in true }
    }

    override func didPause() { if cancels.waitForAll() { drain() } }

    override var isOutsideTransaction: Bool { isOutside }

    // MARK: Statements

    override func makeStatement(_ text: String) throws -> Statement {
        names += 1
        return PostgreSQLStatement(text, name: "s\(names)", on: self)
    }

    func rows(of statement: PostgreSQLStatement) throws -> Result? {
        try translating {
            try limitTime()
            try link.send(statement)
            return try link.finish()
        }
    }

    /// Has the server end the statements of a search at its deadline.
    private func limitTime() throws {
        guard let deadline, !hasTimeout, !isOutside else { return }
        hasTimeout = true
        let left = max(1, (deadline - .now) / .milliseconds(1))
        try run(PostgreSQLStatements.limitTime, [.text(String(Int(left)))])
    }

    /// Runs a statement whose rows nobody needs. Its error can come at the next statement.
    func perform(_ statement: PostgreSQLStatement) throws {
        switch statement.text.prefix(while: { $0 != " " }) {
        case "ROLLBACK":
            // The transaction has failed perhaps, and then takes no other statement.
            link.forgive()
            if statement.text == "ROLLBACK" { isOutside = true }
            try translating {
                try link.send(statement)
                try link.finish()
            }
        case "COMMIT" where isWriting:
            try translating {
                try link.send(statement)
                try link.finish()
            }
            isOutside = true
        case "COMMIT":
            isOutside = true
            if link.failure != nil { link.forgive() }
            try translating { try link.send(statement) }
            link.flush()
        case "RELEASE":
            _ = try rows(of: statement)
        default:
            try translating { try link.send(statement) }
        }
    }

    private func translating<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as StoreError where error == .tooLong {
            try cancellation?.check()
            try checkOpen()
            throw error
        }
    }

    override func run(script: String) throws { try link.runAside(script: script) }

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

    override func interrupt() {
        let process = process.load(ordering: .sequentiallyConsistent)
        cancels.begin()
        canceller.cancel(process) { [cancels] in cancels.end() }
    }
}
