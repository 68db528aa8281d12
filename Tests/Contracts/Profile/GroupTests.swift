import RosterREST
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Groups of the profile service", .inBothForms)
struct ProfileGroupTests {
    @Test("A group is created, read, modified and deleted")
    func life() async throws {
        let service = try await ServiceUnderTest()
        let created = await service.request(
            "POST", "groups/",
            ["commonname": "Night Shift", "description": "after ten", "mail": "night@example.com", "org": "N"])
        #expect(created.status == 201)
        #expect(created.header("Location") == "https://id.example.com/oic_rest/rest/userprofile/groups/Night%20Shift")
        #expect(created["uri"] == "/oic_rest/rest/userprofile/groups/Night%20Shift")
        for relation in ["members", "personOwner", "groupOwner", "groupMemberOf", "groupMembers", "groupOwnerOf"] {
            #expect(created[relation]?["uri"]?.text == "\(created["uri"]?.text ?? "")/\(relation)")
        }
        let uri = try #require(created["uri"]?.text)
        #expect(await service.request("GET", uri).body == created.body)
        #expect(await service.request("GET", "groups/NIGHT%20shift").body == created.body)
        let modified = await service.request("PUT", uri, ["description": .null, "displayname": "Nights", "org": ""])
        #expect(modified.status == 200)
        #expect(modified["description"] == nil && modified["org"] == nil)
        #expect(modified["displayname"] == "Nights" && modified["mail"] == "night@example.com")
        let renamed = await service.request("PUT", uri, ["commonname": "late"])
        #expect(renamed["uri"] == "/oic_rest/rest/userprofile/groups/late" && renamed["guid"] == created["guid"])
        #expect(await service.request("GET", uri).status == 404)
        #expect(await service.request("DELETE", "groups/late").status == 204)
        #expect(await service.request("GET", "groups/late").status == 404)
        #expect(await service.request("DELETE", "groups/late").status == 404)
    }

    @Test("A group's name that is taken, empty or missing is refused")
    func names() async throws {
        let service = try await ServiceUnderTest()
        for name in ["sales", "SALES", "ｓales"] {
            #expect(await service.request("POST", "groups", ["commonname": .string(name)]).status == 409)
        }
        #expect(await service.request("PUT", "groups/finance", ["commonname": "Sales"]).status == 409)
        for body in [[:], ["commonname": ""], ["commonname": .null], ["commonname": "\u{1}"], ["description": "x"]]
            as [JSONValue]
        {
            #expect(await service.request("POST", "groups", body).status == 400, "\(body)")
        }
        #expect(await service.request("PUT", "groups/finance", ["commonname": .null]).status == 400)
        #expect(await service.request("PUT", "groups/finance", ["password": "whatever it is"]).status == 400)
    }

    @Test(
        "Groups with any name come back by their links, and their members too",
        arguments: ["a@b", "50%", "渡辺", "~a", "...", "a?b", "groups", "x:y"])
    func links(name: String) async throws {
        let service = try await ServiceUnderTest()
        let created = await service.request("POST", "groups", ["commonname": .string(name)])
        try #require(created.status == 201)
        let uri = try #require(created["uri"]?.text)
        #expect(await service.request("GET", uri)["commonname"]?.text == name)
        let added = await service.request(
            "POST", "people/tom.evans/memberOf", ["group-uri": .string("https://h.example" + uri)])
        #expect(added.status == 201, "\(added.text)")
        #expect(await service.request("GET", uri + "/members").names == ["tom.evans"])
    }

    @Test("What was read of a group can be sent back as it is, and changes nothing")
    func roundTrip() async throws {
        let service = try await ServiceUnderTest()
        let read = await service.request("GET", "groups/everyone")
        let back = await service.request("PUT", "groups/everyone", read.body)
        #expect(back.status == 200 && back.body == read.body && back.header("ETag") == read.header("ETag"))
    }

    @Test("A person and a group may have one name, and each is itself")
    func sharedNames() async throws {
        let service = try await ServiceUnderTest()
        _ = await service.request("POST", "people", ["uid": "sales"])
        #expect(await service.request("GET", "people/sales")["uid"] == "sales")
        #expect(await service.request("GET", "groups/sales")["commonname"] == "sales")
        // The group first, then the person: removing takes exactly one each.
        let groups = ServiceUnderTest.base + "/groups/", people = ServiceUnderTest.base + "/people/"
        for uri in [groups + "sales", people + "sales"] {
            #expect(await service.request("POST", "groups/on-call/members", ["member-uri": .string(uri)]).status == 201)
        }
        #expect(await service.request("DELETE", "groups/on-call/members/sales").status == 204)
        #expect(await service.request("GET", "groups/on-call/groupMembers/sales").status == 200)
        #expect(await service.request("GET", "people/sales/memberOf").names == [])
        #expect(await service.request("DELETE", "groups/on-call/members/sales").status == 204)
        #expect(await service.request("GET", "groups/on-call/groupMembers/sales").status == 404)
        #expect(await service.request("DELETE", "groups/on-call/members/sales").status == 404)
    }
}
