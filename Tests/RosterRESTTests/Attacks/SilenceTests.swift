import Foundation
import Roster
import RosterREST
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("What a request gives is kept or refused, over HTTP")
struct SilenceTests {
    @Test("An unknown parameter of a change under /admin is refused, and nothing is changed")
    func parameters() async throws {
        let service = try await ServiceUnderTest()
        let csv = Array("uid,givenName\nzoe.test,Zoe\n".utf8)
        let answer = await service.send(
            "POST", "/admin/import?format=csv&dryrun=true", service.authorization(.administrator), csv,
            headers: [("Content-Type", "text/csv")])
        #expect(answer.status == 400 && answer.text.contains("dryrun"), "\(answer.text)")
        #expect(try await service.directory.unrestricted.users.find("zoe.test") == nil)
        let preview = await service.request("POST", "/admin/batches/1/undo?Preview=true")
        #expect(preview.status == 400 && preview.text.contains("'preview'"), "\(preview.text)")
    }

    @Test("Only the readers and writers of a role's built-in attribute change; the user's attribute of that name stays")
    func builtInOfRole() async throws {
        let service = try await ServiceUnderTest()
        let changes: [(String, JSONValue)] = [
            ("mail", ["maximumLength": 60]), ("mail", ["unique": true]), ("organization", ["indexed": true]),
            ("mail", ["readers": "administrators", "maximumLength": 70]),
        ]
        let before = await service.request("GET", "/admin/attributes").body
        for (name, change) in changes {
            var change = change
            change["of"] = "role"
            let answer = await service.request("PUT", "/admin/attributes/\(name)", change)
            #expect(answer.status == 400 && answer.text.contains("of roles"), "\(change.written): \(answer.text)")
        }
        #expect(await service.request("GET", "/admin/attributes").body == before)
        let readers: JSONValue = ["of": "role", "readers": "administrators"]
        #expect(await service.request("PUT", "/admin/attributes/mail", readers).status == 200)
    }

