import Foundation
import Roster
import RosterClient
import RosterText
import ServiceTestSupport
import TestSupport
import Testing

@Suite("Hostile servers behind a view", .timeLimit(.minutes(10)))
struct HostileDirectoryTests {
    private static func json(_ answer: String) -> String {
        SocketServer.answer(#"{"revision":0,"answer":\#(answer)}"#)
    }
    private static let user = #"{"id":"xfvc3w0smp4","uid":"ada","version":1"#

    private static func nested(_ count: Int) -> String {
        String(repeating: #"{"prefetchedManager":["#, count: count) + String(repeating: "]}", count: count)
    }

    /// What a server answers to everything, and the error of a look-up and of a change.
    static let answers: [(name: String, answer: String, read: String, change: String)] = [
        ("HTML", SocketServer.answer("<html>Welcome</html>"), "bad_answer", "outcome_unknown"),
        ("HTML, 404", SocketServer.answer("<html>", "404 Not Found"), "not_offered", "not_offered"),
        ("HTML, 401", SocketServer.answer("<html>", "401 Unauthorized"), "not_signed_in", "not_signed_in"),
        ("HTML, 500", SocketServer.answer("<html>", "500 Oops"), "bad_answer", "outcome_unknown"),
        ("HTML, 502", SocketServer.answer("<html>", "502 Bad Gateway"), "unreachable", "outcome_unknown"),
        ("HTML, 503", SocketServer.answer("<html>", "503 Busy"), "unreachable", "outcome_unknown"),
        ("nothing", SocketServer.answer(""), "bad_answer", "outcome_unknown"),
        ("204", "HTTP/1.1 204 No Content\r\n\r\n", "bad_answer", "outcome_unknown"),
        ("no HTTP", "SSH-2.0-OpenSSH_9.2\r\n\r\n", "bad_answer", "outcome_unknown"),
        ("null", json("null"), "bad_answer", "outcome_unknown"),
        ("another type", json("[1]"), "bad_answer", "outcome_unknown"),
        ("wrong members", json(#"{"id":7,"uid":[],"version":"x"}"#), "bad_answer", "outcome_unknown"),
        ("cut", json(user), "bad_answer", "outcome_unknown"),
        ("more", SocketServer.answer(#"{"revision":0,"answer":\#(user)}}{"#), "bad_answer", "outcome_unknown"),
        ("no revision", SocketServer.answer(#"{"answer":\#(user)}}"#), "bad_answer", "outcome_unknown"),
        ("large number", json(user + #","created":1e400}"#), "bad_answer", "outcome_unknown"),
        ("larger number", json(user + #","created":99999999999999999999}"#), "bad_answer", "outcome_unknown"),
        ("deep", json(String(repeating: "[", count: 1_000_000)), "bad_answer", "outcome_unknown"),
        (
            "deep value", json(user + #","attributes":{"a":\#(String(repeating: "[", count: 500_000))"#), "bad_answer",
            "outcome_unknown"
        ),
        (
            "deep managers after closing brackets",
            SocketServer.answer(
                "{" + String(repeating: #""z":],"#, count: 60_000) + #""revision":0,"answer":\#(nested(50_000))}"#),
            "bad_answer", "outcome_unknown"
        ),
        (
            "deep managers after a stray quotation mark",
            SocketServer.answer(#"{"revision":0,"z":1","answer":\#(nested(50_000)),"y":1"}"#), "bad_answer",
            "outcome_unknown"
        ),
        ("deep managers", json(nested(50_000)), "bad_answer", "outcome_unknown"),
        (
            "not a problem", SocketServer.answer(#"{"code":["not_found"]}"#, "400 Bad Request"), "bad_answer",
            "bad_answer"
        ),
        (
            "large problem",
            SocketServer.answer(
                "[" + String(repeating: "[],", count: 1_000_000) + "1]", "400 Bad Request"), "bad_answer", "bad_answer"
        ),
        ("stopping", SocketServer.answer(#"{"code":"closed"}"#, "503 Stopping"), "unreachable", "unreachable"),
    ]

    @Test("Answers that are none of a directory server are errors with a code", arguments: Self.answers.indices)
    func wrongAnswers(index: Int) async throws {
        let (name, answer, read, change) = Self.answers[index]
        try await withProxiedDirectory { proxied in
            proxied.proxy.decide { _, _ in .answer(answer) }
            let view = proxied.view
            #expect(await outcome { try await view.users.user("haruka.ito") } == read, "\(name)")
            #expect(await outcome { try await onThread { try view.users.user("haruka.ito").uid } } == read, "\(name)")
            #expect(await outcome { try await view.users.create("ada") } == change, "\(name)")
            let opened = await outcome {
                _ = try await DirectoryView(
                    server: address(proxied.proxy.url), credentials: proxied.credentials, transport: proxied.transport)
            }
            #expect(opened == read, "\(name)")
        }
    }

    @Test("The answer that the wrong ones begin with is a user")
    func rightAnswer() async throws {
        try await withProxiedDirectory { proxied in
            proxied.proxy.decide { path, _ in
                path.hasSuffix("/user") ? .answer(Self.json(Self.user + "}")) : .pass
            }
            let user = try await proxied.view.users.user("haruka.ito")
            #expect(user.uid == "ada")
        }
    }

    @Test("A redirect is an error, and the other server gets nothing", arguments: [301, 302, 303, 307, 308])
    func redirects(status: Int) async throws {
        let other = try SocketServer(answering: Self.json(Self.user + "}"))
        try await withProxiedDirectory { proxied in
            proxied.proxy.decide { path, _ in
                .answer(
                    SocketServer.answer("", "\(status) Elsewhere", headers: "Location: \(other.url)\(path)\r\n"))
            }
            let view = proxied.view
            #expect(await outcome { try await view.users.user("haruka.ito") } == "bad_answer")
            #expect(await outcome { try await view.users.create("ada") } == "bad_answer")
            #expect(other.connections == 0)
        }
    }

    @Test("An endless answer is cut off")
    func endless() async throws {
        try await withProxiedDirectory { proxied in
            for status in ["200 OK", "400 Bad Request"] {
                proxied.proxy.decide { _, _ in
                    .serve { peer in
                        let part = String(repeating: "[", count: 0x1_0000)
                        guard peer.send("HTTP/1.1 \(status)\r\n\r\n{\"revision\":0,\"answer\":") else { return }
                        while peer.send(part) {}
                    }
                }
                let view = proxied.view
                #expect(await outcome { try await view.users.user("haruka.ito") } == "bad_answer")
            }
        }
    }

    @Test("Pages of changes that lead nowhere end with an error")
    func noProgress() async throws {
        try await withProxiedDirectory { proxied in
            let view = proxied.view
            for page in [
                #"{"through":0,"isLast":false,"changes":[]}"#, #"{"through":-7,"isLast":false,"changes":[]}"#,
                #"{"through":-7,"isLast":true,"changes":[]}"#,
            ] {
                proxied.proxy.decide { path, _ in path.hasSuffix("changes") ? .answer(Self.json(page)) : .pass }
                #expect(await outcome { try await view.changes.since(0) } == "bad_answer")
                #expect(await outcome { for try await _ in view.changes.follow(since: 0) {} } == "bad_answer")
            }
        }
    }

    @Test("2,000 answers with random bytes in them give values or errors with a code")
    func mutations() async throws {
        try await withProxiedDirectory { proxied in
            let numbers = Locked(SeededNumbers(seed: randomSeed()))
            proxied.proxy.decide { _, _ in
                .alter { text in
                    numbers.withLock { numbers in
                        var text = text
                        for _ in 0..<Int.random(in: 0...2, using: &numbers) where !text.isEmpty {
                            text = numbers.alteration(of: text, by: 0x20...0x7E)
                        }
                        guard Int.random(in: 0..<8, using: &numbers) == 0 else { return text }
                        return String(text.prefix(Int.random(in: 0...text.count, using: &numbers)))
                    }
                }
            }
            var operations = RandomOperations(numbers: numbers.withLock { $0 })
            var ends: [Bool: Int] = [:]
            for _ in 0..<2_000 {
                let operation = operations.next()
                do {
                    _ = try await operation.run(proxied.view)
                    ends[true, default: 0] += 1
                } catch is DirectoryError {
                    ends[false, default: 0] += 1
                }
            }
            #expect(ends[true, default: 0] > 100 && ends[false, default: 0] > 100, "\(ends)")
        }
    }
}
