import Foundation
import Testing

@Suite("The commands for attributes", .timeLimit(.minutes(2)))
struct AttributeCommandTests {
    @Test("Options have the names of the fields, and are read with older names too")
    func olderNames() throws {
        try withTool { tool in
            for (name, option) in [("a", "--several"), ("b", "--multi-valued"), ("d", "--multi_valued")] {
                try tool.succeed("attribute", "declare", "--database", "d.db", name, option, "--case_exact")
            }
            let list = try tool.succeed("attribute", "list", "--database", "d.db", "--format", "json")
            #expect(list.contains("\"multiValued\"") && list.contains("\"indexed\"") && !list.contains("several"))
            let help = try tool.succeed("attribute", "declare", "--help")
            #expect(help.contains("--multi-valued") && !help.contains("--several"), "\(help)")
            let wrong = try tool.run("attribute", "declare", "--database", "d.db", "x", "--sevral")
            #expect(wrong.code == 2, "\(wrong.errors)")
        }
    }

    @Test("An attribute is declared, widened, renamed, indexed, given rules and undeclared by commands")
    func life() throws {
        try withTool { tool in
            func run(_ words: String...) throws -> CommandLineTool.Outcome {
                try tool.run(words, environment: ["ROSTER_DATABASE": "d.db"])
            }
            #expect(
                try run("attribute", "declare", "badge", "--type", "integer", "--not-indexed", "--minimum", "1").code
                    == 0)
            #expect(try run("user", "create", "ada", "badge=7", "mail=ada@x.org").code == 0)
            #expect(try run("user", "create", "bob", "badge=0").code == 2)
            #expect(try run("attribute", "widen", "badge", "--type", "decimal").code == 0)
            #expect(try run("attribute", "widen", "badge", "--type", "integer").code == 2)
            #expect(try run("attribute", "widen", "badge").code == 2)
            let broken = try run("attribute", "rules", "badge", "--minimum", "8")
            #expect(broken.code == 2 && broken.errors.contains("for example 'ada'"), "\(broken.errors)")
            #expect(try run("attribute", "rules", "badge").code == 2)
            #expect(try run("attribute", "rules", "badge", "--none").code == 0)
            #expect(
                try run("attribute", "widen", "badge", "--type", "string", "--multi-valued", "--case-exact", "yes").code
                    == 0
            )
            #expect(try run("attribute", "rules", "badge", "--pattern", "[0-9.]+", "--unique").code == 0)
            #expect(try run("attribute", "index", "badge", "--remove").code == 2)
            #expect(try run("user", "modify", "ada", "badge+=x").code == 2)
            #expect(try run("attribute", "rename", "badge", "pass").code == 0)
            #expect(try run("attribute", "list", "--format", "csv").output.contains("pattern [0-9.]+"))
            #expect(
                try run("attribute", "label", "pass", "de", "--text", "Ausweis", "--description", "Am Band").code == 0)
            #expect(try run("attribute", "label", "pass", "de", "--description", "").code == 0)
            #expect(try run("attribute", "label", "pass", "de").code == 2)
            let wrong = try run("attribute", "label", "pass", "German language", "--text", "x")
            #expect(wrong.code == 2 && wrong.errors.contains("language tag"), "\(wrong.errors)")
            #expect(try run("export").output.contains(#"{"de":"Ausweis"}"#))
            #expect(!(try run("export").output.contains("Am Band")))
            #expect(try run("user", "modify", "ada", "pass+=8").code == 0)
            #expect(try run("search", "pass eq \"7.0\"", "--count").output == "1\n")
            #expect(try run("attribute", "rules", "mail", "--unique").code == 0)
            #expect(try run("user", "create", "eve", "mail=ADA@x.org").code == 1)
            #expect(
                try run("attribute", "list", "--format", "csv").output.contains("mail,string,mail,,mail,false,true"))
            let used = try run("attribute", "undeclare", "pass")
            #expect(used.code == 2 && used.errors.contains("'ada'"), "\(used.errors)")
            #expect(try run("attribute", "undeclare", "pass", "--remove-values").code == 0)
            #expect(try run("attribute", "undeclare", "title").code == 2)
            #expect(try run("check", "d.db").code == 0)
        }
    }
}
