import Roster
import Dispatch
import Foundation
import RosterREST
import RosterText

/// Collects log lines and hands on several of them at once, at the latest after a fifth of a second. A system call for each
/// line would cost more than the request.
final class RequestLog: Sendable {
    private let waiting = Locked(Data())
    private let sink: @Sendable (Data) -> Void
    private let queue = DispatchQueue(label: "roster.log")

    init(_ sink: @escaping @Sendable (Data) -> Void) { self.sink = sink }

    func write(_ record: RequestRecord) { write(record.line) }

    /// Logs a warning that belongs to no request.
    func warn(_ text: String) { write(RequestRecord.warning(text)) }

    private func write(_ line: [UInt8]) {
        let (isFirst, isFull) = waiting.withLock { waiting in
            let isFirst = waiting.isEmpty
            let wasFull = waiting.count >= 1 << 16
            waiting.append(contentsOf: line)
            waiting.append(0x0A)
            return (isFirst, !wasFull && waiting.count >= 1 << 16)
        }
        if isFull { queue.async { [self] in handOver() } }
        if isFirst { queue.asyncAfter(deadline: .now() + 0.2) { [self] in handOver() } }
    }

    /// Hands on the collected lines, and returns when that is done.
    func flush() { queue.sync { handOver() } }

    private func handOver() {
        let data = waiting.withLock { waiting in
            defer { waiting = Data() }
            return waiting
        }
        if !data.isEmpty { sink(data) }
    }
}
