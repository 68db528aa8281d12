import Foundation
import Testing

@Suite("Rules for source files")
struct SourceRulesTests {
    static let sources: [URL] = (try? Package.files(in: "Sources", endingIn: ".swift")) ?? []
    static let tests: [URL] = (try? Package.files(in: "Tests", endingIn: ".swift")) ?? []

    /// Where something that is not allowed elsewhere has its reason.
    static let exceptions: [String: Set<String>] = [
        // The pool and the writer hand a connection to one thread at a time, which no compiler can see.
        "@unchecked Sendable": ["Connection.swift", "Locked.swift"]
    ]

    static let forbidden: [(name: String, pattern: String)] = [
        ("try!", #"\btry!"#), ("as!", #"\bas!"#), ("fatalError", #"\bfatalError\b"#),
        ("precondition", #"\b(precondition|assert)(Failure)?\("#), ("@unchecked Sendable", "@unchecked Sendable"),
        ("nonisolated(unsafe)", #"nonisolated\(unsafe\)"#), ("force unwrap", #"[\w\)\]]!(?!=)([\s\.\)\],]|$)"#),
    ]

    /// A line of code without its comment and with its plain strings emptied; what is interpolated goes too.
    static func code(of line: String) -> String {
        var code = line.replacing(#/"(\\.|[^"\\])*"/#, with: "\"\"")
        if let comment = code.firstRange(of: "//") { code.removeSubrange(comment.lowerBound...) }
        return code
    }

    /// The lines of a file as code, without what stands in strings of several lines.
    static func lines(of text: String) -> [(number: Int, code: String)] {
        var isInText = false
        return text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { index, line in
            let marks = line.ranges(of: "\"\"\"").count
            let wasInText = isInText
            if marks % 2 == 1 { isInText.toggle() }
            return wasInText || marks > 0 ? nil : (index + 1, code(of: String(line)))
        }
    }

    @Test("The rules see what they forbid and nothing else")
    func rulesWork() throws {
        let force = try Regex(Self.forbidden[6].pattern)
        for line in ["let a = b!", "b!.c", "f(b!)", "a[0]!.x", "f()! + 1"] { #expect(line.contains(force), "\(line)") }
        for line in ["a != b", "!a", "if !a.b {", "f(!a)"] { #expect(!line.contains(force), "\(line)") }
        #expect(Self.code(of: "f(\"as! \\\" b\") // try!") == "f(\"\") ")
        #expect(Self.lines(of: "a\n\"\"\"\ntry!\n\"\"\"\nb").map(\.code) == ["a", "b"])
    }

    @Test("No trap, force or unchecked promise in the sources", arguments: Self.sources)
    func nothingForbidden(file: URL) throws {
        for (name, pattern) in Self.forbidden where Self.exceptions[name]?.contains(file.lastPathComponent) != true {
            let regex = try Regex(pattern)
            for (number, line) in Self.lines(of: try Package.text(file)) {
                #expect(!line.contains(regex), "\(file.lastPathComponent):\(number): \(name)")
            }
        }
    }

    @Test("Only the command line prints", arguments: Self.sources)
    func nothingPrints(file: URL) throws {
        if file.path.contains("/RosterCommand/") { return }
        for (number, line) in Self.lines(of: try Package.text(file)) {
            #expect(!line.contains(#/\b(print|debugPrint|dump|NSLog)\(/#), "\(file.lastPathComponent):\(number)")
        }
    }

    @Test("SQL stands in statement files, the compiler of filters and RosterStore only", arguments: Self.sources)
    func sqlStaysInItsRoom(file: URL) throws {
        let name = file.lastPathComponent
        let mayHaveSQL =
            file.path.contains("/RosterStore/") || name.hasSuffix("Statements.swift")
            || ["FilterCompiler.swift", "FilterCompiler+System.swift", "SearchPlan.swift"].contains(name)
        if mayHaveSQL { return }
        let sql =
            #/"[^"]*\b(SELECT|INSERT (OR \w+ )?INTO|UPDATE \w+ SET|DELETE FROM|CREATE (UNIQUE )?(TABLE|INDEX)|DROP (TABLE|INDEX)|PRAGMA|WITH RECURSIVE|ALTER TABLE|ORDER BY)\b/#
        for (index, line) in try Package.text(file).split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            #expect(!line.contains(sql), "\(name):\(index + 1)")
        }
    }

    @Test("No file is longer than 400 lines", arguments: Self.sources + Self.tests)
    func filesAreShort(file: URL) throws {
        let lines = try Package.text(file).split(separator: "\n", omittingEmptySubsequences: false).count
        #expect(lines <= 401, "\(file.lastPathComponent) has \(lines) lines")
    }

    @Test("No test sleeps where it could wait for a condition", arguments: Self.tests)
    func testsDoNotSleep(file: URL) throws {
        if ["TestSupport", "CrashWriter"].contains(file.deletingLastPathComponent().lastPathComponent) { return }
        for (number, line) in Self.lines(of: try Package.text(file)) {
            #expect(!line.contains(#/\bsleep\(/#), "\(file.lastPathComponent):\(number)")
        }
    }
}
