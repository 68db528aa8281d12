import Foundation
import Roster
import RosterREST
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("The profile service's names for attributes", .inBothForms)
struct ProfileVocabularyTests {
    static let writable = [
        "firstname", "lastname", "commonname", "displayname", "description", "mail", "mobile", "telephone", "title",
        "postaladdress", "country", "middlename", "initials", "maidenname", "generationqualifier", "employeetype",
        "employeenumber", "preferredlanguage", "timezone", "org", "orgunit", "department", "gender", "dateofbirth",
        "hiredate", "activestartdate", "activeenddate", "pobox", "homephone", "fax", "pager", "street", "localityname",
        "state", "postalcode", "homeaddress",
    ]
    static let aliases = [
        "loginid": "uid", "name": "uid", "uniquename": "uid", "username": "uid", "login": "uid", "phone": "telephone",
        "workphone": "telephone", "email": "mail", "firstName": "firstname", "lastName": "lastname",
    ]

    /// Two values that an attribute takes, and the first one in another case.
    private static func values(of name: String) -> (one: String, other: String, oneInAnotherCase: String) {
        if name == "mail" { return ("One@x.org", "two@x.org", "oNE@x.org") }
        let isDate = name.hasSuffix("date") || name == "dateofbirth"
        return isDate
            ? ("2026-01-31T09:00:00Z", "2026-02", "2026-01-31t09:00:00z") : ("Value One", "Two", "value%20ONE")
    }

    @Test("Each attribute is created, read, searched, modified and cleared under its name", arguments: writable)
    func attribute(name: String) async throws {
        let service = try await ServiceUnderTest()
        let (one, other, oneInAnotherCase) = Self.values(of: name)
        let body = JSONValue.object([.init("uid", "john"), .init(name, .string(one))])
        let created = await service.request("POST", "people", body)
        #expect(created.status == 201 && created[name]?.text == one, "\(created.text)")
        #expect(await service.request("GET", "people/john?attrsToFetch=\(name)").body.names == [name, "uri"])
        #expect(await service.request("GET", "people?searchparam.\(name)=\(oneInAnotherCase)").names == ["john"])
        let modified = await service.request("PUT", "people/john", .object([.init(name, .string(other))]))
        #expect(modified[name]?.text == other)
        let cleared = await service.request("PUT", "people/john", .object([.init(name, .null)]))
        #expect(cleared.status == 200 && cleared[name] == nil && cleared["uid"] == "john")
    }

    @Test("Other names mean the same attribute", arguments: aliases.sorted { $0.key < $1.key })
    func alias(alias: String, name: String) async throws {
        let service = try await ServiceUnderTest()
        var body: JSONValue = ["uid": "john"]
        if name == "uid" { body = .object([.init(alias, "john")]) } else { body[alias] = "Value@x" }
        let created = await service.request("POST", "people", body)
        #expect(created.status == 201, "\(created.text)")
        let value = name == "uid" ? "john" : "Value@x"
        #expect(created[name]?.text == value)
        let picked = await service.request("GET", "people/john?attrsToFetch=\(alias)")
        #expect(picked.body.names == [alias, "uri"] && picked[alias]?.text == value)
        #expect(await service.request("GET", "people?searchparam.\(alias)=\(value)").names == ["john"])
    }

    @Test("Two names of one attribute may not disagree")
    func disagreement() async throws {
        let service = try await ServiceUnderTest()
        for body in [
            ["uid": "a", "loginid": "b"], ["uid": "a", "mail": "a@x.example", "email": "b@x.example"],
            ["uid": "a", "phone": "1", "telephone": .null],
        ] as [JSONValue] {
            #expect(await service.request("POST", "people", body).status == 400, "\(body)")
            #expect(await service.request("PUT", "people/tom.evans", body).status == 400, "\(body)")
        }
        let body: JSONValue = ["uid": "a", "login": "a", "name": "a", "email": "a@x.example", "mail": "a@x.example"]
        #expect(await service.request("POST", "people", body)["mail"] == "a@x.example")
    }

    @Test("What the directory keeps itself is read, and passed over when it is written")
    func kept() async throws {
        let service = try await ServiceUnderTest()
        let old = await service.request("GET", "people/tom.evans")
        let fetched = await service.request(
            "GET", "people/tom.evans?attrsToFetch=guid,created,modified,version,active,uid")
        #expect(fetched.body.names == ["guid", "created", "modified", "version", "active", "uid", "uri"])
        #expect(fetched["guid"] == old["guid"] && fetched["version"] == 1)
        for name in ["guid", "created", "modified", "version"] {
            let answer = await service.request("PUT", "people/tom.evans", .object([.init(name, "7")]))
            #expect(answer.status == 200 && answer[name] == old[name], "\(name)")
        }
        #expect(await service.request("GET", "people/tom.evans").body == old.body)
        let guid = try #require(old["guid"]?.text)
        #expect(await service.request("GET", "people?searchparam.guid=\(guid)").names == ["tom.evans"])
    }

