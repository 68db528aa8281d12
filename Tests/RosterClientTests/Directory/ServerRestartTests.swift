import Foundation
import Roster
import RosterClient
import RosterServer
import RosterSignIn
import RosterText
import RosterTransport
import TestSupport
import Testing

@Suite("Watching a server that is stopped and started", .timeLimit(.minutes(3)))
struct ServerRestartTests {
    /// A directory in a file and its server, which a test stops and starts at one port.
    private final class Served {
        let file: URL
        private(set) var directory: Directory
        private var server: DirectoryServer?
        private(set) var port: UInt16 = 0

        init(in folder: URL) throws {
            file = folder.appendingPathComponent("served.db")
            directory = try Directory(at: file)
        }

        func start() throws {
            let server = try DirectoryServer(directory, configuration: .init(listen: "127.0.0.1:\(port)"))
            try server.start()
            port = try #require(server.port)
            self.server = server
        }

        /// Ends the server and its process, as far as clients can tell.
        func stop() async {
            await server?.stop(timeout: .zero)
            server = nil
            directory.close()
        }

        func open() throws { directory = try reopen(file) }
    }

    @Test(
        "Followers get each change once and in order, and observers the newest answer, while the server comes and goes")
    func restarts() async throws {
        try await withFolder { folder in
            let served = try Served(in: folder)
            let token = try await APIToken.create(
                named: "ops", role: .administrator, expires: nil, in: served.directory.unrestricted)
            try served.start()
            let transport = Transport()
            let view = try await DirectoryView(
                server: address("http://127.0.0.1:\(served.port)"), credentials: .bearer(token.text),
                transport: transport)
            let names = (1...80).map { "w\($0)" }
            let start = try await view.changes.lastSequence()
            let follower = Task {
                var found: [Change] = []
                for try await change in view.changes.follow(since: start) where change.kind == .created {
                    found.append(change)
                    if found.count >= names.count { break }
                }
                return found
            }
            let seen = Locked(0)
            let observer = Task {
                var counts: [Int] = []
                for try await page in view.users.observe(Search(pageSize: 0, includesTotal: true)) {
                    counts.append(page.total ?? -1)
                    seen.withLock { $0 += 1 }
                    if page.total == names.count { break }
                }
                return counts
            }
            try await onThread { #expect(waitUntil { seen.withLock { $0 } > 0 }) }
            for (index, name) in names.enumerated() {
                if index % 20 == 10 {
                    await served.stop()
                    try served.open()
                }
                try await served.directory.unrestricted.users.create(name)
                if index % 20 == 15 { try served.start() }
            }
            let changes = try await follower.value
            #expect(changes.map(\.name) == names)
            #expect(Set(changes.map(\.sequence)).count == names.count)
            let counts = try await observer.value
            #expect(counts.last == names.count)
            #expect(counts == counts.sorted() && Set(counts).count == counts.count)
            transport.close()
            await served.stop()
        }
    }
}
