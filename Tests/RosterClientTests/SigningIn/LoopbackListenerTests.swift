import Foundation
import RosterClient
import ServiceTestSupport
import TestSupport
import Testing

@Suite("Listening for the browser", .timeLimit(.minutes(2)))
struct LoopbackListenerTests {
    @Test("Without free descriptors the listener pauses, and answers the browser when there are some again")
    func crowded() async throws {
        try await withApp { app in
            let holder = try Holder(app, "-", "crowded")
            let lines = try await onThread { holder.lines() }
            #expect(lines.count == 2 && lines.last == "HTTP/1.1 404", "\(lines)")
            // A loop without a pause takes most of the second.
            #expect(lines.first.flatMap { Int($0) } ?? .max < 250, "\(lines)")
        }
    }
}
