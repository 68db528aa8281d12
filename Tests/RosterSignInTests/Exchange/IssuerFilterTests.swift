import RosterText
import Testing
import TestSupport

import RosterSignIn

@Suite("Filters hold only when it is certain that they do")
struct IssuerFilterTests {
    static func holds(_ filter: JSONValue, _ claim: JSONValue?) throws -> Bool {
        let refusal = try IssuerDocuments.refusal(["filters": [filter]], ["claim": claim])
        return refusal != .filter
    }

    static func filter(_ kind: String?, _ values: [String]) -> JSONValue {
        var filter: JSONValue = ["name": "claim", "values": .array(values.map { .string($0) })]
        filter["type"] = kind.map { .string($0) }
        return filter
    }

    @Test("An include filter needs one value that fits; it is the default", arguments: [nil, "include"])
    func include(kind: String?) throws {
        let filter = Self.filter(kind, ["admin", "team-*", "*@x.example", "7", "true", ""])
        for claim in ["admin", "team-", "team-a", "a@x.example", 7, true, "", ["x", "admin"], ["x", 7]] as [JSONValue] {
            #expect(try Self.holds(filter, claim), "\(claim)")
        }
        for claim in [
            "Admin", "admin ", "xteam-a", "a@x.example.evil", 8, false, ["x"], [], .null, ["admin": "admin"],
            [["admin"]], .decimal(7.5),
        ] as [JSONValue] {
            #expect(try !Self.holds(filter, claim), "\(claim)")
        }
        #expect(try !Self.holds(filter, nil))
    }

    @Test("An exclude filter needs that no value fits, and that all can be compared")
    func exclude() throws {
        let filter = Self.filter("exclude", ["guest", "ext-*", "7", "true"])
        for claim in ["admin", "Guest", 8, false, ["admin", "staff"], [], .null, ""] as [JSONValue] {
            #expect(try Self.holds(filter, claim), "\(claim)")
        }
        #expect(try Self.holds(filter, nil))
        for claim in [
            "guest", "ext-", "ext-7", 7, true, ["admin", "guest"], ["admin", "ext-1"], .decimal(7.0), .decimal(1e30),
            ["a": "guest"], [["guest"]], ["admin", ["a": "b"]],
        ] as [JSONValue] {
            #expect(try !Self.holds(filter, claim), "\(claim)")
        }
    }

    @Test("* alone asks that there be a value, or that there be none")
    func anything() throws {
        #expect(try Self.holds(Self.filter("include", ["*"]), "x") && !Self.holds(Self.filter("include", ["*"]), nil))
        #expect(try !Self.holds(Self.filter("exclude", ["*"]), "x") && Self.holds(Self.filter("exclude", ["*"]), nil))
    }

    @Test(
        "A filter that is wrong or incomplete never holds, whatever the token says",
        arguments: [
            [:], .null, "claim", 5, [], ["values": ["*"]], ["name": "claim"], ["name": "claim", "values": []],
            ["name": "claim", "values": "*"], ["name": "claim", "values": .null], ["name": "", "values": ["*"]],
            ["name": 5, "values": ["*"]], ["name": .null, "values": ["*"]], ["name": "claim", "values": ["*", 5]],
            ["name": "claim", "values": [["*"]]], ["name": "claim", "values": ["*"], "type": "Include"],
            ["name": "claim", "values": ["nothing"], "type": "exclud"], ["name": "claim", "values": ["*"], "type": 1],
            ["name": "claim", "values": ["*"], "type": .null], ["name": "claim", "values": ["*"], "typ": "include"],
            ["name": "claim", "value": ["*"]],
        ] as [JSONValue])
    func malformed(filter: JSONValue) throws {
        for claim in ["x", ["x"], .null, nil, 5] as [JSONValue?] { #expect(try !Self.holds(filter, claim)) }
    }

    @Test("Every filter must hold")
    func all() throws {
        let (yes, no) = (Self.filter("include", ["x"]), Self.filter("exclude", ["x"]))
        for (filters, refusal) in [([yes, yes], nil), ([yes, no], .filter), ([no, yes], .filter), ([], nil)]
            as [([JSONValue], ExchangeStep.Rule?)]
        {
            #expect(try IssuerDocuments.refusal(["filters": .array(filters)], ["claim": "x"]) == refusal)
        }
    }

    @Test("Claims are looked up by their exact name, never by a path")
    func names() throws {
        let filter: JSONValue = ["name": "a.b", "values": ["x"]]
        #expect(try IssuerDocuments.refusal(["filters": [filter]], ["a": ["b": "x"]]) == .filter)
        #expect(try IssuerDocuments.refusal(["filters": [filter]], ["a.b": "x"]) == nil)
        #expect(try IssuerDocuments.refusal(["filters": [filter]], ["A.B": "x"]) == .filter)
    }

    @Test("Whatever a token claims, a filter that includes and one that excludes the same never both hold")
    func property() throws {
        let seed = randomSeed()
        var random = SeededNumbers(seed: seed)
        let scalars: [JSONValue] = ["a", "ab", "b", "", 1, 12, true, .null, .decimal(1.5), [:], []]
        for _ in 0..<2_000 {
            let values = ["a*", "*b", "1*", "t*e", "", "*"].filter { _ in Bool.random(using: &random) } + ["a"]
            let elements = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                scalars[Int.random(in: 0..<scalars.count, using: &random)]
            }
            let claim = elements.count == 1 && Bool.random(using: &random) ? elements[0] : .array(elements)
            let include = IssuerFilter.rule(name: "claim", kind: .include, values: values).check(claim).holds
            let exclude = IssuerFilter.rule(name: "claim", kind: .exclude, values: values).check(claim).holds
            #expect(!(include && exclude), "seed \(seed): \(values) \(claim)")
        }
    }
}
