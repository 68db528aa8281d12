import Foundation
import Testing

/// `Tests/conformance.md`: the modules of the OpenID conformance plans, with the tests that show them.
@Suite("The table of conformance modules and the tests that show them")
struct ConformanceTableTests {
    /// The number of modules of each plan, as the conformance suite has them.
    private static let counts = [
        "Basic and Form Post": 38, "Config": 1, "RP-initiated logout": 11, "Back-channel logout": 2,
        "FAPI 2.0 Security Profile": 53,
    ]

    private static func modules() throws -> [(plan: String, name: String, reference: String)] {
        let text = try String(
            contentsOf: AttackTableTests.tests.appendingPathComponent("conformance.md"), encoding: .utf8)
        var (plan, found) = ("", [(plan: String, name: String, reference: String)]())
        for row in text.split(separator: "\n") {
            if row.hasPrefix("## ") { plan = String(row.dropFirst(3)) }
            let cells = row.split(separator: "|", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            guard cells.count == 5, cells[2].hasPrefix("`") else { continue }
            found.append((plan, cells[1], cells[2].filter { $0 != "`" }))
        }
        return found
    }

    @Test("Each module of each plan has its line, and each line a test with the name of the module")
    func everyModuleHasATest() throws {
        let suites = try AttackTableTests.testsBySuite()
        let modules = try Self.modules()
        #expect(Dictionary(grouping: modules, by: \.plan).mapValues(\.count) == Self.counts)
        #expect(Set(modules.map { $0.plan + $0.name }).count == modules.count, "no module stands twice")
        let folder = AttackTableTests.tests.appendingPathComponent("Contracts/Conformance")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        let text = try files.map { try String(contentsOf: $0, encoding: .utf8) }.joined()
        for module in modules {
            if let problem = AttackTableTests.problem(with: module.reference, among: suites) {
                Issue.record("\(module.name): `\(module.reference)`: \(problem)")
            }
            #expect(text.contains("\"\(module.name)\""), "no test is called \(module.name)")
        }
    }
}
