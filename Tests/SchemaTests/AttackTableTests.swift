import Foundation
import Testing

/// `Tests/attacks.md`: each attack and fault that the directory must survive, with the tests that show that it does.
@Suite("The table of attacks and the tests that show them")
struct AttackTableTests {
    static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    /// What cannot be attacked yet, and how the table says so.
    static let open = [37: "not applicable yet", 64: "not applicable yet", 90: "waits for the second engine"]

    /// A line of the table.
    struct Line {
        let number: Int
        let attack: String
        let evidence: String

        /// What stands between backticks: `Suite/test`, or `script: text of a check`.
        var references: [String] { evidence.matches(of: #/`([^`]+)`/#).map { String($0.1) } }
    }

    static func lines() throws -> [Line] {
        let text = try String(contentsOf: tests.appendingPathComponent("attacks.md"), encoding: .utf8)
        return text.split(separator: "\n").compactMap { row in
            let cells = row.split(separator: "|", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            guard cells.count == 5, let number = Int(cells[1]) else { return nil }
            return Line(number: number, attack: cells[2], evidence: cells[3])
        }
    }

    /// The functions marked `@Test` in each suite, by the suite's name.
    static func testsBySuite() throws -> [String: Set<String>] {
        var found: [String: Set<String>] = [:]
        let files = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            var suite = ""
            var isTest = false
            for line in text.split(separator: "\n") {
                // Suites stand at the left margin; what helps them stands inside or behind.
                if line.first != " ", let name = word(after: ["struct ", "class ", "extension ", "enum "], in: line) {
                    suite = name
                    isTest = false
                } else if line.drop(while: { $0 == " " }).hasPrefix("@Test") {
                    isTest = true
                }
                guard let name = word(after: ["func "], in: line) else { continue }
                if isTest { found[suite, default: []].insert(name) }
                isTest = false
            }
        }
        return found
    }

    /// The name that stands behind one of the keywords.
    private static func word(after keywords: [String], in line: Substring) -> String? {
        for keyword in keywords {
            guard let range = line.firstRange(of: keyword) else { continue }
            let name = line[range.upperBound...].prefix { $0.isLetter || $0.isNumber || $0 == "_" }
            if !name.isEmpty { return String(name) }
        }
        return nil
    }

    /// Why a reference shows nothing; nil where the test is there.
    static func problem(with reference: String, among suites: [String: Set<String>]) -> String? {
        if reference.hasPrefix("Tests/") {
            let parts = reference.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            let file = tests.deletingLastPathComponent().appendingPathComponent(parts[0])
            guard let text = try? String(contentsOf: file, encoding: .utf8) else { return "no such script" }
            return parts.count == 1 || text.contains(parts[1]) ? nil : "no such check in the script"
        }
        let parts = reference.split(separator: "/").map(String.init)
        guard parts.count == 2, let functions = suites[parts[0]] else { return "no such suite" }
        return functions.contains(parts[1]) ? nil : "no such test in the suite"
    }

    @Test("Each of the ninety attacks has its line, and each line a test that is there")
    func everyLineHasATest() throws {
        let suites = try Self.testsBySuite()
        let lines = try Self.lines()
        #expect(lines.map(\.number) == Array(1...90))
        for line in lines {
            #expect(!line.attack.isEmpty)
            if let remark = Self.open[line.number] {
                #expect(line.evidence.contains(remark), "\(line.number)")
                continue
            }
            #expect(!line.references.isEmpty, "\(line.number): no test shows '\(line.attack)'")
            for reference in line.references {
                if let problem = Self.problem(with: reference, among: suites) {
                    Issue.record("\(line.number): `\(reference)`: \(problem)")
                }
            }
        }
    }

    @Test("A test that is not there is noticed")
    func absentTests() throws {
        let suites = try Self.testsBySuite()
        #expect(Self.problem(with: "AttackTableTests/absentTests", among: suites) == nil)
        #expect(Self.problem(with: "AttackTableTests/problem", among: suites) == "no such test in the suite")
        #expect(Self.problem(with: "NoSuchTests/absentTests", among: suites) == "no such suite")
        #expect(Self.problem(with: "Tests/nothing.py: x", among: suites) == "no such script")
        let absent = ["no such", "text in it"].joined(separator: " ")
        #expect(Self.problem(with: "Tests/attacks.md: \(absent)", among: suites) == "no such check in the script")
    }
}
