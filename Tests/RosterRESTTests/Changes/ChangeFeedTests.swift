import Foundation
@testable import Roster
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("The change feed over HTTP", .timeLimit(.minutes(5)))
struct HTTPChangeFeedTests {
    static func numbers(_ answer: Answer) -> [Int64] {
        answer.elements.compactMap { if case .integer(let number)? = $0["sequence"] { number } else { nil } }
    }

    /// A service that has told that its clients sign in, which it does once.
    private func signedIn(keepAliveInterval: Duration = .seconds(15)) async throws -> ServiceUnderTest {
        let service = try await ServiceUnderTest(keepAliveInterval: keepAliveInterval)
        for client in [Client.administrator, .person, .manager] {
            _ = await service.request("GET", "people/tom.evans", as: client)
        }
        await service.signIn.oauth.audit.flush()
        return service
    }

    @Test("Changes come in order, from the first to the last, page by page")
    func pages() async throws {
        let service = try await signedIn()
        let last = try await service.directory.unrestricted.changes.lastSequence()
        #expect(Self.numbers(await service.request("GET", "changes")) == Array(1...last))
        for limit in [1, 7, Int(last), Int(last) + 1] {
            let pages = try await service.pages("changes?limit=\(limit)")
            let all = pages.flatMap { $0 }.compactMap { $0["sequence"] }
            #expect(all == (1...last).map { .integer($0) }, "\(limit)")
            #expect(pages.allSatisfy { $0.count <= limit })
        }
        let later = await service.request("GET", "changes?since=\(last - 2)")
        #expect(Self.numbers(later) == [last - 1, last] && later["last"] == .integer(last))
        let none = await service.request("GET", "changes?since=\(last)")
        #expect(none.elements.isEmpty && none["last"] == .integer(last) && none["next"] == nil)
    }

