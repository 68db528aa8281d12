import Foundation
import RosterClient
import RosterSecrets
import RosterText
import TestSupport
import Testing

@Suite("Locks of the secure store")
struct StoreLockTests {
    private func withStores(_ body: (URL, SecureStore, SecureStore) async throws -> Void) async throws {
        try await withFolder { folder in
            let file = folder.appendingPathComponent("secrets")
            let key = StoreKey.keyFile(folder.appendingPathComponent("key"))
            try await body(folder, SecureStore(file: file, key: key), SecureStore(file: file, key: key))
        }
    }

    @Test("One task at a time is in the body, with one store or two on the same file")
    func exclusion() async throws {
        try await withStores { _, first, second in
            let inside = Locked((now: 0, most: 0))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<60 {
                    group.addTask {
                        try await (number % 2 == 0 ? first : second).withLock("account") {
                            inside.withLock {
                                $0.now += 1
                                $0.most = max($0.most, $0.now)
                            }
                            await Task.yield()
                            let old = try first.data(named: "count")?.first ?? 0
                            try second.set(Data([old + 1]), named: "count")
                            inside.withLock { $0.now -= 1 }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(inside.withLock { $0.most } == 1)
            #expect(try first.data(named: "count") == Data([60]))
        }
    }

    @Test("Locks with different names do not wait for each other")
    func names() async throws {
        try await withStores { _, first, second in
            let result = try await first.withLock("a") { try await second.withLock("b") { 7 } }
            #expect(result == 7)
        }
    }

    @Test("Cancelling ends the wait of one task only, and an error in the body releases the lock")
    func cancellation() async throws {
        try await withStores { _, first, second in
            try await first.withLock("a") {
                let waiting = Task { try await second.withLock("a") { Issue.record("entered a taken lock") } }
                try await Task.sleep(for: .milliseconds(20))
                waiting.cancel()
                await #expect(throws: CancellationError.self) { try await waiting.value }
            }
            await #expect(throws: CocoaError.self) {
                try await first.withLock("a") { throw CocoaError(.fileNoSuchFile) }
            }
            try await second.withLock("a") {}
        }
    }

    @Test("A task that was cancelled before does not take a free lock")
    func cancelledBefore() async throws {
        try await withStores { _, first, _ in
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                try await first.withLock("a") { _ = Issue.record("entered after the cancellation") }
            }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test("Another process keeps the lock until it is killed")
    func processes() async throws {
        try await withStores { folder, first, _ in
            try await first.withLock("a") {}
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            let name = try #require(names.first { $0.hasPrefix("secrets.") && $0 != "secrets.lock" })
            let holder = Process()
            holder.executableURL = URL(fileURLWithPath: "/usr/bin/flock")
            holder.arguments = [
                "--no-fork", folder.appendingPathComponent(name).path, "sh", "-c", "echo taken; exec sleep 600",
            ]
            let output = Pipe()
            holder.standardOutput = output
            try holder.run()
            #expect(output.fileHandleForReading.availableData == Data("taken\n".utf8))
            let isKilled = Locked(false)
            let waiting = Task { try await first.withLock("a") { isKilled.withLock { $0 } } }
            try await Task.sleep(for: .milliseconds(50))
            isKilled.withLock { $0 = true }
            kill(holder.processIdentifier, SIGKILL)
            #expect(try await waiting.value)
        }
    }

    @Test("Writers of different keys in many threads lose no value")
    func writers() async throws {
        try await withStores { _, first, second in
            let threads = DispatchGroup()
            let failures = Locked(0)
            for number in 0..<8 {
                threads.enter()
                Thread.detachNewThread {
                    for round in 0..<6 {
                        do {
                            try (number % 2 == 0 ? first : second).set(
                                Data([UInt8(round)]), named: "\(number)/\(round)")
                        } catch {
                            failures.withLock { $0 += 1 }
                        }
                    }
                    threads.leave()
                }
            }
            await withCheckedContinuation { ended in threads.notify(queue: .global()) { ended.resume() } }
            let counts = try [first.names().count, second.names().count]
            #expect(failures.withLock { $0 } == 0)
            #expect(counts == [48, 48])
        }
    }
}
