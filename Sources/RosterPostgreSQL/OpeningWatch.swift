import Dispatch
import Foundation
import RosterText

/// Tells what the opening of a directory waits for, when the opening takes longer than some seconds.
final class OpeningWatch: Sendable {
    /// The time after which an opening that still waits is told of, and between two such messages.
    private static let patience = 3

    private let timer: any DispatchSourceTimer & Sendable

    /// Begins to watch.
    ///
    /// - Parameter tell: Called with a sentence, on a thread of the watch.
    init(_ address: ServerAddress, _ server: Server, tell: @escaping @Sendable (String) -> Void) {
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "roster.postgresql.opening"))
        timer.schedule(deadline: .now() + .seconds(Self.patience), repeating: .seconds(10 * Self.patience))
        timer.setEventHandler { tell("\(address.name) is not open yet: \(Self.reason(address, server))") }
        timer.activate()
        self.timer = timer
    }

    func end() { timer.cancel() }

    private static func reason(_ address: ServerAddress, _ server: Server) -> String {
        guard let process = server.newestProcess,
            let answer = try? Link(address).run(script: PostgreSQLStatements.waiting(of: process))
        else { return "the database server does not answer." }
        switch answer.prefix(while: { $0 != "/" }) {
        case "standby":
            return "a change waits for a synchronous standby, and none has it. Start a standby, or take it out of "
                + "synchronous_standby_names."
        case "lock":
            return "the lock of another session is in the way (process \(answer.dropFirst("lock/".count)) of the database "
                + "server). Another server may be migrating the directory."
        default: return "the database server works."
        }
    }
}
