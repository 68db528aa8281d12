import CPostgreSQL
import Foundation
import RosterStore
import RosterText

/// One connection of libpq, in pipeline mode: statements are sent without waiting for the answers of those before.
final class Link {
    let library: roster_libpq
    let handle: OpaquePointer
    let server: String
    /// A number that no other link has.
    let number: UInt64
    /// Identifies the process of a database server that runs the statements of a link.
    struct Backend: Sendable {
        let process: Int32
        /// The time at which the server was started, which tells servers apart.
        var serverStart = ""
    }
    private(set) var backend: Backend

    /// A request that was sent, and whose answer has not been read.
    enum Request {
        case statement
        /// The statement that reads the head.
        case head
        /// An expected read. ``Link/expected`` keeps the answer: for the call itself or, if `answered` names another statement, for that
        /// statement with the identifier that begins the first row.
        case expected(PostgreSQLStatement.Call, answered: String?)
        /// The preparation of a statement.
        case prepare(PostgreSQLStatement)
        /// A statement whose answer does not matter.
        case ignored
        /// The end of requests that fail together.
        case end
    }
    private var requests: [Request] = []
    private var bytesSent = 0

    /// The answer to the statement that reads the head, until it is taken.
    var head: Result?
    /// The answers to expected reads. A change of a row on which they depend removes them, and so does the end of the transaction.
    var expected: [PostgreSQLStatement.Call: ExpectedAnswer] = [:]

    struct ExpectedAnswer {
        let result: Result
        /// The identifier with which the first row begins; nil without rows.
        let id: Int64?
    }
    /// Whether requests were sent whose answers have not been read.
    var isWaiting: Bool { !requests.isEmpty }
    /// The first error since the last rollback. Later requests throw it.
    private(set) var failure: StoreError?
    /// Whether the connection is of no use any more.
    var isLost = false
    /// Whether the server has answered, and nobody has tried to connect again after the loss.
    var hasAnswered = false
    /// Whether the server has sent a warning since this was set to false. After a commit, the only one is that nobody waits any more for
    /// a standby to have the commit.
    var hasWarning = false
    /// Watches for pauses of the open transaction.
    var pauses = PauseWatch()
    /// The statements that were sent, and the times that the server was waited for.
    var work = StatementWork()
    /// The number of rows that the last statement changed, and that all have changed.
    private(set) var changedRows = 0
    private(set) var totalChangedRows = 0

    /// Tells the commits of this timeline from those of another one, which may have other commits with the same numbers. The low bits
    /// are free for the numbers.
    private(set) var era: UInt64 = 0
    /// The number of the server's timeline, which grows when a standby takes over.
    private(set) var timeline: Int64 = 0

    private static let numbers = Counter()