    @Test("A change says who did what to whom, with what was before and after")
    func contents() async throws {
        let service = try await signedIn()
        let last = try await service.directory.unrestricted.changes.lastSequence()
        let guid = await service.request("GET", "people/ren.watanabe")["guid"]
        _ = await service.request("PUT", "people/ren.watanabe", as: .provisioning, ["title": "Chief"])
        _ = await service.request("PUT", "people/ren.watanabe", as: .person, ["mobile": "5"])
        _ = await service.request("POST", "groups/sales/members", ["person-uri": "people/ren.watanabe"])
        _ = await service.request("PUT", "people/ren.watanabe", ["title": "Chief"])
        let answer = await service.request("GET", "changes?since=\(last)")
        #expect(answer.elements.count == 3)
        let first = try #require(answer.elements.first)
        #expect(first["actor"] == "provisioning hr" && first["kind"] == "modified" && first["entity"] == "user")
        #expect(first["id"] == guid && first["name"] == "ren.watanabe")
        #expect(first["before"] == ["title": "Engineer"] && first["after"] == ["title": "Chief"])
        #expect(first["time"] == "2026-01-01T09:00:00.000Z")
        #expect(answer.elements[1]["actor"] == guid)
        #expect(
            answer.elements[2]["entity"] == "role" && answer.elements[2]["after"]?["members"] == .array([guid ?? .null])
        )
    }

    @Test("What is no number, too small or too large, or given twice is refused")
    func parameters() async throws {
        let service = try await signedIn()
        for query in [
            "since=-1", "since=x", "since=", "since=99999999999999999999", "since=1&since=2", "limit=0", "limit=-5",
            "limit=10001", "limit=x", "limit=1&limit=1", "limit=99999999999999999999",
        ] {
            for accept in ["application/json", "text/event-stream"] {
                if accept != "application/json", query.hasPrefix("limit=") { continue }
                let answer = await service.request("GET", "changes?\(query)", headers: [("Accept", accept)])
                #expect(answer.status == 400 && answer.isProfileError, "\(query): \(answer.status)")
            }
        }
        let stream = [("Accept", "text/event-stream"), ("Last-Event-ID", "x")]
        #expect(await service.request("GET", "changes", headers: stream).status == 400)
    }

    @Test("Changes that were compacted away are gone with 410, in pages and as events")
    func compacted() async throws {
        let service = try await signedIn()
        try await service.directory.unrestricted.changes.compact(through: 10)
        for headers in [
            [], [("Accept", "text/event-stream")], [("Accept", "text/event-stream"), ("Last-Event-ID", "9")],
        ] {
            let answer = await service.request("GET", "changes?since=9", headers: headers)
            #expect(answer.status == 410 && answer.isProfileError)
        }
        #expect(Self.numbers(await service.request("GET", "changes?since=10")).first == 11)
    }

    @Test("Only administrators read changes, in pages and as events", arguments: Client.allCases)
    func access(client: Client) async throws {
        let service = try await signedIn()
        let isAdministrator = [.administrator, .tokenAdministrator].contains(client)
        for headers in [[], [("Accept", "text/event-stream")]] {
            let answer = await service.request("GET", "changes", as: client, headers: headers)
            let expected = isAdministrator ? 200 : Client.notLetIn.contains(client) ? 401 : 403
            #expect(answer.status == expected)
            if !isAdministrator { #expect(answer.isProfileError && !answer.text.contains("sequence")) }
        }
    }

    // MARK: Events

    /// Reads events from a stream, and nothing else but comments.
    struct Events {
        private var iterator: AsyncStream<[UInt8]>.Iterator
        private var text = ""
        private(set) var comments = 0

        init(_ answer: Answer) throws {
            #expect(answer.status == 200 && answer.header("Content-Type") == "text/event-stream")
            #expect(answer.header("X-Accel-Buffering") == "no", "nginx passes events on at once")
            guard case .stream(let stream) = answer.response.body else {
                throw DirectoryError(.invalidInput, "No stream.")
            }
            iterator = stream.makeAsyncIterator()
        }

        /// The next event as (id, data); nil at the end.
        mutating func next() async throws -> (id: String, data: JSONValue)? {
            while true {
                if let end = text.firstRange(of: "\n\n") {
                    let lines = text[..<end.lowerBound].split(separator: "\n")
                    text.removeSubrange(..<end.upperBound)
                    if lines == [":"] {
                        comments += 1
                        continue
                    }
                    try #require(lines.count == 3 && lines[1] == "event: change")
                    try #require(lines[0].hasPrefix("id: ") && lines[2].hasPrefix("data: "))
                    return (String(lines[0].dropFirst(4)), try JSONValue(parsing: Array(lines[2].dropFirst(6).utf8)))
                }
                guard let piece = await iterator.next() else { return nil }
                text += String(decoding: piece, as: UTF8.self)
            }
        }
    }

    @Test("Events are the changes, from where the reader was, and go on as they are made")
    func events() async throws {
        let service = try await signedIn()
        let last = try await service.directory.unrestricted.changes.lastSequence()
        let stream = [("Accept", "text/event-stream")]
        var events = try Events(await service.request("GET", "changes?since=1", headers: stream))
        for number in 2...last {
            let event = try #require(try await events.next())
            #expect(event.id == String(number) && event.data["sequence"] == .integer(number))
        }
        #expect(events.comments > 0)
        for number in 1...200 {
            let title = "line one\nline two \(number)\r\n\n: no comment\u{2028}"
            _ = await service.request("PUT", "people/tom.evans", ["title": .string(title)])
            let event = try #require(try await events.next())
            #expect(event.id == String(last + Int64(number)))
            #expect(event.data["after"]?["title"]?.text == title && event.data["name"] == "tom.evans")
        }
        let known = [("Accept", "application/json, text/event-stream"), ("Last-Event-ID", String(last + 198))]
        var later = try Events(await service.request("GET", "changes?since=3", headers: known))
        #expect(try await later.next()?.id == String(last + 199))
        #expect(try await later.next()?.id == String(last + 200))
    }

    @Test("A reader who is slow misses nothing and gets nothing twice")
    func slowReader() async throws {
        let service = try await signedIn()
        let last = try await service.directory.unrestricted.changes.lastSequence()
        var events = try Events(
            await service.request("GET", "changes?since=\(last)", headers: [("Accept", "text/event-stream")]))
        // More than are kept for a reader.
        try await service.directory.unrestricted.awaitWrite { session in
            for number in 0..<500 { _ = try session.asEditor(to: "test").users.create(NewUser("crowd\(number)")) }
        }
        for number in 1...500 { #expect(try await events.next()?.id == String(last + Int64(number))) }
    }

    @Test("Events end when the reader goes away, when the directory closes and when the reader loses the right")
    func ends() async throws {
        let service = try await signedIn()
        let last = try await service.directory.unrestricted.changes.lastSequence()
        let headers = [("Accept", "text/event-stream")]
        let path = "changes?since=\(last)"
        let gate = Gate()
        let reader = Task {
            var events = try Events(await service.request("GET", path, headers: headers))
            gate.open()
            return try await events.next() == nil
        }
        try await onThread { gate.pass() }
        reader.cancel()
        #expect(try await reader.value)

        _ = await service.request("POST", "groups/administrators/members", ["person-uri": "people/haruka.ito"])
        let from = try await service.directory.unrestricted.changes.lastSequence()
        var events = try Events(await service.request("GET", "changes?since=\(from)", as: .manager, headers: headers))
        _ = await service.request("PUT", "people/tom.evans", ["title": "one"])
        #expect(try await events.next()?.data["after"] == ["title": "one"])
        _ = await service.request("DELETE", "groups/administrators/members/haruka.ito")
        _ = await service.request("PUT", "people/tom.evans", ["title": "two"])
        #expect(try await events.next() == nil)

        var open = try Events(await service.request("GET", path, headers: headers))
        #expect(try await open.next() != nil)
        service.directory.close()
        while try await open.next() != nil {}
    }

    @Test("Who listens in silence is shown that the server is still there")
    func keepAlive() async throws {
        let service = try await signedIn(keepAliveInterval: .milliseconds(1))
        let last = try await service.directory.unrestricted.changes.lastSequence()
        let answer = await service.request("GET", "changes?since=\(last)", headers: [("Accept", "text/event-stream")])
        guard case .stream(let stream) = answer.response.body else { return #expect(Bool(false), "No stream") }
        var comments = 0
        for await piece in stream {
            #expect(piece == Array(":\n\n".utf8))
            comments += 1
            if comments == 20 { break }
        }
        #expect(comments == 20)
    }

    @Test(
        "A session that is good once is good for all of the events that it was used for, until the account is disabled")
    func oneTimeSession() async throws {
        let service = try await signedIn(keepAliveInterval: .milliseconds(1))
        let last = try await service.directory.unrestricted.changes.lastSequence()
        let session = await service.request("POST", "/db/_session?one_time=true")
        let id = try #require(session["one_time_session_id"]?.text, "\(session.text)")
        let headers = [("Accept", "text/event-stream"), ("Cookie", "SyncGatewaySession=" + id)]
        let answer = await service.request("GET", "changes?since=\(last)", as: .nobody, headers: headers)
        guard case .stream(let stream) = answer.response.body else { return #expect(Bool(false), "No stream") }
        var pieces = stream.makeAsyncIterator()
        for _ in 0..<5 {
            // More than may be on their way already.
            for _ in 0..<100 { #expect(await pieces.next() != nil) }
            service.clock.advance(by: 200)
            try await service.directory.spentTokens.forgetExpired()
        }
        #expect(await service.request("GET", "changes?since=\(last)", as: .nobody, headers: headers).status == 401)
        // Another one administers while root cannot.
        let other = try await service.directory.unrestricted.users.create("second").id
        try await service.directory.unrestricted.awaitWrite { session in
            try session.asRoleOwner(
                of: .id(session.asPresentAdministrator(to: "test").powers.administratorsRole().id), changing: .member
            ).add([.user(.id(other))])
        }
        try await service.directory.unrestricted.users.modify(.named("root"), attributes: ["active": false])
        while await pieces.next() != nil {}
    }

    @Test("Events of a session that is good once end when its user is signed out everywhere or changes the password")
    func endOfOneTimeSession() async throws {
        for path in ["/db/_user/root/_session", "people/root"] {
            let service = try await signedIn(keepAliveInterval: .milliseconds(1))
            let session = await service.request("POST", "/db/_session?one_time=true")
            let id = try #require(session["one_time_session_id"]?.text, "\(session.text)")
            let headers = [("Accept", "text/event-stream"), ("Cookie", "SyncGatewaySession=" + id)]
            var events = try Events(await service.request("GET", "changes", as: .nobody, headers: headers))
            #expect(try await events.next() != nil)
            let answer =
                path.hasPrefix("/")
                ? await service.request("DELETE", path)
                : await service.request("PUT", path, ["password": "another one entirely"])
            #expect(answer.status == 200)
            while try await events.next() != nil {}
        }
    }

    @Test("Events end when the token is revoked or expires, and when the password is changed")
    func endOfCredentials() async throws {
        for round in 0..<3 {
            let service = try await signedIn(keepAliveInterval: .milliseconds(1))
            let view = service.directory.unrestricted
            let token = try await APIToken.create(
                named: "brief", role: .administrator, expires: service.clock.now.addingTimeInterval(60), in: view
            ).text
            let authorization = round == 2 ? ServiceUnderTest.basic("root") : "Bearer \(token)"
            var events = try Events(
                await service.send("GET", "changes", authorization, headers: [("Accept", "text/event-stream")]))
            #expect(try await events.next() != nil)
            switch round {
            case 0:
                try await view.awaitWrite { try $0.asPresentAdministrator(to: "test").apiTokens.revoke(named: "brief") }
            case 1: service.clock.advance(by: 60)
            default: _ = await service.request("PUT", "people/root", ["password": "another one entirely"])
            }
            while try await events.next() != nil {}
        }
    }

    @Test("Nothing is left of a stream whose reader has gone")
    func nothingIsLeft() async throws {
        weak var core: DirectoryCore?
        func listen() async throws {
            let service = try await signedIn()
            core = service.directory.core
            var events = try Events(
                await service.request("GET", "changes", headers: [("Accept", "text/event-stream")]))
            #expect(try await events.next() != nil)
        }
        try await listen()
        let end = ContinuousClock.now + .seconds(60)
        while core != nil, ContinuousClock.now < end { await Task.yield() }
        #expect(core == nil)
    }
}
