import Foundation
import RosterClient
import RosterSignIn
import RosterText
import ServiceTestSupport
import TestSupport
import Testing

/// Each test runs apps as processes of their own. They give the server eight seconds for an answer, which it may not reach beside
/// other tests in its process.
@Suite("Several processes with one store", .serialized, .timeLimit(.minutes(5)))
struct ProcessTimingTests {
    @Test("Four processes whose token was refused renew it once, and get the same new token")
    func once() async throws {
        try await withApp { app in
            var token = try await app.account(of: app.authenticator()).validAccessToken()
            for round in 1...3 {
                let holders = try (0..<4).map { _ in try Holder(app, token, "once") }
                let lines = try await onThread { holders.map { $0.lines() } }
                #expect(lines.allSatisfy { $0.count == 1 } && Set(lines).count == 1, "\(lines)")
                #expect(app.proxy.renewals == round)
                let next = try #require(lines.first?.first)
                #expect(next != token && !next.hasPrefix("error"))
                token = next
            }
        }
    }

    @Test("An app that is killed 50 times while it renews its token, and started again, is still signed in")
    func killed() async throws {
        try await withApp { app in
            var numbers = SeededNumbers(seed: randomSeed())
            var token = try await app.account(of: app.authenticator()).validAccessToken()
            for round in 0..<50 {
                let connections = app.proxy.openConnections
                let holder = try Holder(app, token, "always")
                let (renewals, extra) = (app.proxy.renewals, Double.random(in: 0...0.02, using: &numbers))
                try await onThread {
                    waitUntil { app.proxy.renewals > renewals }
                    Thread.sleep(forTimeInterval: extra)
                }
                holder.kill()
                // A request of the killed app that comes after those of the next one is a reuse of its refresh token.
                let lines = try await onThread {
                    let lines = holder.lines()
                    waitUntil { app.proxy.openConnections <= connections }
                    return lines
                }
                try #require(!lines.contains { $0.hasPrefix("error") }, "round \(round): \(lines)")
                if let last = lines.last { token = last }
                // The app is started again within the server's grace, however busy the machine is, and the account's rate of sign-ins
                // recovers, however fast.
                app.clock.advance(by: 2)
            }
            let account = try #require(try app.authenticator().account())
            #expect(try await !account.accessToken(replacing: token).isEmpty)
        }
    }
}

/// An app in a process of its own.
final class Holder: Sendable {
    private let process: Locked<Process>
    private let output: FileHandle
    private let exit = Gate()

    init(_ app: ServedApp, _ token: String, _ mode: String) throws {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = try builtProgram("roster-token-holder")
        process.arguments = [app.folder.path, app.proxy.url, app.backend.clientID, token, mode]
        process.standardOutput = pipe
        output = pipe.fileHandleForReading
        exit.open()
        process.terminationHandler = { [exit] _ in exit.pass() }
        try process.run()
        self.process = Locked(process)
    }

    func kill() { process.withLock { _ = Foundation.kill($0.processIdentifier, SIGKILL) } }

    /// The lines that the process wrote until its end.
    func lines() -> [String] {
        let text = String(decoding: output.readDataToEndOfFile(), as: UTF8.self)
        exit.waitForArrivals()
        // The last line may be cut.
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }
}
