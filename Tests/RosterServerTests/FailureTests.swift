import Foundation
import Roster
import RosterServer
import Testing

@Suite("The errors of a server that cannot start")
struct FailureTests {
    @Test("The localized description names the setting, and no option of the command line")
    func localized() throws {
        let directory = try Directory.inMemory()
        var open = DirectoryServer.Configuration(listen: "0.0.0.0:0")
        let plain = #expect(throws: DirectoryServer.Failure.self) {
            try DirectoryServer(directory, configuration: open)
        }
        open.hasTestProvider = true
        let test = #expect(throws: DirectoryServer.Failure.self) {
            try DirectoryServer(directory, configuration: open)
        }
        for (failure, setting) in [(plain, "allowsPlainHTTP"), (test, "hasTestProvider")] {
            let text = try #require(failure as (any Error)?).localizedDescription
            #expect(text == failure?.description && text.contains(setting) && !text.contains("--"))
        }
    }

    @Test("A host that only begins like an address of this machine needs TLS as any other")
    func foreignHost() throws {
        let directory = try Directory.inMemory()
        #expect(throws: DirectoryServer.Failure.self) {
            try DirectoryServer(directory, configuration: .init(listen: "127.example.com:0"))
        }
        _ = try DirectoryServer(directory, configuration: .init(listen: "127.0.0.2:0"))
    }
}
