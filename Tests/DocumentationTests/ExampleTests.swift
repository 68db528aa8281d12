import Foundation
import Testing

/// The README, the articles and the comments of the sources, as they were when the tests were compiled.
enum Articles {
    static let package = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// A block of Swift code, and the article that it is in.
    struct Example: Sendable, CustomTestStringConvertible {
        let article: String
        let text: String

        var testDescription: String { "\(article): \(text.prefix(60))" }

        private var lines: [Substring] { text.split(separator: "\n") }
        /// The lines that import modules.
        var imports: [Substring] { lines.filter { $0.hasPrefix("import ") } }
        /// All other lines.
        var code: String { lines.filter { !$0.hasPrefix("import ") }.joined(separator: "\n") }

        /// Whether the example calls an operation that has an asynchronous form too.
        var hasTwoForms: Bool {
            let words = text.split(whereSeparator: \.isWhitespace)
            guard !words.contains("await"), !text.contains("func ") else { return false }
            return zip(words, words.dropFirst()).contains { word, next in
                word.hasSuffix("try") && !Self.synchronousOnly.contains { next.hasPrefix($0) }
            }
        }

        /// How calls begin that have no asynchronous form.
        private static let synchronousOnly = [
            "Directory(", "Directory.inMemory", "DirectoryServer(", "LDAPServer(", "EntityName(", "Filter(",
            "Fixtures.", "JSON",
            "RESTService(", "Seed(", "SignIn(", "server.start", "signIn.rotateKey", "signIn.check", "Data(",
            "FileHandle(", "file.", "SecureStore(", "store.", "credentials.", "CryptoService.", "pairs.", "publicKey.",
            "TOTP(", "HOTP(", "passwords.", "ConfigurationURL(", "SingleSignOnRequest(",
            "request.", "authenticator.account(", "context.",
        ]
    }

    /// The README, and the articles of all modules.
    static let files: [URL] =
        [package.appendingPathComponent("README.md")]
        + files(in: "Sources", endingIn: ".md").filter { $0.path.contains(".docc/") }
    /// The Swift files of all modules.
    static let sources = files(in: "Sources", endingIn: ".swift")
    static let examples: [Example] = (try? readExamples()) ?? []
    static let tests: [String] = (try? readTests()) ?? []

    private static func files(in folder: String, endingIn suffix: String) -> [URL] {
        let all = FileManager.default.enumerator(
            at: package.appendingPathComponent(folder), includingPropertiesForKeys: nil)
        return (all?.compactMap { $0 as? URL } ?? []).filter { $0.lastPathComponent.hasSuffix(suffix) }
            .sorted { $0.path < $1.path }
    }

    private static func readExamples() throws -> [Example] {
        // An example with an ellipsis in a comment leaves out what an article shows.
        let comments = try sources.flatMap { try examples(of: $0) }
        return try files.flatMap { try examples(of: $0) } + comments.filter { !$0.text.contains("…") }
    }

    /// The examples in an article, or in the comments of a source file.
    private static func examples(of file: URL) throws -> [Example] {
        let text = try String(contentsOf: file, encoding: .utf8)
        let isSource = file.pathExtension == "swift"
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            isSource ? line.trimmingPrefix(#/ */// ?/#) : line
        }
        return lines.joined(separator: "\n").matches(of: #/(?s)\n```swift\n(?<code>.*?)\n```/#).map {
            Example(article: file.lastPathComponent, text: String($0.code))
        }
    }

    private static func readTests() throws -> [String] {
        try files(in: "Tests/DocumentationTests", endingIn: ".swift").map {
            try String(contentsOf: $0, encoding: .utf8)
        }
    }
}

@Suite("Examples of the README and of the articles")
struct ExampleTests {
    /// Code without white space, since the formatter breaks lines of tests elsewhere. `await` is taken out as well, and its
    /// places are kept.
    private struct Code {
        private var text = ""
        private var awaited: Set<Int> = []

        init(_ code: String) {
            for word in code.split(whereSeparator: \.isWhitespace) {
                if word == "await" { awaited.insert(text.utf8.count) } else { text += word }
            }
        }

        var isAwaited: Bool { !awaited.isEmpty }

        /// Whether the code is in this one, and whether its place there awaits something.
        func contains(_ other: Code, isAwaited: Bool) -> Bool {
            var rest = text[...]
            while let place = rest.range(of: other.text, options: .literal) {
                let start = text.utf8.distance(from: text.startIndex, to: place.lowerBound)
                let range = start..<start + other.text.utf8.count
                if awaited.contains(where: range.contains) == isAwaited { return true }
                rest = text[place.upperBound...]
            }
            return false
        }
    }

    private static let tests = Articles.tests.map { (text: $0, code: Code($0)) }

    @Test("The articles have examples, and the tests are read")
    func found() {
        #expect(Set(Articles.examples.map(\.article)).count > 20)
        #expect(Articles.examples.contains { $0.hasTwoForms } && Articles.examples.contains { !$0.hasTwoForms })
        #expect(Articles.tests.count > 10)
    }

    @Test("The README has at most 120 lines, and an article at most 250", arguments: Articles.files)
    func length(file: URL) throws {
        let lines = try String(contentsOf: file, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= (file.lastPathComponent == "README.md" ? 121 : 251), "\(file.lastPathComponent)")
    }

    @Test("The README names every article's module, and its links lead somewhere")
    func links() throws {
        let text = try String(contentsOf: Articles.package.appendingPathComponent("README.md"), encoding: .utf8)
        let links = text.matches(of: #/\]\((?<path>[^)]+)\)/#).map { String($0.path) }
        for link in links {
            #expect(
                FileManager.default.fileExists(atPath: Articles.package.appendingPathComponent(link).path), "\(link)")
        }
        let modules = Set(links.compactMap { $0.split(separator: "/").dropFirst().first })
        #expect(modules.isSuperset(of: ["Roster", "RosterSignIn", "RosterREST", "RosterServer"]))
    }

    @Test("Each example is compiled and run by a test, word for word", arguments: Articles.examples)
    func isRun(example: Articles.Example) {
        let code = Code(example.code)
        let isThere = Self.tests.contains { test in
            example.imports.allSatisfy { test.text.contains($0 + "\n") }
                && test.code.contains(code, isAwaited: code.isAwaited)
        }
        #expect(isThere, "Add this example of \(example.article) to Tests/DocumentationTests:\n\(example.text)")
    }

    @Test(
        "Each example of an operation with two forms is run with await as well",
        arguments: Articles.examples.filter(\.hasTwoForms))
    func isAwaited(example: Articles.Example) {
        let code = Code(example.code)
        let isThere = Self.tests.contains { $0.code.contains(code, isAwaited: true) }
        #expect(isThere, "Add this example of \(example.article), with await, to its tests:\n\(example.text)")
    }
}
