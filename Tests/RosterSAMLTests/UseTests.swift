import Foundation
import RosterSAML
import Synchronization
import Testing

@Suite("An assertion is used once, and read by many at a time")
struct UseTests {
    let now = Sample.now

    @Test("It is claimed once until it has expired")
    func once() {
        let memory = SAMLReplayMemory()
        #expect(memory.claim(id: "_1", issuer: "a", until: now + 60, now: now))
        #expect(!memory.claim(id: "_1", issuer: "a", until: now + 60, now: now))
        #expect(!memory.claim(id: "_1", issuer: "a", until: now + 600, now: now + 59))
        #expect(memory.claim(id: "_1", issuer: "b", until: now + 60, now: now), "another provider may use the same")
        #expect(memory.claim(id: "_2", issuer: "a", until: now + 60, now: now))
        #expect(memory.claim(id: "_1", issuer: "a", until: now + 120, now: now + 60), "no reader takes it any more")
    }

    @Test("Where too many are remembered, the next is refused, and none forgotten that could come again")
    func full() {
        let memory = SAMLReplayMemory(capacity: 10)
        for number in 0..<10 { #expect(memory.claim(id: "_\(number)", issuer: "a", until: now + 60, now: now)) }
        #expect(!memory.claim(id: "_x", issuer: "a", until: now + 60, now: now))
        for number in 0..<10 { #expect(!memory.claim(id: "_\(number)", issuer: "a", until: now + 60, now: now)) }
        #expect(
            memory.claim(id: "_x", issuer: "a", until: now + 120, now: now + 60), "those that have expired make room")
    }

    @Test("Of many claims at the same time, one wins")
    func races() async {
        let memory = SAMLReplayMemory()
        let wins = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<200 {
                group.addTask { memory.claim(id: "_1", issuer: "a", until: Sample.now + 60, now: Sample.now) }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(wins == 1)
    }

    @Test("Good and bad assertions are told apart by many threads at once")
    func concurrency() async throws {
        let reader = SAMLAssertionReader(trust: try Sample.trust())
        let good = try Sample().signed()
        let texts = try [
            good, good.changing(">ada<", to: ">eve<"), good.changing("rsa-sha256", to: "rsa-sha512"), "<a>",
        ]
        .map { Data($0.utf8).base64EncodedString() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for round in 0..<50 {
                        let kind = (task + round) % texts.count
                        let name = try? reader.read(texts[kind], now: Sample.now).subject.name
                        #expect(name == (kind == 0 ? "ada" : nil))
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
