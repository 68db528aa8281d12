import Foundation
import Testing

@Suite("The latest changes on the command line")
struct LatestChangesTests {
    private func names(_ tool: CommandLineTool, _ options: [String]) throws -> [String] {
        let ended = try tool.run(["changes", "--database", "d.db", "--format", "csv"] + options)
        #expect(ended.code == 0, "\(ended.errors)")
        let lines = ended.output.split(whereSeparator: \.isNewline)
        let header = lines.first?.split(separator: ",", omittingEmptySubsequences: false) ?? []
        guard let place = header.firstIndex(of: "name") else { return [] }
        return lines.dropFirst().map { String($0.split(separator: ",", omittingEmptySubsequences: false)[place]) }
    }

    @Test("--last, --of, --after and --before select changes, in the order in which they happened")
    func selects() throws {
        try withTool { tool in
            var codes: [Int32] = []
            for name in ["ada", "bob", "cyd"] {
                codes.append(try tool.run("user", "create", "--database", "d.db", name).code)
            }
            codes.append(try tool.run("user", "modify", "--database", "d.db", "ada", "title=Lead").code)
            #expect(codes == [0, 0, 0, 0])
            for (options, expected) in [
                (["--last", "2"], ["cyd", "ada"]), (["--of", "ada"], ["ada", "ada"]),
                (["--of", "ada", "--last", "1"], ["ada"]), (["--after", "2020-01-01"], ["ada", "bob", "cyd", "ada"]),
                (["--before", "2020-01-01"], []), (["--by", "nobody"], []),
            ] {
                let found = try names(tool, options)
                #expect(found == expected, "\(options)")
            }
        }
    }

    @Test("Options that exclude each other, and dates that are none, are refused")
    func refusals() throws {
        try withTool { tool in
            _ = try tool.run("user", "create", "--database", "d.db", "ada")
            for options in [
                ["--last", "1", "--since", "1"], ["--of", "ada", "--follow"], ["--after", "soon"], ["--last", "0"],
            ] {
                let ended = try tool.run(["changes", "--database", "d.db"] + options)
                #expect(ended.code == 2 && ended.errors.contains(options[0]), "\(ended)")
            }
        }
    }
}
