import Dispatch
import Foundation
import RosterSignIn
import RosterText

/// Collects log lines, and hands on several of them at once. A system call for each line would cost more than the operation.
final class LDAPLog: Sendable {
    private let waiting = Locked(Data())
    private let sink: @Sendable (Data) -> Void
    private let queue = DispatchQueue(label: "roster.ldap.log")

    init(_ sink: @escaping @Sendable (Data) -> Void) { self.sink = sink }

    /// Writes a line of JSON about an operation. The line has no password and no value of an entry.
    func write(_ message: LDAPMessage, _ session: LDAPSession, _ outcome: LDAPService.Outcome, _ duration: Duration) {
        var line: [UInt8] = Array("{\"time\":".utf8)
        JSONText.append(string: Timestamp.text(Date()), to: &line)
        func add(_ name: String, _ text: String) {
            line.append(UInt8(ascii: ","))
            JSONText.append(name: name, to: &line)
            JSONText.append(string: String(decoding: text.utf8.prefix(256), as: UTF8.self), to: &line)
        }
        func add(_ name: String, _ number: Int64) {
            line.append(UInt8(ascii: ","))
            JSONText.append(name: name, to: &line)
            JSONText.append(number, to: &line)
        }
        add("ldap", message.request.name)
        if case .abandoned = outcome.effect {
            add("result", "abandoned")
        } else {
            add("result", Int64(outcome.result.code.rawValue))
        }
        add("microseconds", Int64(duration / .microseconds(1)))
        add("from", session.peer)
        add("connection", Int64(session.number))
        if let identity = session.identity {
            add("caller", identity.identity.name)
            if let program = identity.program { add("program", program) }
        }
        if let name = outcome.name, !name.isEmpty { add("name", name) }
        if case .search(let search) = message.request {
            add("base", search.base)
            add("entries", Int64(outcome.entries))
        }
        line += Array("}\n".utf8)
        let isFirst = waiting.withLock { waiting in
            defer { waiting.append(contentsOf: line) }
            return waiting.isEmpty
        }
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
