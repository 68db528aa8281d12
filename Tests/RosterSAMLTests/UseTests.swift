import Foundation
import RosterSAML
import Testing

@Suite("Assertions are read by many at a time")
struct UseTests {
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
                        let name = try? reader.read(texts[kind], now: Sample.now).subject?.name
                        #expect(name == (kind == 0 ? "ada" : nil))
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
