import Foundation
import Roster
import RosterSignIn
import Testing
import TestSupport

@Suite("Programs' tokens in the directory")
struct TokenRecordTests {
    @Test("A token is found by its digest until it expires or is revoked")
    func tokens() throws {
        let time = SettableClock()
        let directory = try emptyDirectory(clock: { time.now })
        let view = directory.unrestricted
        try view.write { session in
            try session.asPresentAdministrator(to: "test").apiTokens.create(
                named: "hr", role: .provisioning, digest: "d1", expires: nil)
            try session.asPresentAdministrator(to: "test").apiTokens.create(
                named: "short", role: .monitoring, digest: "d2", expires: time.now.addingTimeInterval(60))
        }
        #expect(try directory.signInRecords.apiToken(digest: "d1")?.caller == .provisioning("hr"))
        #expect(try directory.signInRecords.apiToken(digest: "d2")?.caller == .monitoring("short"))
        #expect(try directory.signInRecords.apiToken(digest: "d3") == nil)
        time.advance(by: 61)
        #expect(try directory.signInRecords.apiToken(digest: "d2") == nil)
        #expect(throws: DirectoryError.self) {
            try view.write {
                try $0.asPresentAdministrator(to: "test").apiTokens.create(
                    named: "HR", role: .provisioning, digest: "d4", expires: nil)
            }
        }
        #expect(try view.read { try $0.apiTokens.all() }.map(\.name) == ["hr", "short"])
        try view.write { try $0.asPresentAdministrator(to: "test").apiTokens.revoke(named: "hr") }
        #expect(try directory.signInRecords.apiToken(digest: "d1") == nil)
        #expect(throws: DirectoryError.self) {
            try view.write { try $0.asPresentAdministrator(to: "test").apiTokens.revoke(named: "hr") }
        }
        #expect(throws: DirectoryError.self) {
            try directory.acting(as: .provisioning("hr")).read { try $0.apiTokens.all() }
        }
    }
}
