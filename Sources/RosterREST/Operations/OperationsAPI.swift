import Roster
import RosterText

/// What an operator asks: is it alive, can it work, what has it done.
enum OperationsAPI {
    private static let plain = "text/plain; charset=utf-8"

    static let routes: [Route] = [
        Route(
            "GET", "/healthz", "Whether the process answers.", style: .problem, access: .everyone,
            asksDirectory: false,
            answer: .init(mediaType: plain, schema: ["type": "string"])
        ) { _ in .now(text(200, "ok\n")) },
        Route(
            "GET", "/readyz", "Whether the directory can be read, and the server is not about to stop.",
            style: .problem, access: .everyone,
            answer: .init(mediaType: plain, schema: ["type": "string"], others: [503])
        ) { exchange in
            let isReady =
                !exchange.context.isDraining() && (try? exchange.context.directory.credentials.signingKey()) != nil
            return .now(text(isReady ? 200 : 503, isReady ? "ready\n" : "not ready\n"))
        },
        Route(
            "GET", "/metrics", "The server's figures in Prometheus' text format.", style: .problem,
            answer: .init(mediaType: "text/plain; version=0.0.4; charset=utf-8", schema: ["type": "string"])
        ) { exchange in
            try exchange.view.checkMonitoring()
            return .later {
                let directory = exchange.context.directory.unrestricted
                let users = try await directory.users.count()
                let last = try await directory.changes.lastSequence()
                let body = exchange.context.metrics.text(gauges: [
                    ("roster_users", "Users in the directory.", Double(users)),
                    ("roster_last_change", "The number of the latest change.", Double(last)),
                ])
                return HTTPResponse(
                    200, headers: ["Content-Type": "text/plain; version=0.0.4; charset=utf-8"],
                    body: .bytes(Array(body.utf8)))
            }
        },
    ]

    private static func text(_ status: Int, _ text: String) -> HTTPResponse {
        HTTPResponse(status, headers: ["Content-Type": plain], body: .bytes(Array(text.utf8)))
    }
}
