import Foundation
import Roster
import RosterPostgreSQL
import RosterREST
import RosterSignIn
import RosterText
import Testing
import TestSupport

@Suite(
    "Requests that wait for a database server", .enabled(if: PostgreSQLCluster.shared != nil), .timeLimit(.minutes(2)))
struct WaitingRequestTests {
    @Test("Requests of apps that wait for the database server stop no other task of the process")
    func stopNoOtherTask() async throws {
        try await withDatabase { cluster, database, folder in
            let directory = try Directory(
                connectedTo: cluster.address(database), keyFile: folder.appendingPathComponent("key"))
            defer { directory.close() }
            let signIn = try SignIn(directory, issuer: "https://id.example.com")
            var settings = BackendSettings()
            settings.isPublic = true
            settings.grants = [.deviceCode]
            let app = try await signIn.createBackend(named: "tv", settings: settings, in: directory.unrestricted)
            let service = try RESTService(serving: directory, at: "https://id.example.com", signIn: signIn)
            let request = HTTPRequest(
                "POST", "/oauth2/device_authorization",
                headers: ["Content-Type": "application/x-www-form-urlencoded"],
                body: Array("scope=openid&client_id=\(app.clientID)".utf8))
            let blocking = Task {
                try await onThread {
                    try cluster.output(
                        of: "BEGIN; LOCK TABLE pending_code IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(4); COMMIT;",
                        in: database)
                }
            }
            try await Task.sleep(for: .seconds(1))
            let isAnswered = Locked(false)
            let requests = Task {
                await withTaskGroup(of: Int.self) { group in
                    for _ in 0..<3 * ProcessInfo.processInfo.activeProcessorCount {
                        group.addTask { await service.respond(to: request).status }
                    }
                    for await status in group { #expect(status == 200) }
                }
                isAnswered.withLock { $0 = true }
            }
            // Another task, which sleeps for a moment at a time, goes on meanwhile.
            var turns = 0
            while !isAnswered.withLock({ $0 }) {
                try await Task.sleep(for: .milliseconds(10))
                turns += 1
            }
            await requests.value
            _ = try await blocking.value
            #expect(turns > 5)
        }
    }
}
