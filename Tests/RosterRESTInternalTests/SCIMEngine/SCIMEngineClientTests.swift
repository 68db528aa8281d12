import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@testable import RosterREST

@Suite("What Entra ID and Okta send")
struct SCIMEngineClientTests {
    @Test("Entra ID replaces, adds and removes a single value in its own spelling")
    func entraSingleValues() throws {
        #expect(try jane(["op": "Replace", "path": "title", "value": "Lead"])["title"] == "Lead")
        #expect(try jane(["op": "Add", "path": "nickName", "value": "JD"])["nickName"] == "JD")
        #expect(try jane(["op": "Remove", "path": "title"])["title"] == nil)
        #expect(try jane(["op": "Replace", "path": "NAME.GivenName", "value": "J"])["name"]?["givenName"] == "J")
    }

    @Test("Entra ID disables a user with a string", arguments: ["False", "false"])
    func entraDisables(text: String) throws {
        #expect(try jane(["op": "Replace", "path": "active", "value": .string(text)])["active"] == false)
        #expect(try jane(["op": "Replace", "value": ["active": .string(text)]])["active"] == false)
        #expect(try jane(["op": "Add", "path": "active", "value": "True"])["active"] == true)
        #expect(refusal { try jane(["op": "Replace", "path": "active", "value": "no"]) } == .invalidValue)
    }

    @Test("Entra ID replaces without a path, with dotted, bracket and URN keys")
    func entraPathless() throws {
        let new = try jane([
            "op": "Replace",
            "value": [
                "name.givenName": "Janet", "name.middleName": "M", "displayName": "Janet Doe",
                #"emails[type eq "work"].value"#: "janet@work.example",
                #"phoneNumbers[type eq "mobile"].value"#: "555-9",
                .enterprise + ":department": "Sales", .enterprise + ":manager.value": "m2",
                "urn:ietf:params:scim:schemas:core:2.0:User:title": "Boss",
                "urn:example:foreign:2.0:User": [:], "urn:example:foreign:2.0:User:b": .null,
                "id": "mine", "meta": ["version": "x"], "groups": [["value": "g9"]],
            ],
        ])
        #expect(new["name"] == ["familyName": "Doe", "givenName": "Janet", "middleName": "M"])
        #expect(new["emails"]?.elements.first?["value"] == "janet@work.example")
        #expect(new["emails"]?.elements.count == 2)
        #expect(new["phoneNumbers"]?.elements.last == ["type": "mobile", "value": "555-9"])
        #expect(new[.enterprise] == ["department": "Sales", "manager": ["value": "m2"]])
        #expect(new["title"] == "Boss")
        #expect(new["id"] == "2819c223")
        #expect(new["groups"] == Sample.jane["groups"])
        #expect(new["urn:example:foreign:2.0:User"] == nil)
    }

    @Test("Entra ID sets the manager by a bare id, an object, an array or a reference", arguments: ["add", "Replace"])
    func entraManager(op: String) throws {
        let path = JSONValue.string(.enterprise + ":manager")
        let values: [JSONValue] = [
            "m2", ["value": "m2"], ["$ref": "https://x/scim/v2/Users/m2"], [["value": "m2", "$ref": "../Users/m2"]],
            ["value": "m2", "displayName": "Someone"],
        ]
        for value in values {
            let new = try jane(["op": .string(op), "path": path, "value": value])
            #expect(new[.enterprise]?["manager"] == ["value": "m2"], "\(value)")
        }
        let whole: JSONValue = [.enterprise: ["manager": "m3"]]
        let new = try jane(["op": .string(op), "value": whole])
        #expect(new[.enterprise] == ["department": "Research", "manager": ["value": "m3"]])
    }

    @Test("A manager is removed by remove, an empty id, null or an object with an empty id")
    func entraNoManager() throws {
        let path = JSONValue.string(.enterprise + ":manager")
        let operations: [JSONValue] = [
            ["op": "Remove", "path": path], ["op": "Replace", "path": path, "value": ""],
            ["op": "Replace", "path": path, "value": .null], ["op": "Replace", "path": path, "value": ["value": ""]],
            ["op": "Replace", "path": path, "value": ["value": .null]], ["op": "Remove", "path": path, "value": "m1"],
        ]
        for operation in operations {
            #expect(try jane(operation)[.enterprise] == ["department": "Research"], "\(operation)")
        }
        #expect(try jane(["op": "Replace", "path": path, "value": ["displayName": "X"]]) == Sample.jane)
    }

