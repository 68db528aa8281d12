import Foundation
import Testing

@Suite("Rules for source files")
struct SourceRulesTests {
    static let sources: [URL] = (try? Package.files(in: "Sources", endingIn: ".swift")) ?? []
    static let tests: [URL] = (try? Package.files(in: "Tests", endingIn: ".swift")) ?? []

    /// Where something that is not allowed elsewhere has its reason.
    static let exceptions: [String: Set<String>] = [
        // The pool and the writer hand a connection to one thread at a time, which no compiler can see.
        "@unchecked Sendable": [
            "Connection.swift", "Locked.swift",
            // The steps of an import run one after the other, on different threads.
            "SteppedImport.swift",
        ]
    ]

    static let forbidden: [(name: String, pattern: String)] = [
        ("try!", #"\btry!"#), ("as!", #"\bas!"#), ("fatalError", #"\bfatalError\b"#),
        ("precondition", #"\b(precondition|assert)(Failure)?\("#), ("@unchecked Sendable", "@unchecked Sendable"),
        ("nonisolated(unsafe)", #"nonisolated\(unsafe\)"#),
        // A pointer that is kept as a number passes the compiler's check for Sendable, as if it were unchecked.
        ("pointer from a number", #"Pointer(<[^>]*>)?\(bitPattern:"#),
        ("force unwrap", #"[\w\)\]]!(?!=)([\s\.\)\],]|$)"#),
    ]

    /// Every source and test file, read once.
    private static let texts: [URL: SwiftText] = Dictionary(
        uniqueKeysWithValues: (sources + tests).compactMap { file in
            (try? Package.text(file)).map { (file, SwiftText($0)) }
        })

    private static func text(_ file: URL) throws -> SwiftText { try #require(texts[file]) }

    @Test("The rules see what they forbid and nothing else")
    func rulesWork() throws {
        func pattern(_ name: String) throws -> Regex<AnyRegexOutput> {
            try Regex(try #require(Self.forbidden.first { $0.name == name }).pattern)
        }
        let force = try pattern("force unwrap")
        for line in ["let a = b!", "b!.c", "f(b!)", "a[0]!.x", "f()! + 1"] { #expect(line.contains(force), "\(line)") }
        for line in ["a != b", "!a", "if !a.b {", "f(!a)"] { #expect(!line.contains(force), "\(line)") }
        let hidden = try pattern("pointer from a number")
        #expect("OpaquePointer(bitPattern: address)".contains(hidden))
        #expect("UnsafeMutablePointer<X509>(bitPattern: n)".contains(hidden))
        #expect(!"UInt8(bitPattern: a)".contains(hidden))
        func code(_ text: String) -> [String] { SwiftText(text).code.map(\.text) }
        #expect(code("f(\"as! \\\" b\") // try!") == ["f(\"\") "])
        #expect(code("a\n\"\"\"\ntry!\n\"\"\"\nb") == ["a", "\"", "", "\"", "b"])
        #expect(code("\"a \\(try! b(\"c\")) d\" + #\"\"try!\"\"#") == ["\"try! b(\"\")\" + \"\""])
        let literals = SwiftText("f(\"\"\"\n  SELECT a\n  \\(b(\"c\"))\"\"\", \"d\")").literals
        #expect(literals.map(\.text) == ["\n  SELECT a\n  ", "c", "d"])
        #expect(literals.map(\.line) == [1, 3, 3])
    }

    @Test("No trap, force or unchecked promise in the sources", arguments: Self.sources)
    func nothingForbidden(file: URL) throws {
        for (name, pattern) in Self.forbidden where Self.exceptions[name]?.contains(file.lastPathComponent) != true {
            let regex = try Regex(pattern)
            for piece in try Self.text(file).code {
                #expect(!piece.text.contains(regex), "\(file.lastPathComponent):\(piece.line): \(name)")
            }
        }
    }

    @Test("A C header promises that a type is Sendable only where it says why")
    func promisesInHeaders() throws {
        let promising = try Package.files(in: "Sources", endingIn: ".h")
            .filter { try Package.text($0).contains("@Sendable") }
        #expect(promising.map { $0.deletingLastPathComponent().lastPathComponent } == ["CCrypto"])
    }

    @Test("Only the command line prints", arguments: Self.sources)
    func nothingPrints(file: URL) throws {
        if file.path.contains("/RosterCommand/") { return }
        for piece in try Self.text(file).code {
            #expect(
                !piece.text.contains(#/\b(print|debugPrint|dump|NSLog)\(/#), "\(file.lastPathComponent):\(piece.line)")
        }
    }

    @Test("No text of a library names an option or a subcommand of the command line", arguments: Self.sources)
    func librariesNameNoCommand(file: URL) throws {
        if file.path.contains("/RosterCommand/") { return }
        for literal in try Self.text(file).literals {
            #expect(
                !literal.text.contains(#/(^|[\s'"(])--[a-z]|\broster [a-z]/#),
                "\(file.lastPathComponent):\(literal.line)")
        }
    }

    @Test("SQL stands in statement files, the compiler of filters and RosterStore only", arguments: Self.sources)
    func sqlStaysInItsRoom(file: URL) throws {
        let name = file.lastPathComponent
        let mayHaveSQL =
            file.path.contains("/RosterStore/") || name.hasSuffix("Statements.swift")
            || [
                "FilterCompiler.swift", "FilterCompiler+System.swift", "FilterCompiler+Text.swift", "SearchPlan.swift",
                "SearchPlan+Meeting.swift",
                "AnsweredSearch.swift", "FilterCompiler+Candidates.swift", "FilterCompiler+Relations.swift",
            ].contains(name)
        if mayHaveSQL { return }
        let sql =
            #/\b(SELECT|INSERT (OR \w+ )?INTO|UPDATE \w+ SET|DELETE FROM|CREATE (UNIQUE )?(TABLE|INDEX)|DROP (TABLE|INDEX)|PRAGMA|WITH RECURSIVE|ALTER TABLE|ORDER BY)\b/#
        for literal in try Self.text(file).literals {
            #expect(!literal.text.contains(sql), "\(name):\(literal.line)")
        }
    }

    /// The files that open files by their paths: the store's own, those that read or write documents, keys and
    /// certificates, and `DescriptorReserve`, which opens `/dev/null`.
    static let openers: Set<String> = [
        "DirectoryFile.swift", "DirectoryFile+Companions.swift", "DirectoryFile+Key.swift", "DirectoryFile+Space.swift",
        "FileLock.swift", "DocumentObject.swift", "IssuerTrust.swift", "MasterKey.swift", "Seed.swift",
        "TLSIdentity.swift", "Administration.swift", "InputFile.swift", "ImportCommand.swift", "ExchangeCommands.swift",
        "Moment.swift", "OpenFile.swift", "LockFile.swift", "BodyFile.swift",
        "DescriptorReserve.swift", "ProcessFigures.swift",
    ]

    /// When a process closes any descriptor of a file, the process loses all of its locks on the file. So only SQLite opens the file of
    /// a directory, and its log.
    @Test("Only few places open files by their paths", arguments: Self.sources)
    func filesAreOpenedInFewPlaces(file: URL) throws {
        if Self.openers.contains(file.lastPathComponent) { return }
        let openings: [Regex<Substring>] = [
            #/\bopen(?:at)?\(.*\bO_(?:RDONLY|RDWR|WRONLY)/#, #/\bfopen\(/#, #/\bFileHandle\(for\w+Path/#,
            #/\bcontents\(atPath:/#, #/\b(?:Data|String)\(contentsOf(?:File)?:/#,
        ]
        for piece in try Self.text(file).code {
            for opening in openings {
                #expect(!piece.text.contains(opening), "\(file.lastPathComponent):\(piece.line)")
            }
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
        for piece in try Self.text(file).code {
            #expect(!piece.text.contains(#/\bsleep\(/#), "\(file.lastPathComponent):\(piece.line)")
        }
    }

    @Test("The README's commands for tests are those of CI")
    func testCommands() throws {
        let script = try Package.text(Package.folder.appendingPathComponent(".ci/run"))
        let commands = try Package.text(Package.folder.appendingPathComponent("README.md"))
            .split(separator: "\n").filter { $0.hasPrefix("swift test") }
        #expect(commands.count == 2)
        for command in commands {
            #expect(
                script.contains("begin tests \(command)\n") || script.contains("begin tests-of-time \(command)\n"),
                "\(command)")
        }
    }

    @Test("Only a run of its own measures time on a clock", arguments: Self.tests)
    func timeIsMeasuredAlone(file: URL) throws {
        if file.path.contains("/TimingTests/") || file.path.contains("/Benchmarks/") { return }
        for piece in try Self.text(file).code {
            #expect(!piece.text.contains("ContinuousClock().measure"), "\(file.lastPathComponent):\(piece.line)")
        }
    }
}
