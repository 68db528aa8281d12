import Roster
import RosterText

/// The endpoints for operators: whether the server runs, whether it is ready, and its figures.
enum MonitoringAPI {
    private static let plain = "text/plain; charset=utf-8"
    private static let figures = "text/plain; version=0.0.4; charset=utf-8"

    static let health = Endpoint(
        "Whether the process answers.", answer: .init(mediaType: plain, schema: ["type": "string"]),
        asksDirectory: false
    ) { _ in .now(text(200, "ok\n")) }

    static let readiness = Endpoint(
        "Whether the directory can be read, and the server is not about to stop.",
        answer: .init(mediaType: plain, schema: ["type": "string"], others: [503])
    ) { call in
        let isReady = !call.context.isDraining() && (try? call.context.directory.signingKey()) != nil
        return .now(text(isReady ? 200 : 503, isReady ? "ready\n" : "not ready\n"))
    }

    static let metrics = Endpoint(
        "The server's figures in Prometheus' text format.",
        answer: .init(mediaType: figures, schema: ["type": "string"])
    ) { call in
        try call.view.checkMonitoring()
        return .later {
            let directory = call.context.directory.unrestricted
            let users = try await directory.users.count()
            let last = try await directory.changes.lastSequence()
            let body = call.context.metrics.text(gauges: [
                ("roster_users", "Users in the directory.", Double(users)),
                ("roster_last_change", "The number of the latest change.", Double(last)),
            ])
            return HTTPResponse(200, headers: ["Content-Type": figures], body: .bytes(Array(body.utf8)))
        }
    }

    private static func text(_ status: Int, _ text: String) -> HTTPResponse {
        HTTPResponse(status, headers: ["Content-Type": plain], body: .bytes(Array(text.utf8)))
    }
}