    /// Connects.
    init(_ address: ServerAddress) throws {
        let library = try Library.loaded().functions
        self.library = library
        server = address.name
        number = Self.numbers.next()
        // Parameters of the address come after these and replace them.
        let settings = [
            ("application_name", "roster"), ("connect_timeout", "10"),
            ("target_session_attrs", address.isReplica ? "any" : "read-write"),
            ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "15000"), ("dbname", address.text), ("client_encoding", "UTF8"),
        ]
        let handle = CStrings(settings.map(\.0) + [nil]).withPointers { names in
            CStrings(settings.map(\.1) + [nil]).withPointers { values in
                library.connect(names.baseAddress, values.baseAddress, 1)
            }
        }
        guard let handle else { throw PostgreSQLFailure.lost(server) }
        self.handle = handle
        // From here on, the end of this object closes the connection, also if an error ends the initialization.
        backend = Backend(process: library.backend_pid(handle))
        guard Int(library.status(handle)) == roster_pq_connection_ok else {
            let message = library.error_message(handle).map { String(cString: $0) } ?? ""
            throw StoreError(
                .unreachable, "\(server) cannot be reached: \(Self.reason(message)).",
                advice: message.contains("read-only")
                    ? "Name the primary among the hosts: a standby takes no changes, and neither does a server with "
                        + "default_transaction_read_only."
                    : "Check the address and the password, and whether the server runs.")
        }
        _ = library.set_notice_processor(
            handle,
            { link, _ in
                if let link { Unmanaged<Link>.fromOpaque(link).takeUnretainedValue().hasWarning = true }
            }, Unmanaged.passUnretained(self).toOpaque())
        let parts = (try run(script: PostgreSQLStatements.session) ?? "").split(separator: "/")
        let timeline = parts.first ?? ""
        self.timeline = Int64(timeline) ?? 0
        era = FNV1a(timeline.utf8).value << 40
        backend.serverStart = parts.count == 2 ? String(parts[1]) : ""
        guard library.parameter_status(handle, "server_encoding").map({ String(cString: $0) }) == "UTF8" else {
            throw StoreError(
                .notADirectory, "The database at \(server) is not encoded in UTF-8.",
                advice: "Create it with ENCODING 'UTF8'.")
        }
        guard library.server_version(handle) >= 140_000 else {
            throw StoreError(
                .unreachable, "\(server) is older than PostgreSQL 14.", advice: "Use a newer version.")
        }
        guard library.enter_pipeline(handle) == 1 else { throw lost() }
    }

    /// Has the server forget a prepared statement.
    func deallocate(_ name: String) {
        guard failure == nil, library.send_text(handle, "DEALLOCATE \(name)", 0, nil, nil, nil, nil, 0) == 1 else {
            return
        }
        requests.append(.ignored)
    }

    /// Returns the reasons in libpq's message: one for each host, or else the first line of the message. Leaves out messages about the
    /// form of an address, because these can show a password.
    private static func reason(_ message: String) -> String {
        let lines = message.split(whereSeparator: \.isNewline)
        let hosts = lines.filter { line in
            ["connection to server", "could not translate host name"].contains { line.hasPrefix($0) }
        }
        if !hosts.isEmpty { return hosts.joined(separator: "; ") }
        let line = String(lines.first ?? "")
        let showsAddress = ["URI", "percent-encoded"].contains { line.contains($0) }
        return showsAddress && !line.hasPrefix("invalid URI query parameter: ") ? "the address cannot be read" : line
    }

    deinit { library.finish(handle) }

    func lost() -> StoreError {
        isLost = true
        if pauses.isLastPause { failure = PostgreSQLFailure.paused }
        return failure == PostgreSQLFailure.paused ? PostgreSQLFailure.paused : PostgreSQLFailure.lost(server)
    }

    // MARK: Requests

    /// Sends a statement, and has it prepared first if this link has not. The server begins when ``finish()`` is called, or when
    /// much was sent.
    ///
    /// - Parameter request: Makes the request from the call; by default one whose answer the link drops unless it is the last.
    func send(
        _ statement: PostgreSQLStatement, as request: (PostgreSQLStatement.Call) -> Request = { _ in .statement }
    ) throws {
        if let failure { throw failure }
        pauses.endPause()
        let size = 64 + statement.values.byteCount
        // Both sides would wait for one another if many requests and answers were under way. This comes before the statement, whose
        // own answer would be lost otherwise.
        if requests.count > 512 || bytesSent + size > 131_072, !requests.isEmpty { try finish() }
        if statement.link != number {
            guard library.send_prepare(handle, statement.name, statement.form.text, 0, nil) == 1 else { throw lost() }
            requests.append(.prepare(statement))
            statement.link = number
        }
        let sent = statement.values.withPointers { values in
            library.send_prepared(handle, statement.name, Int32(values.count), values.baseAddress, nil, nil, 0)
        }
        guard sent == 1 else { throw lost() }
        requests.append(request(statement.call))
        work.statements += 1
        bytesSent += size
        // The server works on a long row of changes while the next ones are made.
        if requests.count.isMultiple(of: 8), library.flush(handle) < 0 { throw lost() }
    }

    /// Removes the answer to the statement that reads the head, and returns the numbers of the answer: without and with the era.
    func takeHead() throws -> (number: Int64, commits: UInt64, revision: Int64) {
        defer { head = nil }
        guard let head, head.count == 1 else {
            throw StoreError(.damaged, "The table 'head' is empty.", advice: "Restore a backup.")
        }
        let cells = head.cells(0)
        let revision = Int64(bitPattern: era &+ UInt64(bitPattern: cells[1].integer))
        return (cells[0].integer, era &+ UInt64(bitPattern: cells[0].integer), revision)
    }

    /// Removes the kept answers, and marks the answers that the server has not sent yet as not to be kept.
    func forgetAnswers() {
        (head, expected) = (nil, [:])
        for index in requests.indices {
            switch requests[index] {
            case .head, .expected: requests[index] = .ignored
            default: break
            }
        }
    }

    /// Reads the answers that are under way if so many are that ``send(_:as:)`` would wait for them soon. A wait in the middle of a
    /// transaction that no statement has begun would end the transaction.
    func makeRoom() {
        if requests.count > 256 || bytesSent > 32_768 { clearFailure() }
    }

    /// Whether the statements until ``end()`` form one transaction, although none was begun by a statement.
    var isOneTransaction = false

    /// Sends the requests that were kept back, and does not wait for answers. This ends a transaction that no statement has begun.
    func end() {
        let wasOpen = isOneTransaction
        isOneTransaction = false
        guard !isLost, wasOpen || !requests.isEmpty else { return }
        if case .end? = requests.last { return }
        guard library.pipeline_sync(handle) == 1 else {
            isLost = true
            return
        }
        requests.append(.end)
    }

    /// Sends the requests that were kept back, and asks for the answers. A transaction that no statement has begun goes on.
    private func ask() {
        guard isOneTransaction else {
            end()
            return
        }
        if library.send_flush_request(handle) != 1 || library.flush(handle) < 0 { isLost = true }
    }

    /// Waits for all answers.
    ///
    /// - Parameter end: When to give the connection up.
    /// - Returns: The answer to the last statement; nil if no statement was sent.
    /// - Throws: The first error, which stays in ``failure`` until the transaction is rolled back.
    @discardableResult
    func finish(until end: ContinuousClock.Instant? = nil) throws -> Result? {
        ask()
        bytesSent = 0
        if !requests.isEmpty { work.trips += 1 }
        var last: Result?
        for request in requests {
            guard end.map(hasAnswer) ?? true, let answer = next() else {
                requests = []
                throw lost()
            }
            switch request {
            case .end, .ignored: library.clear(answer)
            case .statement: last = take(answer)
            case .head: head = take(answer)
            case .expected(let call, let answered): keep(take(answer), of: call, answered)
            case .prepare(let statement):
                if take(answer) == nil { statement.link = nil }
            }
        }
        requests = []
        pauses.beginPause()
        if isLost { throw lost() }
        hasAnswered = true
        if let failure {
            expected = [:]
            throw failure
        }
        return last
    }

    /// Keeps the answer to an expected read.
    private func keep(_ result: Result?, of call: PostgreSQLStatement.Call, _ answered: String?) {
        guard let result else { return }
        let id = result.count > 0 ? result.cells(0)[0].integer : nil
        if let answered {
            guard let id else { return }
            expected[.init(statement: answered, values: CStrings([String(id)]))] = .init(result: result, id: id)
        } else {
            expected[call] = .init(result: result, id: id)
        }
    }

    /// Waits until the next answer has come, or the connection was lost.
    ///
    /// - Returns: False if nothing has come until then.
    private func hasAnswer(until end: ContinuousClock.Instant) -> Bool {
        while library.is_busy(handle) != 0 {
            let left = end - .now
            guard left > .zero else { return false }
            var place = pollfd(fd: library.socket(handle), events: Int16(POLLIN), revents: 0)
            let milliseconds = min(left / .milliseconds(1), Double(Int32.max)).rounded(.up)
            if poll(&place, 1, Int32(milliseconds)) > 0, library.consume_input(handle) != 1 { return true }
        }
        return true
    }

    /// The next answer; nil if the connection was lost.
    private func next() -> OpaquePointer? {
        // `PQgetResult` returns nothing once between the results of two statements.
        for _ in 0..<4 {
            if let answer = library.get_result(handle) { return answer }
            if Int(library.status(handle)) != roster_pq_connection_ok { return nil }
        }
        return nil
    }

    func take(_ answer: OpaquePointer) -> Result? {
        switch Int(library.result_status(answer)) {
        case roster_pq_tuples_ok, roster_pq_command_ok:
            if Int(library.result_status(answer)) == roster_pq_command_ok {
                changedRows = library.changed_rows(answer).flatMap { Int(String(cString: $0)) } ?? 0
                totalChangedRows += changedRows
            }
            return Result(answer, library)
        case roster_pq_pipeline_aborted:
            library.clear(answer)
            return nil
        default:
            let state = library.result_error_field(answer, Int32(UInt8(ascii: "C"))).map { String(cString: $0) } ?? ""
            if PostgreSQLFailure.isLoss(state) { isLost = true }
            if failure == nil { failure = PostgreSQLFailure.error(state, at: server) }
            library.clear(answer)
            return nil
        }
    }

    /// Forgets the error, before the transaction is rolled back.
    func clearFailure() {
        guard !isLost else { return }
        if isOneTransaction { end() }
        if !requests.isEmpty { _ = try? finish() }
        failure = nil
    }
}
