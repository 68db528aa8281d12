import Foundation
import Roster
import RosterStore
import RosterText

/// The counts of a throttle in a table, which all servers of a directory share. The table is lost when the database server crashes.
struct SharedAttempts: Sendable {
    private let name: String
    private let directory: Directory
    /// How long an address is known after the last sign-in there, in seconds.
    private static let knownFor: Int64 = 30 * 86_400

    init(_ name: String, _ directory: Directory) { (self.name, self.directory) = (name, directory) }

    /// Runs `body` with the counts for an attempt and the time, and keeps what `body` changes. Attempts from the same address wait
    /// for one another.
    func counting<Value>(
        _ pair: AttemptThrottle.Pair, _ body: (inout AttemptThrottle.Counts, Duration) -> Value
    ) throws -> Value {
        let time = Duration.milliseconds(directory.now.milliseconds)
        let known = pair.account + "\n" + pair.address
        return try directory.store.changeSideTables { connection in
            try connection.run(AttemptStatements.lockAddress, [.text(pair.address)])
            try connection.run(AttemptStatements.lockAccount, [.text(pair.account)])
            let old = AttemptThrottle.Counts(
                known: try run("known", known, on: connection),
                account: try run("account", pair.account, on: connection),
                minute: try run("address", pair.address, on: connection).map {
                    .init(failures: $0.failures, start: $0.last)
                })
            var new = old
            let value = body(&new, time)
            if new.known != old.known { try keep(new.known, "known", known, Self.knownFor, time, on: connection) }
            if new.account != old.account {
                try keep(new.account, "account", pair.account, 1_000, time, on: connection)
            }
            if new.minute != old.minute {
                let run = new.minute.map { AttemptThrottle.Run(failures: $0.failures, last: $0.start) }
                try keep(run, "address", pair.address, 60, time, on: connection)
            }
            return value
        }
    }

    private func run(_ kind: String, _ key: String, on connection: Connection) throws -> AttemptThrottle.Run? {
        try connection.first(AttemptStatements.select, [.text(name), .text(kind), .text(key)]) { row in
            AttemptThrottle.Run(
                failures: Int(row.integer(0)), last: .milliseconds(row.integer(1)),
                blockedUntil: .milliseconds(row.integer(2)))
        }
    }

    private func keep(
        _ run: AttemptThrottle.Run?, _ kind: String, _ key: String, _ seconds: Int64, _ time: Duration,
        on connection: Connection
    ) throws {
        let place: [Binding] = [.text(name), .text(kind), .text(key)]
        let now = Self.milliseconds(time)
        guard let run else { return try connection.run(AttemptStatements.delete, place) }
        let row: [Binding] = [
            .integer(Int64(run.failures)), .integer(Self.milliseconds(run.last)),
            .integer(Self.milliseconds(run.blockedUntil)), .integer(now + seconds * 1_000),
        ]
        try connection.run(AttemptStatements.upsert, place + row)
        if run.failures == 1 { try connection.run(AttemptStatements.clean, [.integer(now)]) }
    }

    private static func milliseconds(_ duration: Duration) -> Int64 { Int64(duration / .milliseconds(1)) }
}
