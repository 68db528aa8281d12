import Foundation
import Testing

@Suite("The commands for batches", .timeLimit(.minutes(2)))
struct BatchCommandTests {
    @Test("Commands join a batch, which is shown, tried and undone")
    func undo() throws {
        try withTool { tool in
            func run(_ words: String...) throws -> CommandLineTool.Outcome {
                try tool.run(words, environment: ["ROSTER_DATABASE": "d.db"])
            }
            for name in ["ada", "bob"] { #expect(try run("user", "create", name, "title=Engineer").code == 0) }
            #expect(try run("role", "create", "team").code == 0)
            let number = try run("batch").output.trimmingCharacters(in: .whitespacesAndNewlines)
            #expect(Int64(number) != nil)
            #expect(try run("user", "modify", "ada", "title=Lead", "--batch", number).code == 0)
            #expect(try run("user", "modify", "bob", "title=Lead", "--batch", number).code == 0)
            #expect(try run("role", "add", "team", "ada", "--batch", number).code == 0)
            let shown = try run("changes", "--batch", number, "--format", "csv").output
            #expect(shown.split(whereSeparator: \.isNewline).count == 4, "\(shown)")
            #expect(try run("user", "modify", "bob", "title=Chief").code == 0)

            let tried = try run("undo", number, "--dry-run")
            #expect(tried.code == 3 && tried.errors.contains("would be undone: 2, left out: 1"), "\(tried.errors)")
            #expect(try run("role", "members", "team", "--format", "csv").output.contains("ada"))
            let undone = try run("undo", number, "--format", "csv")
            #expect(undone.code == 3 && undone.output.contains("user,bob,"), "\(undone.output)")
            #expect(undone.errors.contains("undone: 2, left out: 1; the opposite batch is "), "\(undone.errors)")
            #expect(try run("user", "show", "ada", "--format", "csv").output.contains("Engineer"))
            #expect(try !run("role", "members", "team", "--format", "csv").output.contains("ada"))

            #expect(try run("user", "modify", "ada", "title=x", "--batch", "999").code == 1)
            #expect(try run("undo", "x").code == 2)
            #expect(try run("undo", "999").code == 1)
            #expect(try run("undo").code == 2)
        }
    }
}
