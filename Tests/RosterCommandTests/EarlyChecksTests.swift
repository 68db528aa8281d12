import Foundation
import Testing

@Suite("What 'serve' checks before it makes a directory")
struct EarlyChecksTests {
    @Test(
        "A start that fails leaves no directory behind, and shows no password",
        arguments: [
            ["--listen", "nowhere"], ["--listen", "0.0.0.0:0"], ["--certificate", "none.pem", "--key", "none.pem"],
            ["--trusted-proxy", "proxy"], ["--change-rate", "fast"], ["--token-settings", "none.json"],
            ["--listen", "unix:roster.sock"], ["--listen", "systemd"], ["--socket-mode", "999"],
            ["--ca-file", "none.pem"], ["--ca-file", "/dev/null"],
            ["--listen", "0.0.0.0:0", "--test-provider", "--allow-plain-http"], ["--smtp", "smtp://mail.example.com"],
        ])
    func leavesNothing(options: [String]) throws {
        try withTool { tool in
            let ended = try tool.run(["serve", "--database", "company.db"] + options)
            #expect(ended.code != 0 && !ended.output.contains("password"), "\(ended)")
            let files = try FileManager.default.contentsOfDirectory(atPath: tool.folder.path)
            #expect(!files.contains { $0.hasPrefix("company.db") }, "\(options): \(files)")
        }
    }

    @Test("A setting that LDAP needs is named by its option")
    func namesOptions() throws {
        try withTool { tool in
            let ended = try tool.run(["serve", "--in-memory", "--ldap", "ldap://0.0.0.0:0", "--listen", "127.0.0.1:0"])
            #expect(ended.code != 0 && ended.errors.contains("--allow-plain-ldap"), "\(ended)")
        }
    }
}