    @Test("Photos are base64, and come along when they are asked for, everywhere")
    func photos() async throws {
        let service = try await ServiceUnderTest()
        let photo = JSONValue.string(Data([0xFF, 0xD8, 0, 1, 2]).base64EncodedString())
        #expect(await service.request("PUT", "people/haruka.ito", ["jpegphoto": photo])["jpegphoto"] == nil)
        for path in ["people/haruka.ito", "people/ren.watanabe/manager/haruka.ito"] {
            #expect(await service.request("GET", path)["jpegphoto"] == nil)
            #expect(await service.request("GET", path + "?attrsToFetch=jpegphoto")["jpegphoto"] == photo, "\(path)")
        }
        let lists = ["people?searchparam.uid=haruka.ito&", "people/ren.watanabe/manager?", "groups/platform/members?"]
        for list in lists {
            let answer = await service.request("GET", list + "attrsToFetch=uid,jpegphoto")
            #expect(answer.elements.contains { $0["jpegphoto"] == photo && $0["uid"] == "haruka.ito" }, "\(list)")
        }
        #expect(await service.request("PUT", "people/haruka.ito", ["jpegphoto": "no base64!"]).status == 400)
        #expect(await service.request("PUT", "people/haruka.ito", ["jpegphoto": ""]).status == 200)
        #expect(await service.request("GET", "people/haruka.ito?attrsToFetch=jpegphoto")["jpegphoto"] == nil)
    }

    @Test("A name that is unknown is refused, wherever it stands")
    func unknown() async throws {
        let service = try await ServiceUnderTest()
        for name in ["shoesize", "", "emails", "phoneNumbers", "passwordHash", "isAdmin", "roles", "a b", "FirstName"] {
            let encoded = PercentEncoding.segment(name)
            let body = JSONValue.object([.init("uid", "x"), .init(name, "1")])
            #expect(await service.request("POST", "people", body).status == 400, "\(name)")
            #expect(await service.request("PUT", "people/tom.evans", body).status == 400, "\(name)")
            if name != "emails", name != "phoneNumbers" {
                #expect(await service.request("GET", "people?searchparam.\(encoded)=1").status == 400, "\(name)")
            }
            if !name.isEmpty {
                #expect(await service.request("GET", "people/tom.evans?attrsToFetch=uid,\(encoded)").status == 400)
            }
        }
        #expect(await service.request("GET", "people/x").status == 404)
        #expect(await service.request("GET", "people/tom.evans?prefetch=members").status == 400)
        #expect(await service.request("GET", "groups/sales?attrsToFetch=firstname").status == 400)
    }

    @Test("A value of another type is refused")
    func types() async throws {
        let service = try await ServiceUnderTest()
        let old = await service.request("GET", "people/tom.evans")
        let wrong: [(String, JSONValue)] = [
            ("badge", "seventeen"), ("badge", true), ("badge", .decimal(1.5)), ("badge", [1, 2]), ("badge", ["a": 1]),
            ("vacant", "perhaps"), ("vacant", 1), ("title", true), ("title", ["a": "b"]), ("title", ["a", "b"]),
            ("title", .decimal(1.5)), ("uid", ["a", "b"]), ("uid", .null), ("uid", ["uid": "x"]), ("uid", true),
            ("password", ["correct horse", "battery staple"]), ("password", ["a": "b"]), ("password", false),
            ("mail", ["value": "x@example.com"]), ("mail", ["a@example.com", "b@example.com"]),
        ]
        for (name, value) in wrong {
            let answer = await service.request("PUT", "people/tom.evans", .object([.init(name, value)]))
            #expect(answer.status == 400 && answer.isProfileError, "\(name): \(value)")
            #expect(
                await service.request("POST", "people", .object([.init("uid", "new"), .init(name, value)])).status
                    == 400)
        }
        #expect(await service.request("GET", "people/tom.evans").body == old.body)
        #expect(await service.request("GET", "people/new").status == 404)
    }

    @Test("No name stands twice in an answer")
    func repetition() async throws {
        let service = try await ServiceUnderTest()
        let names = ["uri", "reports", "ownerOf", "links", "attributes", "personOwner"]
        try await service.directory.unrestricted.attributes.declare(
            names.map { AttributeDefinition(AttributeName($0)) })
        let id = try await service.directory.unrestricted.users.user("ren.watanabe").id
        try await service.directory.unrestricted.awaitWrite { session in
            let changes = names.map { AttributeChange.set(AttributeName($0), "mine") }
            _ = try session.users.modify(.id(id), changes, ifVersion: nil)
        }
        for path in [
            "people/ren.watanabe", "people/ren.watanabe?attrsToFetch=uid,uid,mail,uri,reports,reports,uid",
            "people/ren.watanabe?prefetch=manager,manager,reports", "people?searchparam.uid=ren.watanabe",
            "/mobile/platform/users/~",
        ] {
            let answer = await service.request("GET", path, as: .person)
            #expect(answer.status == 200 && answer.body != .null, "\(path): \(answer.text)")
            #expect(Set(answer.body.names).count == answer.body.names.count, "\(path)")
        }
    }
}
