import Foundation
import Roster
import Testing
import TestSupport

@Suite("The write-ahead log", .timeLimit(.minutes(5)))
struct LogSizeTests {
    @Test("Neither grows without end nor makes a change wait for long while readers never rest")
    func staysSmall() async throws {
        try await withFolder { folder in
            let file = folder.appendingPathComponent("busy.db")
            let directory = try Directory(at: file)
            defer { directory.close() }
            let users = directory.unrestricted.users
            for number in 0..<64 { try await users.create("user\(number)") }
            try await expectWithinRounds("the longest change", rounds: 3) {
                let longest = try await withThrowingTaskGroup(of: Duration.self) { group in
                    for writer in 0..<16 {
                        group.addTask {
                            var longest = Duration.zero
                            for change in 0..<2_500 {
                                let uid = "user\((writer * 4 + change) % 64)"
                                _ = try await users.user(uid)
                                let duration = try await time {
                                    _ = try await users.modify(
                                        .named(uid), attributes: ["title": .string("\(writer) \(change)")])
                                    _ = try await users.user(uid)
                                }
                                longest = max(longest, duration)
                            }
                            return longest
                        }
                    }
                    return try await group.reduce(.zero, max)
                }
                return (longest < .seconds(3), "\(longest)")
            }
            let size = try #require(
                try FileManager.default.attributesOfItem(atPath: file.path + "-wal")[.size] as? Int)
            #expect(size < 64 << 20, "the log has \(size) bytes")
        }
    }
}
