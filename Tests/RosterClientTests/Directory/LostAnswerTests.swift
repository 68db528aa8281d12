import Foundation
import Roster
import RosterClient
import RosterText
import ServiceTestSupport
import TestSupport
import Testing

@Suite("Changes through a server whose answers are lost", .timeLimit(.minutes(3)))
struct LostAnswerTests {
    private struct Losses {
        var numbers: SeededNumbers
        /// The lost attempts of each change. A client gives up after five.
        var lost: [String: Int] = [:]
        var total = 0
    }

    @Test("300 random creations and modifications through a proxy that loses answers are made once each")
    func once() async throws {
        let seed = randomSeed()
        try await withProxiedDirectory { proxied in
            let losses = Locked(Losses(numbers: SeededNumbers(seed: seed)))
            proxied.proxy.decide { path, body in
                losses.withLock { losses in
                    guard ["createUser", "modifyUser"].contains(path.split(separator: "/").last),
                        losses.lost[body, default: 0] < 3, Bool.random(using: &losses.numbers)
                    else { return .pass }
                    losses.lost[body, default: 0] += 1
                    losses.total += 1
                    switch Int.random(in: 0..<4, using: &losses.numbers) {
                    case 0: return .cut
                    case 1: return .replace(SocketServer.answer("<html>", "504 Gateway Timeout"))
                    default: return .loseAnswer
                    }
                }
            }
            let start = try await proxied.view.changes.lastSequence()
            var expected: [String: [String]] = [:]
            try await withThrowingTaskGroup(of: [String: [String]].self) { group in
                for lane in 0..<6 {
                    let view = proxied.view
                    group.addTask { try await Self.change(view, lane, seed) }
                }
                for try await titles in group { expected.merge(titles) { $1 } }
            }
            #expect(losses.withLock { $0.total } > 50)
            var found: [String: [String]] = [:]
            var creations = 0
            for change in try await proxied.served.unrestricted.changes.since(start, limit: 10_000)
            where change.entity == .user {
                if change.kind == .created { creations += 1 }
                found[change.name, default: []] += change.kind == .created ? [] : [change.after["title"]?.text ?? "-"]
            }
            #expect(creations == expected.count)
            #expect(found == expected)
        }
    }

    /// Makes 50 changes of users of its own; returns the titles that each user got.
    private static func change(_ view: DirectoryView, _ lane: Int, _ seed: UInt64) async throws -> [String: [String]] {
        var numbers = SeededNumbers(seed: seed &+ UInt64(lane))
        var titles: [String: [String]] = [:]
        for number in 0..<50 {
            if let name = titles.keys.sorted().randomElement(using: &numbers),
                Int.random(in: 0..<3, using: &numbers) > 0
            {
                let title = "title \(lane) \(number)"
                try await view.users.modify(.named(name), [.set("title", .string(title))])
                titles[name, default: []].append(title)
            } else {
                let name = "lane\(lane)-\(number)"
                try await view.users.create(name)
                titles[name] = []
            }
        }
        return titles
    }

    @Test(
        "A server that never answers, or drips, leaves the outcome of a change unknown, and is unreachable for a read",
        .timeLimit(.minutes(1)), arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"])
    func silence(beginning: String) async throws {
        try await withProxiedDirectory { proxied in
            proxied.proxy.decide { _, _ in
                .serve { peer in
                    peer.send(beginning)
                    while !peer.waitForClose(300), beginning.isEmpty || peer.send("{") {}
                }
            }
            let view = proxied.view
            async let read = outcome { try await view.users.user("haruka.ito") }
            async let change = outcome { try await view.users.create("ada") }
            async let readAndWait = outcome { try await onThread { try view.users.user("haruka.ito").uid } }
            async let changeAndWait = outcome { try await onThread { try view.users.create("bob").uid } }
            #expect(
                await [read, change, readAndWait, changeAndWait]
                    == ["unreachable", "outcome_unknown", "unreachable", "outcome_unknown"])
        }
    }

