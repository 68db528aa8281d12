import Roster
import RosterSignIn
import RosterText

/// The change feed over HTTP, for administrators only: in pages, or as server-sent events that continue as long as the client listens.
package enum ChangesAPI {
    package static let changes = Endpoint(
        "What has changed. With Accept: text/event-stream, as events for as long as somebody listens. Sign-ins that are alike within an "
            + "hour are one entry with their number in 'count'; 'time' and 'last_time' are those of the first and the last.",
        parameters: [
            .init(
                name: "since", summary: "The number of the last change that is known; 0 unless given.", schema: number),
            .init(
                name: "limit", summary: "How many at most, 1 to 10,000; 1,000 unless given.",
                schema: ["type": "integer", "minimum": 1, "maximum": 10000]),
            .init(
                name: "Last-Event-ID", summary: "The number of the last event that was received.",
                schema: ["type": "string", "pattern": "^[0-9]{1,18}$"], isHeader: true),
        ], answer: .init(schema: page), handler: read)

    /// The schema of the number of a change.
    static let number: JSONValue = ["type": "integer", "minimum": 0, "maximum": .integer(.max)]
    private static let page: JSONValue = [
        "type": "object", "required": ["elements", "last"],
        "properties": [
            "elements": ["type": "array", "items": ["type": "object"]], "last": ["type": "integer"],
            "next": ["type": "string"],
        ],
    ]

    private static func read(_ call: Call) throws -> Reply {
        let isStream = (call.request.headers["Accept"] ?? "").contains("text/event-stream")
        var since = try number(call.parameter("since"), "since")
        if let last = try number(call.request.headers["Last-Event-ID"], "Last-Event-ID"), isStream { since = last }
        let limit = try call.integer("limit") ?? 1_000
        let start = since ?? 0
        let feed = call.view.changes.forAdministrators
        if isStream {
            return .later {
                // Refused here, while there still is a status to say it with.
                _ = try await feed.since(start, limit: 1)
                return HTTPResponse(
                    200,
                    // nginx would hold events back until a buffer is full.
                    headers: ["Content-Type": "text/event-stream", "X-Accel-Buffering": "no"],
                    body: .stream(events(call, since: start)))
            }
        }
        return .later {
            let changes = try await feed.since(start, limit: limit)
            let last = changes.last?.sequence ?? start
            var body: JSONValue = ["elements": .array(changes.map(\.json)), "last": .integer(last)]
            if changes.count == limit {
                body["next"] = .string(
                    "\(call.linkBase)/changes?since=\(last)&limit=\(limit)")
            }
            return .json(body)
        }
    }

    /// Reads the number of a change; nil if there is none.
    static func number(_ text: String?, _ name: String) throws -> Int64? {
        guard let text else { return nil }
        guard let number = Int64(text), number >= 0 else {
            throw RequestError(.badRequest, "'\(name)' is a whole number from 0 up.")
        }
        return number
    }

    // MARK: Events

    private static func events(_ call: Call, since: Int64) -> AsyncStream<[UInt8]> {
        let context = call.context
        // A slow client holds up its own events, never more memory than this many of them.
        return AsyncStream(bufferingPolicy: .bufferingOldest(64)) { continuation in
            let work = Task {
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { try? await follow(call.view.changes.forAdministrators, since: since, continuation) }
                    group.addTask {
                        while (try? await Task.sleep(for: context.keepAliveInterval)) != nil,
                            await context.stillAccepts(call.identity, call.request)
                        {
                            continuation.yield(Array(":\n\n".utf8))
                        }
                    }
                    await group.next()
                    group.cancelAll()
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in work.cancel() }
        }
    }

    private static func follow(
        _ feed: ChangeFeed, since: Int64, _ continuation: AsyncStream<[UInt8]>.Continuation
    ) async throws {
        continuation.yield(Array(":\n\n".utf8))
        func send(_ head: String, _ data: JSONValue) async throws {
            var event = Array("\(head)\ndata: ".utf8)
            data.write(to: &event)
            event += Array("\n\n".utf8)
            while case .dropped = continuation.yield(event) { try await Task.sleep(for: .milliseconds(10)) }
        }
        do {
            for try await change in feed.follow(since: since) {
                try await send("id: \(change.sequence)\nevent: change", change.json)
            }
        } catch let error as DirectoryError where error.code == .changesCompacted {
            // The client was too slow: the next change for it is gone.
            try await send("event: gone", ["message": .string(error.description)])
        }
    }
}
