import Foundation
import Roster
import RosterClient
import RosterText
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
        arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"])
    func silence(beginning: String) async throws {
        try await withProxiedDirectory { proxied in
            proxied.proxy.decide { _, _ in
                .serve { peer in
                    peer.send(beginning)
                    while !peer.waitForClose(300), beginning.isEmpty || peer.send("{") {}
                }
            }
            let (view, start) = (proxied.view, ContinuousClock.now)
            async let read = outcome { try await view.users.user("haruka.ito") }
            async let change = outcome { try await view.users.create("ada") }
            async let readAndWait = outcome { try await onThread { try view.users.user("haruka.ito").uid } }
            async let changeAndWait = outcome { try await onThread { try view.users.create("bob").uid } }
            #expect(
                await [read, change, readAndWait, changeAndWait]
                    == ["unreachable", "outcome_unknown", "unreachable", "outcome_unknown"])
            #expect(ContinuousClock.now - start < .seconds(30))
        }
    }
}
