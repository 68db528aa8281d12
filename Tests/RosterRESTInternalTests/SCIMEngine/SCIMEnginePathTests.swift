import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@testable import RosterREST

@Suite("Attribute paths and value filters")
struct SCIMEnginePathTests {
    @Test("Paths are read whatever the case of names and URNs")
    func paths() throws {
        func shown(_ text: String) throws -> [String?] {
            let path = try SCIMPath(text, in: Sample.users)
            return [path.urn, path.attribute?.name, path.part?.name]
        }
        #expect(try shown("USERNAME") == [nil, "userName", nil])
        #expect(try shown("Name.givenname") == [nil, "name", "givenName"])
        #expect(try shown(#"emails[type eq "work"].VALUE"#) == [nil, "emails", "value"])
        #expect(try shown(#"emails[value eq "]\u0041\"."]"#) == [nil, "emails", nil])
        #expect(try shown(.enterprise.uppercased() + ":MANAGER.value") == [.enterprise, "manager", "value"])
        #expect(try shown(.enterprise + ":manager.$ref") == [.enterprise, "manager", "$ref"])
        #expect(try shown(.enterprise) == [.enterprise, nil, nil])
        #expect(try shown("urn:ietf:params:scim:schemas:core:2.0:User:title") == [nil, "title", nil])
        #expect(try shown("urn:ietf:params:scim:schemas:core:2.0:User") == [nil, nil, nil])
        #expect(try shown(.directory + ":tags.value") == [.directory, "tags", nil])
    }

    @Test(
        "What is no path is refused",
        arguments: [
            "", " ", ".", "name.", ".givenName", "name.givenName.x", "title.x", "department", "name[givenName pr]",
            "emails.value[type pr]", "emails[type pr]value", "emails[type pr]]", "userName ", "\u{212A}ey",
            .enterprise + ":", .enterprise + ":x", .enterprise + "X", .enterprise + ".manager", "emails]",
        ])
    func badPaths(text: String) {
        #expect(refusal { try SCIMPath(text, in: Sample.users) } == .invalidPath)
    }

    @Test(
        "What is no filter is refused",
        arguments: [
            "", "type", "type eq", "type eq work", "type eq \"work", "type eq \"\\x\"", "type eq \"\\ud800\"",
            "type eq \"\\u+041\"", "type xx \"a\"", "foo eq \"a\"", "type eq 5", "primary gt true", "primary co \"t\"",
            "type gt null", "type eq \"a\" type pr", "(type pr", "not type pr", "type pr and", "type eq nan",
            "type eq \"a\u{1}\"", "emails[type pr]", "type eq 0x1p3", "primary eq \"maybe\"",
        ])
    func badFilters(text: String) {
        #expect(refusal { try SCIMPath("emails[\(text)]", in: Sample.users) } == .invalidFilter)
        #expect(refusal { try SCIMPath("emails[\(text)", in: Sample.users) } == .invalidFilter)
    }

    @Test("Depth bombs, long chains and long paths are refused")
    func bombs() {
        let deep = String(repeating: "(", count: 4_000)
        #expect(refusal { try SCIMPath("emails[\(deep)", in: Sample.users) } == .invalidFilter)
        let nots = String(repeating: "not (", count: 40) + "type pr" + String(repeating: ")", count: 40)
        #expect(refusal { try SCIMPath("emails[\(nots)]", in: Sample.users) } == .invalidFilter)
        let fine = String(repeating: "not (", count: 31) + "type pr" + String(repeating: ")", count: 31)
        #expect(refusal { try SCIMPath("emails[\(fine)]", in: Sample.users) } == nil)
        let chain = Array(repeating: "type pr", count: 201).joined(separator: " or ")
        #expect(refusal { try SCIMPath("emails[\(chain)]", in: Sample.users) } == .invalidFilter)
        let long = "emails[value eq \"" + String(repeating: "x", count: 9_000) + "\"]"
        #expect(refusal { try SCIMPath(long, in: Sample.users) } == .invalidPath)
        var nested: JSONValue = "x"
        for _ in 0..<500 { nested = [nested] }
        #expect(refusal { try jane(["op": "add", "path": "emails", "value": nested]) } == .invalidValue)
        #expect(refusal { try jane(["op": "add", "path": "title", "value": nested]) } == .invalidValue)
    }

    @Test(
        "Filters choose by the rules of the schema",
        arguments: [
            (#"type eq "WORK""#, true), (#"value eq "Bjensen@Example.com""#, true), (#"value co "EXAMPLE""#, true),
            (#"value sw "bj""#, true), (#"value ew ".com""#, true), (#"value ew ".org""#, false),
            (#"type ne "home""#, true), (#"display ne "x""#, true), (#"display eq "x""#, false),
            ("display pr", false), ("type pr", true), ("display eq null", true), ("type ne null", true),
            ("primary eq true", true), (#"primary eq "True""#, true), ("primary ne true", false),
            (#"type gt "a" and type lt "z""#, true), (#"type ge "work" and type le "WORK""#, true),
            (#"type eq "x" or type eq "work" and primary eq true"#, true),
            (#"(type eq "work" or display pr) and not (value co "q")"#, true), (#"NOT(type pr)"#, false),
            (#"  type   EQ   "work"  "#, true),
        ])
    func filters(text: String, isChosen: Bool) throws {
        let element: JSONValue = ["value": "bjensen@example.com", "type": "work", "primary": true]
        let path = try SCIMPath("emails[\(text)]", in: Sample.users)
        #expect(path.filter?.holds(for: element) == isChosen)
    }

    @Test("An element that does not say so is not primary")
    func primaryIsFalse() throws {
        let filter = try SCIMPath("emails[primary eq false]", in: Sample.users).filter
        #expect(filter?.holds(for: ["value": "x"]) == true)
        #expect(filter?.holds(for: ["value": "x", "primary": true]) == false)
    }

    @Test("Ids and addresses are compared with case")
    func caseExact() throws {
        let path = try SCIMPath(#"members[value eq "A"]"#, in: Sample.groups)
        #expect(path.filter?.holds(for: ["value": "a"]) == false)
    }

    @Test("Numbers and times are compared as such")
    func ordered() throws {
        let number = SCIMAttribute(name: "n", description: "", kind: .decimal, isMultiValued: true)
        func holds(_ text: String, _ attribute: SCIMAttribute, _ value: JSONValue) throws -> Bool {
            try SCIMPath.filter(in: "[\(text)]", of: attribute).filter.holds(for: value)
        }
        #expect(try holds("value gt 9.5", number, 10))
        #expect(try holds("value le -1e2", number, .decimal(-100)))
        #expect(try holds("value eq 3", number, .decimal(3)))
        let time = SCIMAttribute(name: "t", description: "", kind: .dateTime, isMultiValued: true)
        #expect(try holds(#"value eq "2011-05-13T04:42:34Z""#, time, "2011-05-13T06:42:34.000+02:00"))
        #expect(try holds(#"value lt "2012-01-01T00:00:00Z""#, time, "2011-12-31T23:59:59.999Z"))
        #expect(refusal { try holds(#"value eq "yesterday""#, time, "x") } == .invalidFilter)
    }
}
