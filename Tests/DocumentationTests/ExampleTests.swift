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
            "Directory(", "Directory.inMemory", "DirectoryServer(", "EntityName(", "Filter(", "Fixtures.", "JSON",
            "RESTService(", "Seed(", "SignIn(", "server.start", "signIn.rotateKey", "signIn.check", "Data(",
            "FileHandle(", "file.",
        ]
    }

    static let examples: [Example] = (try? readExamples()) ?? []
    static let tests: [String] = (try? readTests()) ?? []

    private static func files(in folder: String, endingIn suffix: String) -> [URL] {
        let all = FileManager.default.enumerator(
            at: package.appendingPathComponent(folder), includingPropertiesForKeys: nil)
        return (all?.compactMap { $0 as? URL } ?? []).filter { $0.lastPathComponent.hasSuffix(suffix) }
            .sorted { $0.path < $1.path }
    }

    private static func readExamples() throws -> [Example] {
        let articles = files(in: "Sources", endingIn: ".md").filter { $0.path.contains(".docc/") }
        let texts = try ([package.appendingPathComponent("README.md")] + articles).flatMap { try examples(of: $0) }
        // An example with an ellipsis in a comment leaves out what an article shows.
        return try texts
            + files(in: "Sources", endingIn: ".swift").flatMap { try examples(of: $0) }.filter {
                !$0.text.contains("…")
            }
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
        private(set) var bytes: [UInt8] = []
        private var awaited: Set<Int> = []

        init(_ text: String) {
            for word in text.split(whereSeparator: \.isWhitespace) {
                if word == "await" { awaited.insert(bytes.count) } else { bytes += word.utf8 }
            }
        }

        var isAwaited: Bool { !awaited.isEmpty }

        /// Whether the code is in this one, and whether its place there awaits something.
        func contains(_ other: Code, isAwaited: Bool) -> Bool {
            guard let first = other.bytes.first, bytes.count >= other.bytes.count else { return false }
            return (0...(bytes.count - other.bytes.count)).contains { start in
                let place = start..<start + other.bytes.count
                return bytes[start] == first && bytes[place].elementsEqual(other.bytes)
                    && awaited.contains(where: place.contains) == isAwaited
            }
        }
    }

    private static let tests = Articles.tests.map { (text: $0, code: Code($0)) }

    @Test("The articles have examples, and the tests are read")
    func found() {
        #expect(Set(Articles.examples.map(\.article)).count > 20)
        #expect(Articles.examples.contains { $0.hasTwoForms } && Articles.examples.contains { !$0.hasTwoForms })
        #expect(Articles.tests.count > 10)
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
