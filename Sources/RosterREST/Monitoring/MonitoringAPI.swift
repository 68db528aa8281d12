import Roster
import RosterText

/// The endpoints for operators: whether the server runs, whether it is ready, and its figures.
enum MonitoringAPI {
    private static let plain = "text/plain; charset=utf-8"
    private static let figures = "text/plain; version=0.0.4; charset=utf-8"

    static let health = Endpoint(
        "Whether the process answers.", answer: .init(mediaType: plain, schema: ["type": "string"]),
        asksDirectory: false, takesAnyHost: true
    ) { _ in .now(text(200, "ok\n")) }

    static let readiness = Endpoint(
        "Whether the directory can be read and changed, and the server is not about to stop. If not, the answer is one word: "
            + (["stopping", "unreadable"] + StorageProbe.Problem.allCases.map(\.rawValue)).joined(separator: ", ")
            + ". On PostgreSQL, a second line tells whether a synchronous standby is there, and a third one whether the replica "
            + "cannot be reached.",
        answer: .init(mediaType: plain, schema: ["type": "string"], others: [503]), takesAnyHost: true
    ) { call in
        let context = call.context
        if context.isDraining() { return .now(notReady("stopping")) }
        if let problem = context.directory.storage.fileProblem { return .now(notReady(problem.rawValue)) }
        guard (try? context.directory.signingKey()) != nil else { return .now(notReady("unreadable")) }
        if context.directory.isOnServer {
            guard let standbys = try? context.directory.storage.standbyState() else {
                return .now(notReady("unreadable"))
            }
            var lines = ["ready", line(standbys)]
            if context.directory.storage.replicaProblem != nil {
                lines.append("The replica cannot be reached, and the primary answers lists in its place.")
            }
            return .now(text(200, lines.map { $0 + "\n" }.joined()))
        }
        guard let storage = context.storage else { return .now(ready(nil)) }
        // Only the first of many requests waits for the disk.
        if let known = storage.known { return .now(ready(known.problem)) }
        return .later { ready(await storage.problem()) }
    }

    /// A server without standbys is ready: if all servers said otherwise, nobody could read either.
    private static func line(_ standbys: StandbyState) -> String {
        switch standbys {
        case .notAwaited: "Changes wait for no standby, so the loss of the database server can lose them."
        case .awaited(0): "No synchronous standby is there, and changes wait until one is."
        case .awaited(let count): "Synchronous standbys: \(count)."
        case .hidden: "The database role may not see the standbys. Grant it pg_monitor."
        }
    }

    private static func ready(_ problem: StorageProbe.Problem?) -> HTTPResponse {
        problem.map { notReady($0.rawValue) } ?? text(200, "ready\n")
    }

    private static func notReady(_ word: String) -> HTTPResponse { text(503, word + "\n") }

    static let metrics = Endpoint(
        "The server's figures in Prometheus' text format.",
        answer: .init(mediaType: figures, schema: ["type": "string"]), takesAnyHost: true
    ) { call in
        try call.view.checkMonitoring()
        return .later {
            let body = call.context.metrics.text(try await call.context.figures())
            return HTTPResponse(200, headers: ["Content-Type": figures], body: .bytes(Array(body.utf8)))
        }
    }

    private static func text(_ status: Int, _ text: String) -> HTTPResponse {
        HTTPResponse(status, headers: ["Content-Type": plain], body: .bytes(Array(text.utf8)))
    }
}
