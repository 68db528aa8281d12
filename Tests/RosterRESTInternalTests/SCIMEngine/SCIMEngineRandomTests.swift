import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@testable import RosterREST

@Suite("Random requests")
struct SCIMEngineRandomTests {
    static let paths = [
        "title", "active", "name", "name.givenName", "emails", "emails.value", #"emails[type eq "work"]"#,
        #"emails[type eq "home"].value"#, #"emails[primary eq true].primary"#, "emails[not (type pr)]", "addresses",
        #"addresses[type eq "work"].region"#, "groups", "id", "userName", .enterprise, .enterprise + ":manager",
        .enterprise + ":manager.value", .directory + ":tags", .directory + #":tags[value eq "x"]"#, "password", "nope",
        "x509Certificates", .directory + ":badge",
    ]
    static let names = [
        "value", "type", "primary", "$ref", "display", "givenName", "title", "emails", "name.familyName", "manager",
        .enterprise, .directory, "tags", #"emails[type eq "work"].value"#, "urn:x", "x", "region", "userName",
    ]

    static func value(_ numbers: inout SeededNumbers, depth: Int = 0) -> JSONValue {
        switch Int.random(in: 0..<(depth < 3 ? 9 : 6), using: &numbers) {
        case 0: return .null
        case 1: return .boolean(.random(using: &numbers))
        case 2: return .integer(.random(in: -3...3, using: &numbers))
        case 3: return .decimal(.random(in: -1...1, using: &numbers))
        case 4, 5: return .string(["", "x", "work", "home", "True", "AAE=", "m1"].randomElement(using: &numbers) ?? "")
        case 6:
            return .array((0..<Int.random(in: 0...3, using: &numbers)).map { _ in value(&numbers, depth: depth + 1) })
        default:
            let chosen = Set((0..<3).compactMap { _ in names.randomElement(using: &numbers) }).sorted()
            return .object(chosen.map { .init($0, value(&numbers, depth: depth + 1)) })
        }
    }

    @Test("Any sequence of operations is applied or refused, and what results is canonical")
    func anySequence() throws {
        let seed = randomSeed()
        var numbers = SeededNumbers(seed: seed)
        var current = try Sample.users.normalised(Sample.jane)
        var applied = 0
        for _ in 0..<5_000 {
            var operation: JSONValue = [
                "op": .string(["add", "Replace", "remove"].randomElement(using: &numbers) ?? ""),
                "value": Self.value(&numbers),
            ]
            if Int.random(in: 0..<5, using: &numbers) > 0 {
                operation["path"] = Self.paths.randomElement(using: &numbers).map(JSONValue.string)
            }
            do {
                let new = try SCIMPatch(patch(operation), for: Sample.users).applied(to: current)
                let again = try Sample.users.normalised(new)
                #expect(
                    Sample.users.differences(from: new, to: again) == [], "seed \(seed): \(operation) made \(new)")
                let primary = new["emails"]?.elements.filter { $0["primary"] == true } ?? []
                #expect(primary.count <= 1, "seed \(seed): \(operation)")
                #expect(new["userName"] != nil, "seed \(seed): \(operation)")
                current = new
                applied += 1
            } catch let error as SCIMError {
                #expect(error.type != nil, "seed \(seed): \(operation)")
            }
        }
        #expect(applied > 500, "seed \(seed)")
    }

    @Test("Removing a member by its value removes exactly that one")
    func exactlyOne() throws {
        let seed = randomSeed()
        var numbers = SeededNumbers(seed: seed)
        for _ in 0..<200 {
            let ids = Set(
                (0..<Int.random(in: 1...20, using: &numbers)).map { _ in
                    String(UInt16.random(in: 0...300, using: &numbers), radix: 36)
                }
            ).shuffled(using: &numbers)
            var group = Sample.group
            group["members"] = .array(ids.map { ["value": .string($0), "type": "User"] })
            let id = try #require(ids.randomElement(using: &numbers))
            let operation: JSONValue =
                Bool.random(using: &numbers)
                ? ["op": "remove", "path": .string("members[value eq \"\(id)\"]")]
                : ["op": "remove", "path": "members", "value": [["value": .string(id)]]]
            let new = try SCIMPatch(patch(operation), for: Sample.groups).applied(to: group)
            #expect(members(new) == ids.filter { $0 != id }, "seed \(seed)")
        }
    }

    @Test("Any text is a path or is refused as one")
    func anyPath() {
        let seed = randomSeed()
        var numbers = SeededNumbers(seed: seed)
        let pieces =
            Self.paths + [
                "[", "]", "(", ")", " ", "\"", "\\", "\\u00e4", "\\ud83d\\ude00", ".", ":", "é", "\u{301}", "\u{0}",
                "not", "and", "type", "eq", "pr", "1", "-",
            ]
        for _ in 0..<5_000 {
            let text = (0..<Int.random(in: 1...8, using: &numbers)).compactMap { _ in
                pieces.randomElement(using: &numbers)
            }.joined(separator: Bool.random(using: &numbers) ? "" : " ")
            let type = refusal { try SCIMPath(text, in: Sample.users) }
            #expect([nil, .invalidPath, .invalidFilter].contains(type), "seed \(seed): \(text)")
        }
    }
}
