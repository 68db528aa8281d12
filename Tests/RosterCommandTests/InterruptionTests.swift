import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("The command line, interrupted")
struct InterruptionTests {
    /// Runs a command with errors on a terminal and presses Ctrl-C when its progress bar appears.
    private func interrupt(_ tool: CommandLineTool, _ arguments: String..., at text: String) throws -> (Int32, String) {
        let terminal = try PseudoTerminal(columns: 80)
        let process = try terminal.handOver { try tool.start(arguments, FileHandle.nullDevice, $0) }
        #expect(terminal.read(until: text).contains(text))
        process.interrupt()
        let said = terminal.read()
        process.waitUntilExit()
        return (process.terminationStatus, said)
    }

    @Test("Ctrl-C while people are generated keeps nothing of them")
    func generating() throws {
        try withCompany { tool in
            let before = try tool.succeed("export", "--database", "company.db")
            let (code, said) = try interrupt(
                tool, "generate", "--people", "3000000", "--database", "company.db", at: "generating")
            #expect(code == 130)
            #expect(said.contains("roster: interrupted; nothing of this command was kept\n"), "\(said)")
            #expect(try tool.succeed("export", "--database", "company.db") == before)
            #expect(try tool.succeed("check", "company.db") == "'company.db' is in order.\n")
        }
    }

    @Test("Ctrl-C during an import leaves the directory as it was before")
    func importing() throws {
        try withCompany { tool in
            let before = try tool.succeed("export", "--database", "company.db")
            var rows = "uid,title\n"
            for number in 0..<300_000 { rows += "person\(number),Engineer\n" }
            try rows.write(toFile: tool.path("many.csv"), atomically: true, encoding: .utf8)
            let (code, said) = try interrupt(
                tool, "import", "--database", "company.db", "many.csv", at: "importing")
            #expect(code == 130)
            #expect(said.contains("roster: interrupted; nothing of this command was kept\n"), "\(said)")
            #expect(try tool.succeed("export", "--database", "company.db") == before)
            try tool.succeed("user", "modify", "--database", "company.db", "ilse.brandt", "title=Chief")
        }
    }

    @Test("Following changes shows those of another process, one JSON object a line, and ends with Ctrl-C")
    func following() throws {
        try withCompany { tool in
            let last = try #require(
                try json(tool.succeed("changes", "--database", "company.db", "--format", "json")).last)
            let number = try #require(last["sequence"] as? Int)
            let output = Pipe()
            let process = try tool.start(
                ["changes", "--database", "company.db", "--since", "\(number - 1)", "--follow", "--format", "json"],
                output, FileHandle.nullDevice)
            let reader = output.fileHandleForReading
            func next() throws -> [String: Any] {
                let line = reader.availableData
                return try #require(try JSONSerialization.jsonObject(with: line) as? [String: Any])
            }
            #expect(try next()["sequence"] as? Int == number)
            try tool.succeed("user", "create", "--database", "company.db", "ada")
            let change = try next()
            #expect(change["sequence"] as? Int == number + 1)
            #expect(change["name"] as? String == "ada")
            process.interrupt()
            process.waitUntilExit()
            #expect(process.terminationStatus == 130)
        }
    }

    // Only Linux tells at the writing end of a pipe what is unread.
    #if canImport(Glibc)
        @Test(
            "Ctrl-C ends a command that waits for standard input",
            arguments: [
                ["backend", "create", "--database", "company.db", "--name", "shop", "--settings", "-"],
                ["user", "password", "--database", "company.db", "--password-file", "-", "ilse.brandt"],
                ["issuer", "check", "issuers.json", "--token", "-"],
            ])
        func waiting(arguments: [String]) throws {
            try withCompany { tool in
                try #"{"issuers": []}"#.write(toFile: tool.path("issuers.json"), atomically: true, encoding: .utf8)
                let input = Pipe()
                let process = try tool.start(arguments, FileHandle.nullDevice, FileHandle.nullDevice, input: input)
                let end = ContinuousClock.now + .seconds(30)
                func wait(while isSo: () -> Bool) { while isSo(), ContinuousClock.now < end { usleep(10_000) } }
                try input.fileHandleForWriting.write(contentsOf: Data(" ".utf8))
                wait {
                    var unread: Int32 = 0
                    return ioctl(input.fileHandleForWriting.fileDescriptor, UInt(FIONREAD), &unread) == 0 && unread > 0
                }
                process.interrupt()
                wait { process.isRunning }
                try input.fileHandleForWriting.close()
                process.waitUntilExit()
                #expect(process.terminationStatus == 130)
            }
        }
    #endif

    @Test("Whoever stops reading an export ends it quietly")
    func closedPipe() throws {
        try withCompany { tool in
            let (output, errors) = (Pipe(), Pipe())
            try output.fileHandleForReading.close()
            let process = try tool.start(["export", "--database", "company.db"], output, errors)
            try errors.fileHandleForWriting.close()
            #expect(errors.fileHandleForReading.readDataToEndOfFile().isEmpty)
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
        }
    }
}