    @Test("Entra ID adds group members, and those who are there stay one")
    func entraAddsMembers() throws {
        let new = try group([
            "op": "Add", "path": "members", "value": [["$ref": .null, "value": "b"], ["value": "d"], ["value": "d"]],
        ])
        #expect(members(new) == ["a", "b", "c", "d"])
        #expect(new["members"]?.elements.first == Sample.group["members"]?.elements.first)
        #expect(members(try group(["op": "Add", "value": ["members": [["value": "e"]]]])) == ["a", "b", "c", "e"])
    }

    @Test("Entra ID removes exactly the members that it lists")
    func entraRemovesMembers() throws {
        let one = try group(["op": "Remove", "path": "members", "value": [["value": "b"]]])
        #expect(members(one) == ["a", "c"])
        #expect(one["members"]?.elements.first == Sample.group["members"]?.elements.first)
        let several = try group(["op": "Remove", "path": "members", "value": [["value": "b"], ["value": "zz"], "c"]])
        #expect(members(several) == ["a"])
        #expect(members(try group(["op": "Remove", "path": "members", "value": []])) == ["a", "b", "c"])
        #expect(members(try group(["op": "Remove", "path": "members", "value": [["value": "B"]]])) == ["a", "b", "c"])
        #expect(try group(["op": "Remove", "path": "members"])["members"] == nil)
        #expect(
            refusal { try jane(["op": "remove", "path": "emails", "value": [["type": "work"]]]) } == .invalidValue)
        let home: JSONValue = [["value": "JANE@home.example"], ["value": "jane@work.example", "type": "home"]]
        #expect(try jane(["op": "remove", "path": "emails", "value": home])["emails"]?.elements.count == 1)
    }

    @Test("Entra ID adds and replaces elements by their type")
    func entraTypedElements() throws {
        let work: JSONValue = #"emails[type eq "work"].value"#
        let mobile: JSONValue = #"phoneNumbers[type eq "mobile"].value"#
        #expect(
            try jane(["op": "Replace", "path": work, "value": "n@w.example"])["emails"]?.elements.first
                == ["value": "n@w.example", "type": "work", "primary": true])
        #expect(try jane(["op": "Add", "path": work, "value": "n@w.example"])["emails"]?.elements.count == 2)
        #expect(
            try jane(["op": "Add", "path": mobile, "value": "555-2"])["phoneNumbers"]?.elements.last
                == ["type": "mobile", "value": "555-2"])
        #expect(try jane(["op": "Remove", "path": work])["emails"]?.elements.compactMap { $0["type"] } == ["home"])
        #expect(refusal { try jane(["op": "Replace", "path": mobile, "value": "1"]) } == .noTarget)
    }

    @Test("With Entra ID's option a replace makes what it does not find, and a remove finds nothing to do")
    func entraOption() throws {
        func made(_ operation: JSONValue) throws -> JSONValue {
            try SCIMPatch(patch(operation), for: Sample.users).applied(to: Sample.jane, makesElements: true)
        }
        let mobile: JSONValue = #"phoneNumbers[type eq "mobile"].value"#
        #expect(
            try made(["op": "Replace", "path": mobile, "value": "1"])["phoneNumbers"]?.elements.last
                == ["type": "mobile", "value": "1"])
        #expect(try made(["op": "Remove", "path": mobile]) == Sample.jane)
        #expect(refusal { try made(["op": "Replace", "path": #"emails[type ne "x"].value"#, "value": 5]) } != nil)
    }

    @Test("Old jobs of Entra ID put single values into an object in a list")
    func entraWrapped() throws {
        func wrapped(_ value: JSONValue) -> JSONValue { [["$ref": .null, "value": value]] }
        #expect(try jane(["op": "Replace", "path": "title", "value": wrapped("Lead")])["title"] == "Lead")
        #expect(try jane(["op": "Replace", "path": "active", "value": wrapped("False")])["active"] == false)
        #expect(try jane(["op": "Add", "path": "name.givenName", "value": wrapped("J")])["name"]?["givenName"] == "J")
        let work: JSONValue = #"emails[type eq "work"].value"#
        #expect(
            try jane(["op": "Replace", "path": work, "value": wrapped("j@w")])["emails"]?.elements.first?["value"]
                == "j@w")
        let title = try group(["op": "replace", "path": "displayName", "value": wrapped("Ops")])["displayName"]
        #expect(title == "Ops")
        #expect(refusal { try jane(["op": "add", "path": "title", "value": [["value": "a", "x": "b"]]]) } != nil)
        #expect(refusal { try jane(["op": "add", "path": "title", "value": ["value": "a"]]) } != nil)
    }

    @Test("The one address without a type is the work address; an address of another type stays")
    func untypedAddress() throws {
        let work: JSONValue = #"emails[type eq "work"].value"#
        func changed(_ emails: JSONValue, _ operation: JSONValue) throws -> JSONValue? {
            var user = Sample.jane
            user["emails"] = emails
            return try SCIMPatch(patch(operation), for: Sample.users).applied(to: user)["emails"]
        }
        let home: JSONValue = ["value": "h@x", "type": "home"]
        for op in ["add", "replace"] {
            let operation: JSONValue = ["op": .string(op), "path": work, "value": "new@x"]
            #expect(
                try changed([["value": "old@x", "primary": true], home], operation)
                    == [["value": "new@x", "primary": true, "type": "work"], home])
            let pathless: JSONValue = ["op": .string(op), "value": [#"emails[type eq "work"].value"#: "new@x"]]
            #expect(try changed([["value": "old@x"]], pathless) == [["value": "new@x", "type": "work"]])
        }
        #expect(try changed([["value": "old@x"], home], ["op": "remove", "path": work]) == [home])
        let add: JSONValue = ["op": "add", "path": work, "value": "new@x"]
        let new: JSONValue = ["type": "work", "value": "new@x"]
        #expect(try changed([home], add) == [home, new])
        #expect(try changed([["value": "a@x"], ["value": "b@x"]], add) == [["value": "a@x"], ["value": "b@x"], new])
        let other: JSONValue = ["op": "add", "path": #"emails[type eq "home"].value"#, "value": "new@x"]
        #expect(
            try changed([["value": "old@x"]], other) == [["value": "old@x"], ["type": "home", "value": "new@x"]])
    }

    @Test("Okta puts a whole user")
    func oktaPut() throws {
        let user = try Sample.users.normalised([
            "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "id": "x", "userName": "jane@example.com",
            "name": ["givenName": "Jane", "middleName": .null, "familyName": "Doe"],
            "emails": [["primary": true, "value": "jane@example.com", "type": "work", "display": "jane@example.com"]],
            "displayName": "Jane Doe", "locale": "en-US", "externalId": "00u1", "groups": [], "password": "t1meMa$heen",
            "active": true, "meta": ["resourceType": "User"], "phoneNumbers": [],
        ])
        #expect(
            user == [
                "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": "jane@example.com",
                "name": ["givenName": "Jane", "familyName": "Doe"],
                "emails": [
                    ["primary": true, "value": "jane@example.com", "type": "work", "display": "jane@example.com"]
                ],
                "displayName": "Jane Doe", "locale": "en-US", "externalId": "00u1", "password": "t1meMa$heen",
                "active": true,
            ])
    }

    @Test("Okta deactivates without a path")
    func oktaDeactivates() throws {
        let new = try jane(["op": "replace", "value": ["active": false]])
        #expect(Sample.users.differences(from: Sample.jane, to: new) == [.init("active")])
    }

    @Test("Okta renames a group with the id in the value, replaces all members and removes one")
    func oktaGroups() throws {
        let renamed = try group(["op": "replace", "value": ["id": "g1", "displayName": "Ops"]])
        #expect(Sample.groups.differences(from: Sample.group, to: renamed) == [.init("displayName")])
        let replaced = try group([
            "op": "replace", "path": "members", "value": [["value": "c", "display": "C"], ["value": "x"]],
        ])
        let change = Sample.groups.references(addedTo: Sample.group, in: replaced, attribute: "members")
        #expect(change.added == ["x"])
        #expect(change.removed == ["a", "b"])
        #expect(members(try group(["op": "remove", "path": #"members[value eq "b"]"#])) == ["a", "c"])
        #expect(members(try group(["op": "remove", "path": #"members[value eq "z"]"#])) == ["a", "b", "c"])
    }
}
