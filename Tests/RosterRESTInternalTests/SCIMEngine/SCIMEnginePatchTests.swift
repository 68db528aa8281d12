import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@testable import RosterREST

@Suite("PATCH of RFC 7644, section 3.5.2")
struct SCIMEnginePatchTests {
    @Test("The RFC's examples do what it says")
    func figures() throws {
        let members = try group([
            "op": "add", "path": "members", "value": [["display": "Babs", "$ref": "/Users/d", "value": "d"]],
        ])
        #expect(members["members"]?.elements.last == ["value": "d"])
        let added = try jane([
            "op": "add", "value": ["emails": [["value": "babs@jensen.org", "type": "home"]], "nickname": "Babs"],
        ])
        #expect(added["emails"]?.elements.count == 3)
        #expect(added["nickName"] == "Babs")
        let both = try group(
            ["op": "remove", "path": #"members[value eq "a"]"#],
            ["op": "add", "path": "members", "value": [["value": "d"]]])
        #expect(both["members"]?.elements.compactMap { $0["value"] } == ["b", "c", "d"])
        let none = try jane(["op": "remove", "path": #"emails[type eq "work" and value ew "work.example"]"#])
        #expect(none["emails"] == [["value": "jane@home.example", "type": "home"]])
        let street: JSONValue = #"addresses[type eq "work"].streetAddress"#
        let made = try jane(["op": "add", "path": street, "value": "1010 Broadway"])
        #expect(made["addresses"] == [["type": "work", "streetAddress": "1010 Broadway"]])
        #expect(refusal { try jane(["op": "replace", "path": street, "value": "1"]) } == .noTarget)
        let address: JSONValue = ["type": "work", "locality": "Hollywood", "primary": true]
        let moved = try jane(
            ["op": "add", "path": street, "value": "1"],
            ["op": "replace", "path": #"addresses[type eq "work"]"#, "value": address])
        #expect(moved["addresses"] == [address])
    }

    @Test("add merges complex values, appends without doubles, and a new primary is the only one")
    func add() throws {
        #expect(
            try jane(["op": "add", "path": "name", "value": ["middleName": "Q"]])["name"]
                == ["familyName": "Doe", "givenName": "Jane", "middleName": "Q"])
        let same: JSONValue = ["value": "JANE@work.example", "type": "work"]
        #expect(try jane(["op": "add", "path": "emails", "value": [same]])["emails"]?.elements.count == 2)
        let primary = try jane([
            "op": "add", "path": "emails", "value": [["value": "j@x.example", "type": "other", "primary": true]],
        ])
        #expect(primary["emails"]?.elements.map { $0["primary"] } == [false, nil, true])
        let home = try jane(["op": "add", "path": #"emails[type eq "home"].primary"#, "value": "True"])
        #expect(home["emails"]?.elements.map { $0["primary"] } == [false, true])
        #expect(refusal { try jane(["op": "replace", "path": "emails.primary", "value": true]) } == .invalidValue)
        #expect(try jane(["op": "add", "path": "emails", "value": .null]) == Sample.jane)
    }

    @Test("add to a choice that is no list of equalities finds no target")
    func addToNothing() {
        for filter in [
            #"type ne "work" and value pr and type eq "x""#, #"type eq "x" or type eq "y""#, "not (value pr)",
        ] {
            let path = JSONValue.string("emails[\(filter)].value")
            #expect(refusal { try jane(["op": "add", "path": path, "value": "a@b"]) } == .noTarget)
        }
    }

    @Test("replace adds what is missing, takes lists as a whole and merges complex values")
    func replace() throws {
        #expect(try jane(["op": "replace", "path": "locale", "value": "de"])["locale"] == "de")
        #expect(try jane(["op": "replace", "path": "emails", "value": ["a@b.c"]])["emails"] == [["value": "a@b.c"]])
        #expect(try jane(["op": "replace", "path": "emails", "value": []])["emails"] == nil)
        #expect(
            try jane(["op": "replace", "path": "name", "value": ["givenName": "J", "familyName": .null]])["name"]
                == ["givenName": "J"])
        #expect(try jane(["op": "replace", "path": "emails.type", "value": "other"])["emails"]?.elements.count == 2)
        #expect(try jane(["op": "replace", "value": ["title": .null, "name": .null]])["name"] == nil)
    }

    @Test("remove takes what it names and nothing else")
    func remove() throws {
        #expect(try jane(["op": "remove", "path": "name.givenName"])["name"] == ["familyName": "Doe"])
        #expect(try jane(["op": "remove", "path": "nickName"]) == Sample.jane)
        #expect(try jane(["op": "remove", "path": "addresses.type"]) == Sample.jane)
        #expect(try jane(["op": "remove", "path": .string(.enterprise)])[.enterprise] == nil)
        #expect(
            try jane(["op": "remove", "path": .string(.enterprise)])["schemas"] == [.string(Sample.users.core.id)])
        #expect(try jane(["op": "remove", "path": "emails[not (primary eq true)]"])["emails"]?.elements.count == 1)
        #expect(refusal { try jane(["op": "remove", "path": #"emails[type eq "x"]"#]) } == .noTarget)
        #expect(refusal { try jane(["op": "remove", "path": #"addresses[type eq "x"].region"#]) } == .noTarget)
        #expect(refusal { try jane(["op": "remove"]) } == .noTarget)
        #expect(refusal { try jane(["op": "remove", "path": "userName"]) } == .mutability)
        #expect(refusal { try jane(["op": "remove", "path": .string(Sample.users.core.id)]) } == .mutability)
    }

    @Test(
        "What the directory alone writes is refused by name",
        arguments: [
            "id", "meta", "meta.version", "groups", "schemas", #"groups[value eq "g1"]"#,
            .enterprise + ":manager.displayName", .enterprise + ":manager.$ref", .directory + ":origin",
        ])
    func readOnly(path: String) {
        for op in ["add", "replace", "remove"] {
            let operation: JSONValue = ["op": .string(op), "path": .string(path), "value": "x"]
            #expect(refusal { try jane(operation) } == .mutability, "\(op)")
        }
    }

    @Test("The id of a member is not rewritten")
    func immutable() {
        let path: JSONValue = #"members[value eq "a"].value"#
        #expect(refusal { try group(["op": "replace", "path": path, "value": "z"]) } == .mutability)
        #expect(refusal { try group(["op": "add", "path": "members", "value": [["display": "x"]]]) } == .invalidValue)
    }

    @Test("Unknown names are refused in paths and in values, and so are foreign schemas that hold something")
    func unknownNames() throws {
        #expect(refusal { try jane(["op": "add", "path": "isAdmin", "value": true]) } == .invalidPath)
        #expect(refusal { try jane(["op": "add", "path": "urn:x:y:z", "value": true]) } == .invalidPath)
        #expect(refusal { try jane(["op": "add", "path": "name.x", "value": "x"]) } == .invalidPath)
        #expect(refusal { try jane(["op": "add", "value": ["isAdmin": true]]) } == .invalidValue)
        #expect(refusal { try jane(["op": "add", "value": ["name": ["x": "x"]]]) } == .invalidValue)
        #expect(refusal { try jane(["op": "add", "value": [.enterprise: ["x": "x"]]]) } == .invalidValue)
        #expect(refusal { try jane(["op": "add", "value": [.enterprise: [.directory: [:]]]]) } == .invalidValue)
        #expect(refusal { try jane(["op": "add", "value": ["urn:x:y:z": ["isAdmin": true]]]) } == .invalidValue)
        #expect(refusal { try jane(["op": "add", "value": ["urn:x:y:z:isAdmin": true]]) } == .invalidValue)
        for nothing: JSONValue in [[:], .null, [], ""] {
            #expect(try jane(["op": "add", "value": ["urn:x:y:z": nothing]]) == Sample.jane)
        }
    }

    @Test("A body that is no PATCH is refused")
    func malformed() {
        let operation: JSONValue = ["op": "add", "path": "title", "value": "x"]
        let urn: JSONValue = .string(SCIMPatch.schema)
        let bodies: [JSONValue] = [
            [], ["Operations": [operation]], ["schemas": ["urn:x"], "Operations": [operation]], ["schemas": [urn]],
            ["schemas": [urn], "Operations": []], ["schemas": [urn], "Operations": ["x"]],
            patch(["op": "move", "path": "title"]), patch(["path": "title", "value": "x"]),
            patch(["op": "add", "path": 5, "value": "x"]), patch(["op": "add", "OP": "remove", "path": "title"]),
        ]
        for body in bodies {
            #expect(refusal { try SCIMPatch(body, for: Sample.users) } == .invalidSyntax, "\(body)")
        }
        #expect(refusal { try jane(["op": "add", "path": "title"]) } == .invalidValue)
        #expect(refusal { try jane(["op": "add", "value": "x"]) } == .invalidValue)
        #expect(refusal { try jane(["op": "replace", "value": ["title": "a", "TITLE": "b"]]) } == .invalidSyntax)
        let many = JSONValue.array(Array(repeating: operation, count: 1_001))
        #expect(throws: SCIMError(status: 413, "There are more than 1000 operations.")) {
            try SCIMPatch(["schemas": [urn], "operations": many], for: Sample.users)
        }
    }

    @Test("Plain lists of an extension are chosen from by value")
    func plainLists() throws {
        let path = String.directory + ":tags"
        let two = try jane(
            ["op": "add", "path": .string(path), "value": ["a", "b", "A"]],
            ["op": "add", "path": .string(path), "value": "c"],
            ["op": "remove", "path": .string(path + #"[value eq "a"]"#)])
        #expect(two[.directory]?["tags"] == ["b", "c"])
        #expect(two["schemas"]?.elements.last == .string(.directory))
        let rest = try SCIMPatch(
            patch(["op": "remove", "path": .string(path), "value": ["B"]]), for: Sample.users
        ).applied(to: two)
        #expect(rest[.directory]?["tags"] == ["c"])
    }

    @Test("Parts that the directory stores and no schema has stay when others change")
    func foreignParts() throws {
        var user = Sample.jane
        user["emails"] = [["value": "a@b.c", "type": "work", "label": "old"]]
        let changed = try SCIMPatch(
            patch(["op": "replace", "path": "emails.value", "value": "d@e.f"]), for: Sample.users
        ).applied(to: user)
        #expect(changed["emails"] == [["value": "d@e.f", "type": "work", "label": "old"]])
        let same = try SCIMPatch(
            patch(["op": "add", "path": "emails", "value": [["value": "A@b.c", "type": "work", "primary": true]]]),
            for: Sample.users
        ).applied(to: user)
        #expect(same["emails"] == [["value": "A@b.c", "type": "work", "label": "old", "primary": true]])
    }

    @Test("A whole extension is merged into, and taken away by null")
    func wholeExtensions() throws {
        let path = JSONValue.string(.enterprise)
        #expect(
            try jane(["op": "replace", "path": path, "value": ["division": "X"]])[.enterprise]?.members.map(\.name)
                == ["department", "manager", "division"])
        #expect(try jane(["op": "replace", "path": path, "value": .null])[.enterprise] == nil)
        #expect(try jane(["op": "replace", "value": [.enterprise: .null]])[.enterprise] == nil)
        #expect(try jane(["op": "add", "value": [.enterprise: .null]]) == Sample.jane)
        #expect(refusal { try jane(["op": "add", "path": path, "value": "x"]) } == .invalidValue)
    }

    @Test("Secrets are set, never compared")
    func secrets() throws {
        #expect(try jane(["op": "replace", "path": "password", "value": "s3cret"])["password"] == "s3cret")
        let path = JSONValue.string(.directory + #":pin[value eq "1234"]"#)
        #expect(refusal { try jane(["op": "remove", "path": path]) } == .invalidFilter)
    }

    @Test("One operation for each of many members is as good as one for all")
    func manyMembers() throws {
        let adds = (0..<1_000).map { index -> JSONValue in
            ["op": "add", "path": "members", "value": [["value": .string("m\(index)")]]]
        }
        let body: JSONValue = ["schemas": [.string(SCIMPatch.schema)], "Operations": .array(adds)]
        let request = try SCIMPatch(body, for: Sample.groups)
        #expect(request.operations.count == 1)
        #expect(members(try request.applied(to: Sample.group)).count == 1_003)
    }
}
