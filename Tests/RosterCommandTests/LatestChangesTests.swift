import Foundation
import Testing

@Suite("The latest changes on the command line")
struct LatestChangesTests {
    private func names(_ tool: CommandLineTool, _ options: String...) throws -> [String] {
        let ended = try tool.run(["changes", "--database", "d.db", "--format", "csv"] + options)
        #expect(ended.code == 0, "\(ended.errors)")
        let lines = ended.output.split(separator: "\n")
        let header = lines.first?.split(separator: ",", omittingEmptySubsequences: false) ?? []
        guard let place = header.firstIndex(of: "name") else { return [] }
        return lines.dropFirst().map { String($0.split(separator: ",", omittingEmptySubsequences: false)[place]) }
    }

    @Test("--last, --of, --after and --before select changes, in the order in which they happened")
    func selects() throws {
        try withTool { tool in
            for name in ["ada", "bob", "cyd"] {
                #expect(try tool.run("user", "create", "--database", "d.db", name).code == 0)
            }
            #expect(try tool.run("user", "modify", "--database", "d.db", "ada", "title=Lead").code == 0)
            #expect(try names(tool, "--last", "2") == ["cyd", "ada"])
            #expect(try names(tool, "--of", "ada") == ["ada", "ada"])
            #expect(try names(tool, "--of", "ada", "--last", "1") == ["ada"])
            #expect(try names(tool, "--after", "2020-01-01").count == 4)
            #expect(try names(tool, "--before", "2020-01-01").isEmpty)
            #expect(try names(tool, "--by", "nobody").isEmpty)
        }
    }

    @Test("Options that exclude each other, and dates that are none, are refused")
    func refusals() throws {
        try withTool { tool in
            #expect(try tool.run("user", "create", "--database", "d.db", "ada").code == 0)
            for options in [
                ["--last", "1", "--since", "1"], ["--of", "ada", "--follow"], ["--after", "soon"], ["--last", "0"],
            ] {
                let ended = try tool.run(["changes", "--database", "d.db"] + options)
                #expect(ended.code == 2 && ended.errors.contains(options[0]), "\(ended)")
            }
        }
    }
}