    @Test("A change of a backend sets no identifier and no secret, and a new key names its algorithm")
    func secrets() async throws {
        let service = try await ServiceUnderTest()
        let made = await service.request("POST", "/admin/backends", ["name": "shop"])
        let path = "/admin/backends/" + (try #require(made["id"]?.text))
        let stored = await service.request("GET", path).body
        for (name, value) in [("client_secret", "n"), ("client_id", "mine"), ("backend_id", "mine")] {
            var body = stored
            body[name] = .string(String(repeating: value, count: 40))
            #expect(await service.request("PUT", path, body).status == 400, "\(name)")
        }
        #expect(await service.request("PUT", path, stored).status == 200, "what was read is written back")
        for body: JSONValue in [["alg": "EdDSA"], ["Algorithm": "RS256"], ["algorithm": 5]] {
            #expect(await service.request("POST", "/admin/keys", body).status == 400, "\(body.written)")
        }
    }

    @Test(
        "A relation among a person's attributes is refused, the link that was read changes nothing, and a manager can be an object"
    )
    func relations() async throws {
        let service = try await ServiceUnderTest()
        let path = "/profile/v1/people/emma.mueller"
        let (read, users) = (await service.request("GET", path).body, service.directory.unrestricted.users)
        #expect(read["uri"]?.text == path && read["manager"]?["uri"]?.text == path + "/manager", "\(read.written)")
        let before = (try await users.user("emma.mueller").attributes, try await users.manager(of: "emma.mueller")?.id)
        #expect(await service.request("PUT", path, read).status == 200, "what was read is written back")
        #expect(try await users.manager(of: "emma.mueller")?.id == before.1)
        #expect(try await users.user("emma.mueller").attributes["title"] == before.0["title"])
        for name in ["memberOf", "reports"] {
            for value: JSONValue in [["staff"], "staff", .null, ["uri": "/profile/v1/groups/staff"]] {
                let answer = await service.request("PUT", path, .object([.init(name, value)]))
                #expect(answer.status == 400 && answer.text.contains("/\(name)"), "\(value.written): \(answer.text)")
            }
        }
        for wrong: JSONValue in [["uid": "kenji.sato"], ["uri": "/profile/v1/people/tom.evans/manager"]] {
            #expect(await service.request("PUT", path, ["manager": wrong]).status == 400, "\(wrong.written)")
        }
        let manager: JSONValue = ["manager": ["uri": "/oic_rest/rest/userprofile/people/kenji.sato"]]
        #expect(await service.request("PUT", path, manager).status == 200)
        #expect(try await service.directory.unrestricted.users.manager(of: "emma.mueller")?.uid == "kenji.sato")
    }

    @Test("Two names of one attribute with different values are refused")
    func twoValues() async throws {
        let path = "/mobile/platform/users/~"
        let service = try await ServiceUnderTest()
        let different: JSONValue = ["firstName": "A", "givenName": "B"]
        let answer = await service.request("PUT", path, different)
        #expect(answer.status == 400 && answer.text.contains("two values"), "\(answer.text)")
        let same: JSONValue = ["firstName": "A", "givenName": "A"]
        #expect(await service.request("PUT", path, same).status == 200)
    }

    @Test("The parts of addresses have their types by each interface, and what is stored can be written back by SCIM")
    func parts() async throws {
        let service = try await ServiceUnderTest()
        let path = "/forms/emma.mueller"
        let wrong: [JSONValue] = [
            ["value": "a@example.com", "type": 5], ["value": true], ["value": "a@example.com", "primary": "yes"],
        ]
        for element in wrong {
            let answer = await service.request("PUT", path, ["emails": .array([element])])
            #expect(answer.status == 400 && answer.text.contains("emails"), "\(element.written): \(answer.text)")
        }
        for element: JSONValue in [["value": "1", "typ": "home"], ["value": "1", "VALUE": "2"], ["foo": "x"]] {
            let answer = await service.request("PUT", path, ["phoneNumbers": .array([element])])
            #expect(answer.status == 400 && answer.text.contains("phoneNumbers"), "\(element.written): \(answer.text)")
        }
        #expect(await service.request("PUT", path, ["badge": .decimal(9_007_199_254_740_992)]).status == 400)
        #expect(await service.request("PUT", path, ["addresses": ["1 Main St"], "badge": .decimal(77)]).status == 200)
        let right: JSONValue = ["phoneNumbers": [["VALUE": 49_171_555, "type": "work", "primary": "true"]]]
        #expect(await service.request("PUT", path, right).status == 200)
        let id = try await service.directory.unrestricted.users.user("emma.mueller").id
        let resource = await service.request("GET", "/scim/v2/Users/\(id)").body
        let phone = resource["phoneNumbers"]?.elements.first
        #expect(phone?["value"] == "49171555" && phone?["primary"] == true, "\(resource.written)")
        #expect(await service.request("PUT", "/scim/v2/Users/\(id)", resource).status == 200)
    }

    @Test("A misspelled member of an operation is refused, so that 'remove' does not remove all members")
    func misspelled() async throws {
        let service = try await ServiceUnderTest()
        let id = try await service.directory.unrestricted.roles.role("engineering").id
        func patch(_ operation: JSONValue) -> JSONValue {
            ["schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], "Operations": .array([operation])]
        }
        let before = await service.request("GET", "/scim/v2/Groups/\(id)").body
        #expect(before["members"]?.elements.isEmpty == false)
        let wrong = patch(["op": "remove", "path": "members", "valeu": [["value": "1"]]])
        let answer = await service.request("PATCH", "/scim/v2/Groups/\(id)", wrong)
        #expect(answer.status == 400 && answer.text.contains("'value'"), "\(answer.text)")
        let bulk: JSONValue = [
            "schemas": ["urn:ietf:params:scim:api:messages:2.0:BulkRequest"],
            "Operations": [["method": "DELETE", "path": .string("/Groups/\(id)"), "versoin": "W/\"0\""]],
        ]
        #expect(await service.request("POST", "/scim/v2/Bulk", bulk).status == 400)
        #expect(await service.request("GET", "/scim/v2/Groups/\(id)").body == before)
        let others = patch(["op": "replace", "path": "displayName", "value": "Makers", "comment": "ours"])
        #expect(await service.request("PATCH", "/scim/v2/Groups/\(id)", others).status < 300)
    }

    @Test("A change of what has no version is refused if it is for one version only")
    func precondition() async throws {
        let service = try await ServiceUnderTest()
        func change(_ field: String) async -> Answer {
            await service.send(
                "PUT", "/admin/branding", service.authorization(.administrator), Array(#"{"name": "Example"}"#.utf8),
                headers: [("Content-Type", "application/json"), ("If-Match", field)])
        }
        #expect(await change("W/\"1\"").status == 412)
        #expect(await service.request("GET", "/branding").body["name"]?.text != "Example")
        #expect(await change("*").status == 200)
    }

    @Test("A condition on the version of a collection is refused, and nothing is made")
    func preconditionOfCollection() async throws {
        let service = try await ServiceUnderTest()
        let answer = await service.send(
            "POST", "/profile/v1/people", service.authorization(.administrator), Array(#"{"uid": "new"}"#.utf8),
            headers: [("Content-Type", "application/json"), ("If-Match", "W/\"1\"")])
        #expect(answer.status == 412)
        #expect(await service.request("GET", "/profile/v1/people/new").status == 404)
    }

    @Test(
        "A misspelled condition of a search of profiles does not find everybody",
        arguments: ["searchparm.uid=ren*", "uid=ren*", "pagesise=5", "searchparam.uid=ren*&attrsToFetsh=uid"])
    func unknownParameter(query: String) async throws {
        let service = try await ServiceUnderTest()
        let answer = await service.request("GET", "/profile/v1/people?" + query)
        #expect(answer.status == 400 && answer.text.contains("no parameter"), "\(answer.text)")
        #expect(
            await service.request("GET", "/profile/v1/people?searchparam.uid=ren*&pageposition=1&pagesize=5").status
                == 200)
    }
}
