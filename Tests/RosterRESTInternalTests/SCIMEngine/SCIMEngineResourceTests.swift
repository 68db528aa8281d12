import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@testable import RosterREST

@Suite("Resources that come in and go out")
struct SCIMEngineResourceTests {
    func user(_ extra: JSONValue) throws -> JSONValue {
        try Sample.users.normalised(.object([.init("userName", "jane")] + extra.members))
    }

    @Test("Names get the schema's spelling and values their form")
    func canonicalForm() throws {
        let user = try Sample.users.normalised([
            "USERNAME": "jane", "NAME": ["GIVENNAME": "Jane", "familyName": ""],
            "emails": ["a@b.c", ["value": "d@e.f"]],
            "phoneNumbers": ["value": "1", "type": "work"], "active": "TRUE", "title": .null, "ims": [],
            .enterprise.uppercased(): ["Manager": "m1", "division": ""],
            .directory: [
                "badge": .decimal(7), "score": 2, "startsAt": "2020-01-01T00:00:00Z", "isremote": "False",
                "key": ["AAE="], "origin": "mine", "tags": ["a", .null, "b"],
            ],
            "urn:foreign": [:],
        ])
        #expect(
            user == [
                "schemas": [.string(Sample.users.core.id), .string(.enterprise), .string(.directory)],
                "userName": "jane", "name": ["givenName": "Jane"], "emails": [["value": "a@b.c"], ["value": "d@e.f"]],
                "phoneNumbers": [["value": "1", "type": "work"]], "active": true,
                .enterprise: ["manager": ["value": "m1"]],
                .directory: [
                    "badge": 7, "score": .decimal(2), "startsAt": "2020-01-01T00:00:00Z", "isRemote": false,
                    "key": ["AAE="], "tags": ["a", "b"],
                ],
            ])
    }

    @Test(
        "Values of another type are refused",
        arguments: [
            ["title": 5], ["title": ["a", "b"]], ["active": "yes"], ["active": 1], ["name": "Jane"],
            ["name": ["givenName": ["x": "y"]]], ["emails": [["value": 5]]], ["emails": [[["value": "x"]]]],
            ["x509Certificates": [["value": "not base64"]]], [.directory: ["badge": "7"]],
            [.directory: ["badge": .decimal(7.5)]], [.directory: ["startsAt": "soon"]], [.directory: "x"],
            ["emails": [["value": "a", "primary": true], ["value": "b", "primary": true]]],
            ["isAdmin": true], ["name": ["nick": "x"]], [.directory: ["isAdmin": true]], ["department": "x"],
            [.enterprise: ["manager": ["value": ["value": "x"]]]],
        ] as [JSONValue])
    func wrongTypes(extra: JSONValue) {
        #expect(refusal { try user(extra) } == .invalidValue)
    }

    @Test("What must be there must be there")
    func required() {
        #expect(refusal { try Sample.users.normalised(["title": "x"]) } == .invalidValue)
        #expect(refusal { try Sample.users.normalised(["userName": ""]) } == .invalidValue)
        #expect(refusal { try Sample.groups.normalised(["members": []]) } == .invalidValue)
        #expect(refusal { try user(["schemas": [.string(.enterprise)]]) } == .invalidSyntax)
        #expect(refusal { try user(["UserName": "x"]) } == .invalidSyntax)
        #expect(refusal { try Sample.users.normalised([]) } == .invalidSyntax)
        #expect(refusal { try user(["schemas": [.string(Sample.users.core.id.uppercased())]]) } == nil)
    }

    @Test("What the directory alone writes is left out")
    func readOnly() throws {
        let user = try user([
            "id": "1", "meta": ["version": "x"], "groups": [["value": "g"]],
            "roles": [["value": "g", "type": "Direct"]],
            .enterprise: ["manager": ["value": "m", "displayName": "Max", "$ref": "x"]],
        ])
        #expect(user.members.map(\.name) == ["schemas", "userName", .enterprise])
        #expect(user[.enterprise]?["manager"] == ["value": "m"])
    }

    @Test("A canonical resource stays as it is")
    func idempotent() throws {
        let once = try Sample.users.normalised(Sample.jane)
        #expect(try Sample.users.normalised(once) == once)
        #expect(Sample.users.differences(from: Sample.jane, to: once) == [])
    }

    @Test("Differences name attributes, also those of extensions, and no derived ones")
    func differences() throws {
        var new = Sample.jane
        new["title"] = "Lead"
        new["meta"] = ["version": "2"]
        new["groups"] = nil
        new[.enterprise] = ["manager": ["value": "m2"], "department": "Research"]
        new[.directory] = ["tags": ["x"]]
        #expect(
            Sample.users.differences(from: Sample.jane, to: new) == [
                .init("title"), .init("manager", in: .enterprise), .init("tags", in: .directory),
            ])
        var group = Sample.group
        group["members"] = ["c", "b", "a"].map { JSONValue.object([.init("value", .string($0))]) }.array
        #expect(Sample.groups.differences(from: Sample.group, to: group) == [])
    }

    func names(_ attributes: String?, excluding excluded: String? = nil, of resource: JSONValue) throws -> [String] {
        try SCIMProjection(
            attributes: SCIMProjection.names(in: attributes), excluding: SCIMProjection.names(in: excluded),
            of: Sample.users
        ).applied(to: resource).members.map(\.name)
    }

    @Test("Without a choice everything usual is returned, secrets never, photos on request")
    func usualProjection() throws {
        var jane = Sample.jane
        jane["password"] = "x"
        jane["x509Certificates"] = [["value": "AAE="]]
        jane[.directory] = ["photo": "AAE=", "pin": ["1"]]
        #expect(try names(nil, of: jane) == Sample.jane.members.map(\.name) + ["x509Certificates"])
        #expect(try names("password,x509certificates", of: jane) == ["schemas", "id", "x509Certificates"])
        #expect(try names(.directory + ":photo", of: jane) == ["schemas", "id", .directory])
        #expect(try names(.directory + ":pin," + .directory, of: jane) == ["schemas", "id"])
        #expect(try names(nil, excluding: "x509certificates.value", of: jane) == Sample.jane.members.map(\.name))
    }

    @Test("Named attributes, parts and schemas are returned, and what always is")
    func namedProjection() throws {
        func projected(_ names: [String]) throws -> JSONValue {
            try SCIMProjection(attributes: names, of: Sample.users).applied(to: Sample.jane)
        }
        let core = JSONValue.string(Sample.users.core.id)
        #expect(
            try projected(["NAME.givenname", "emails.value", .enterprise + ":manager.displayName"]) == [
                "schemas": [core, .string(.enterprise)], "id": "2819c223", "name": ["givenName": "Jane"],
                "emails": [["value": "jane@work.example"], ["value": "jane@home.example"]],
                .enterprise: ["manager": ["displayName": "Max"]],
            ])
        #expect(try names(.enterprise, of: Sample.jane) == ["schemas", "id", .enterprise])
        #expect(try names("nothing, ,name.x,emails[", of: Sample.jane) == ["schemas", "id"])
        #expect(try names(" title , userName", of: Sample.jane) == ["schemas", "id", "userName", "title"])
        #expect(try names("name,name.givenName", of: Sample.jane) == ["schemas", "id", "name"])
        #expect(try projected(["name.givenName", "name.familyName"])["name"] == Sample.jane["name"])
    }

    @Test("Excluded attributes and parts are left out, but not what is always returned")
    func excludedProjection() throws {
        let projection = try SCIMProjection(
            excluding: ["id", "schemas", "emails", "name.givenName", .enterprise, "meta"], of: Sample.users)
        let kept = projection.applied(to: Sample.jane)
        #expect(
            kept.members.map(\.name) == [
                "schemas", "id", "userName", "name", "title", "active", "phoneNumbers", "groups",
            ])
        #expect(kept["schemas"] == [.string(Sample.users.core.id)])
        #expect(kept["name"] == ["familyName": "Doe"])
        #expect(!projection.includes("emails"))
        #expect(projection.includes("groups"))
        #expect(!projection.includes("manager", in: .enterprise))
        #expect(refusal { try SCIMProjection(attributes: ["a"], excluding: ["b"], of: Sample.users) } == .invalidValue)
    }
}

extension [JSONValue] {
    fileprivate var array: JSONValue { .array(self) }
}