    @Test(
        "A read that meets one answer of a busy gateway or a stopping server is repeated, as a change is",
        arguments: [
            SocketServer.answer("<html>", "503 Busy"), SocketServer.answer("", "502 Bad Gateway"),
            SocketServer.answer("", "504 Late"), SocketServer.answer("", "408 Late"),
            SocketServer.answer(#"{"code":"closed"}"#, "503 Stopping"),
        ])
    func oneBusyAnswer(text: String) async throws {
        try await withProxiedDirectory { proxied in
            let (count, busy) = (Locked(0), Locked(1))
            proxied.proxy.decide { path, _ in
                guard path.hasSuffix("/user") else { return .pass }
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                return number <= busy.withLock { $0 } ? .answer(text) : .pass
            }
            let view = proxied.view
            #expect(await outcome { try await view.users.user("haruka.ito") } == "success")
            count.withLock { $0 = 0 }
            #expect(await outcome { try await onThread { try view.users.user("haruka.ito").uid } } == "success")
            count.withLock { $0 = 0 }
            busy.withLock { $0 = .max }
            #expect(await outcome { try await view.users.user("haruka.ito") } != "success")
            #expect(count.withLock { $0 } == 5)
        }
    }

    /// What happens to the first answer to a change, and to every later one. The change itself is made.
    private static let losses: [(name: String, first: Proxy.Fate, later: Proxy.Fate, outcome: String)] = [
        ("cut body", .replace(SocketServer.answer(#"{"revision":0,"ans"#)), .pass, "success"),
        ("HTML", .replace(SocketServer.answer("<html>")), .pass, "success"),
        ("500 of a gateway", .replace(SocketServer.answer("<html>", "500 Oops")), .pass, "success"),
        ("500, then 403 of a gateway", .replace(SocketServer.answer("", "500 Oops")), forbidden, "outcome_unknown"),
        ("lost, then 401", .loseAnswer, .answer(SocketServer.answer("", "401 No")), "outcome_unknown"),
        ("lost, then 404", .loseAnswer, .answer(SocketServer.answer("", "404 None")), "outcome_unknown"),
        ("lost, then no HTTP", .loseAnswer, .answer("SSH-2.0\r\n\r\n"), "outcome_unknown"),
        (
            "lost, then the caller may not", .loseAnswer,
            .answer(SocketServer.answer(#"{"code":"not_permitted","problem":"No."}"#, "403 No")), "outcome_unknown"
        ),
        ("503 of a gateway", .replace(SocketServer.answer("", "503 Gone")), .pass, "success"),
        (
            "lost, then the disk is full", .loseAnswer,
            .answer(SocketServer.answer(#"{"code":"storage_full","problem":"Full."}"#, "507 Full")), "outcome_unknown"
        ),
        (
            "lost, then the name is taken", .cut,
            .answer(SocketServer.answer(#"{"code":"already_exists","problem":"Taken."}"#, "409 No")), "already_exists"
        ),
        ("403 of a gateway at once", forbidden, forbidden, "not_permitted"),
    ]
    private static let forbidden = Proxy.Fate.answer(SocketServer.answer("<html>", "403 No"))

    @Test("A change whose answer was lost is never told as refused", arguments: Self.losses.indices)
    func neverRefused(index: Int) async throws {
        let (name, first, later, expected) = Self.losses[index]
        try await withProxiedDirectory { proxied in
            let count = Locked(0)
            proxied.proxy.decide { path, _ in
                guard path.hasSuffix("createUser") else { return .pass }
                return count.withLock { count in
                    count += 1
                    return count == 1 ? first : later
                }
            }
            let view = proxied.view
            #expect(await outcome { try await view.users.create("ada") } == expected, "\(name)")
            let made = try await proxied.served.unrestricted.users.exists("ada")
            #expect(made == !["not_permitted", "already_exists"].contains(expected), "\(name)")
        }
    }

    @Test("A change of more than 1 MiB is refused before anything is sent")
    func largeRequest() async throws {
        try await withProxiedDirectory { proxied in
            proxied.proxy.decide { _, _ in .cut }
            let title = String(repeating: "x", count: 1 << 20)
            #expect(
                await outcome { try await proxied.view.users.create("ada", attributes: ["title": .string(title)]) }
                    == "limit_exceeded")
        }
    }

    @Test("A wrong password is sent once for each call")
    func wrongPassword() async throws {
        try await withProxiedDirectory { proxied in
            let count = Locked(0)
            proxied.proxy.decide { _, _ in
                count.withLock { $0 += 1 }
                return .pass
            }
            let error = await #expect(throws: DirectoryError.self) {
                _ = try await DirectoryView(
                    server: address(proxied.proxy.url), credentials: .basic("haruka.ito", password: "wrong"),
                    transport: proxied.transport)
            }
            #expect(error?.code == .notSignedIn)
            #expect(error?.advice == "Check the name and the password, or the token.")
            #expect(count.withLock { $0 } == 1)
        }
    }

    @Test("A change that alters the vocabulary brings the new vocabulary along, in one request")
    func vocabulary() async throws {
        try await withProxiedDirectory { proxied in
            let count = Locked(0)
            proxied.proxy.decide { _, _ in
                count.withLock { $0 += 1 }
                return .pass
            }
            try await proxied.view.attributes.declare([AttributeDefinition("wing")])
            #expect(count.withLock { $0 } == 1)
            #expect(proxied.view.attributes.vocabulary().declared.contains { $0.name == "wing" })
        }
    }

    @Test("A server that answers each wait for a commit at once is asked once a second")
    func waiting() async throws {
        try await withProxiedDirectory { proxied in
            let count = Locked(0)
            proxied.proxy.decide { path, _ in
                guard path.hasSuffix("awaitCommit") else { return .pass }
                count.withLock { $0 += 1 }
                return .answer(SocketServer.answer(#"{"revision":0,"answer":"1.1.1"}"#))
            }
            let view = proxied.view
            let follower = Task { for try await _ in view.changes.follow() {} }
            try await Task.sleep(for: .seconds(2))
            follower.cancel()
            #expect(count.withLock { $0 } < 10)
        }
    }
}
