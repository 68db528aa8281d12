import Foundation
import Roster
import RosterText
import TestSupport
import Testing

@testable import RosterSignIn

@Suite("Last uses of programs' credentials")
struct LastUseTests {
    @Test("A program does not wait for the writer, and its use is stored once the writer is free")
    func withoutWaiting() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let directory = try Directory(at: folder.appendingPathComponent("company.db"))
        defer { directory.close() }
        let signIn = try SignIn(directory, issuer: "https://id.example.com", passwordCost: .forTests)
        let view = directory.acting(as: .administrator("the test"))
        let made = try await APIToken.create(named: "watch", role: .monitoring, expires: nil, in: view)
        let (isHeld, mayEnd) = (Flag(), Flag())
        let writer = Task {
            try await directory.unrestricted.awaitWrite { _ in
                isHeld.raise()
                _ = waitUntil { mayEnd.isRaised }
            }
        }
        #expect(waitUntil { isHeld.isRaised })
        for _ in 0..<20 {
            let found = signIn.oauth.credentials.authenticate(bearer: made.text, from: "192.0.2.1")
            guard case .identified = found else { throw NotIdentified() }
        }
        mayEnd.raise()
        try await writer.value
        let commits = directory.commitCount
        await signIn.flush()
        #expect(directory.commitCount == commits + 1)
        let token = try await view.awaitRead { try $0.apiTokens.all() }.first
        #expect(token?.name == "watch" && token?.lastUse != nil)
    }

    private struct NotIdentified: Error {}
}
