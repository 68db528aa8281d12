import Roster
import RosterREST
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("People of the profile service", .inBothForms)
struct ProfilePeopleTests {
    @Test("A person is created with 201, a place and the entity")
    func creation() async throws {
        let service = try await ServiceUnderTest()
        let body: JSONValue = [
            "uid": "John", "firstname": "John", "lastname": "Anderson", "commonname": "John Anderson",
            "description": "test user", "mail": "john@example.com", "manager": "haruka.ito",
        ]
        let created = await service.request("POST", "people/", body)
        #expect(created.status == 201)
        #expect(created.header("Location") == "https://id.example.com/oic_rest/rest/userprofile/people/John")
        #expect(created.header("ETag") == "W/\"1\"")
        for name in ["uid", "firstname", "lastname", "commonname", "description", "mail"] {
            #expect(created[name] == body[name], "\(name)")
        }
        #expect(created["uri"] == "/oic_rest/rest/userprofile/people/John")
        #expect(created["manager"] == ["uri": "/oic_rest/rest/userprofile/people/John/manager"])
        for relation in ["reports", "memberOf", "ownerOf"] {
            #expect(created[relation]?["uri"]?.text == "/oic_rest/rest/userprofile/people/John/\(relation)")
        }
        let read = await service.request("GET", "people/John/")
        #expect(read.status == 200)
        #expect(read.body == created.body)
        #expect(await service.request("GET", "people/John/manager").names == ["haruka.ito"])
    }

    @Test("A name is found whatever its case and width, and by the identifier")
    func lookUp() async throws {
        let service = try await ServiceUnderTest()
        let read = await service.request("GET", "people/ren.watanabe")
        let guid = try #require(read["guid"]?.text)
        for name in ["REN.Watanabe", "ｒｅｎ.watanabe", guid] {
            #expect(
                await service.request("GET", "people/" + PercentEncoding.segment(name)).body == read.body, "\(name)")
        }
        #expect(await service.request("GET", "people/ren.watanab").status == 404)
    }

    @Test("A user reads their own profile at the address of Mobile and Social's OAuth service, and a program has none")
    func ownProfile() async throws {
        let service = try await ServiceUnderTest()
        let path = "/ms_oauth/resources/userprofile/me"
        let mine = await service.request("GET", path, as: .person)
        #expect(mine.status == 200 && mine["uid"]?.text == ServiceUnderTest.engineer, "\(mine.text)")
        #expect(mine["uri"]?.text == "/oic_rest/rest/userprofile/people/\(ServiceUnderTest.engineer)")
        let some = await service.request("GET", path + "?attrsToFetch=mail", as: .person)
        #expect(some["mail"] != nil && some["firstname"] == nil, "\(some.text)")
        #expect(await service.request("GET", path, as: .provisioning).status == 404)
    }

    @Test("A name that somebody has, in whichever spelling, is refused with 409 and writes nothing")
    func duplicates() async throws {
        let service = try await ServiceUnderTest()
        let before = try await service.lastChange()
        for name in ["ren.watanabe", "REN.WATANABE", "Ｒen.Watanabe"] {
            let answer = await service.request("POST", "people", ["uid": .string(name), "title": "Impostor"])
            #expect(answer.status == 409 && answer.isProfileError, "\(name)")
        }
        #expect(try await service.lastChange() == before)
        _ = await service.request("POST", "people", ["uid": "straße"])
        #expect(await service.request("POST", "people", ["uid": "STRASSE"]).status == 409)
    }

    @Test(
        "Names with any characters that a name can have come back by their links",
        arguments: [
            "a b", "50%", "a%41b", "ä ö", "渡辺 蓮", "~a", "a?b#c", "a:b=c", "me", "a+b", "people", "&=", "\"q\"", "😀",
            "...", "a@example.com", "*", "changes", "1", "null",
        ])
    func names(name: String) async throws {
        let service = try await ServiceUnderTest()
        let created = await service.request("POST", "people", ["uid": .string(name), "manager": "haruka.ito"])
        try #require(created.status == 201, "\(created.text)")
        let uri = try #require(created["uri"]?.text)
        // Clients and proxies take such segments out of a path.
        #expect(!uri.hasSuffix("/.") && !uri.hasSuffix("/.."))
        #expect(created.header("Location") == "https://id.example.com" + uri)
        let read = await service.request("GET", uri)
        #expect(read.status == 200 && read["uid"]?.text == name)
        #expect(await service.request("GET", uri + "/manager").names == ["haruka.ito"])
        #expect(await service.request("PUT", uri, ["title": "x"])["title"] == "x")
        let report = await service.request("POST", "people", ["uid": "report", "manager": .string(name)])
        #expect(report.status == 201, "\(report.text)")
        #expect(await service.request("GET", uri + "/reports").names == ["report"])
        #expect(await service.request("PUT", "people/report", ["manager": .null]).status == 200)
        #expect(
            await service.request("POST", uri + "/reports", ["report-uri": "report", "manager-uri": .string(uri)])
                .status == 201)
        #expect(await service.request("DELETE", uri + "?reportees=leave").status == 204)
        #expect(await service.request("GET", uri).status == 404)
    }

    @Test("Modifying changes the named attributes only; null and empty text clear")
    func modification() async throws {
        let service = try await ServiceUnderTest()
        let old = await service.request("GET", "people/ren.watanabe")
        let answer = await service.request(
            "PUT", "people/ren.watanabe",
            ["title": "Chief", "mail": .null, "lastname": "", "badge": "", "manager": ""])
        #expect(answer.status == 200)
        #expect(answer["title"] == "Chief")
        for name in ["mail", "lastname", "badge"] { #expect(answer[name] == nil, "\(name)") }
        for name in ["uid", "guid", "firstname", "commonname", "country", "preferredlanguage", "created"] {
            #expect(answer[name] == old[name] && answer[name] != nil, "\(name)")
        }
        #expect(await service.request("GET", "people/ren.watanabe/manager").names == [])
        #expect(await service.request("PUT", "people/ren.watanabe", [:]).status == 200)
    }

    @Test("What was read can be sent back as it is, and changes nothing")
    func roundTrip() async throws {
        let service = try await ServiceUnderTest()
        for name in ["ren.watanabe", "emma.mueller", "ilse.brandt", "post.hr-2"] {
            let read = await service.request("GET", "people/\(name)")
            let back = await service.request("PUT", "people/\(name)", read.body)
            #expect(back.status == 200)
            #expect(back.body == read.body && back.header("ETag") == read.header("ETag"), "\(name)")
        }
    }

    @Test("A disabled account does not come back by being left without a value")
    func activity() async throws {
        let service = try await ServiceUnderTest()
        for value in [.null, "", [], "maybe", [true, true], 1] as [JSONValue] {
            #expect(await service.request("PUT", "people/matthias.schmidt", ["active": value]).status == 400)
            #expect(await service.request("POST", "people", ["uid": "new", "active": value]).status == 400)
        }
        #expect(await service.request("GET", "people/matthias.schmidt")["active"] == false)
        #expect(await service.request("PUT", "people/matthias.schmidt", ["active": true])["active"] == true)
        #expect(await service.request("POST", "people", ["uid": "new", "active": [true]])["active"] == true)
    }

    @Test("A manager given by anything but the name or URI of a person is refused")
    func managers() async throws {
        let service = try await ServiceUnderTest()
        for value in ["nobody.there", "/oic_rest/rest/userprofile/groups/sales", "http://x/", "people/x/y"]
            as [JSONValue]
        {
            #expect(await service.request("PUT", "people/tom.evans", ["manager": value]).status == 404, "\(value)")
        }
        for value in [1, true, ["haruka.ito"]] as [JSONValue] {
            #expect(await service.request("PUT", "people/tom.evans", ["manager": value]).status == 400, "\(value)")
        }
        #expect(await service.request("GET", "people/tom.evans/manager").names == ["joerg.muench"])
        for value in [
            "haruka.ito", "/oic_rest/rest/userprofile/people/ILSE.brandt", "https://x.example/people/peter.ng/",
        ] {
            #expect(await service.request("PUT", "people/tom.evans", ["manager": .string(value)]).status == 200)
        }
        #expect(await service.request("GET", "people/tom.evans/manager").names == ["peter.ng"])
    }

    @Test("Deleting is empty and final; of a manager it needs a word about the reportees")
    func deletion() async throws {
        let service = try await ServiceUnderTest()
        let refused = await service.request("DELETE", "people/haruka.ito")
        #expect(refused.status == 409 && refused.isProfileError)
        #expect(await service.request("DELETE", "people/haruka.ito?reportees=eat").status == 400)
        #expect(
            refused["message"]?.text?.contains("?reportees=reassign") == true
                && refused["message"]?.text?.contains("?reportees=leave") == true, "\(refused.text)")
        let done = await service.request("DELETE", "people/haruka.ito?reportees=reassign")
        #expect(done.status == 204 && done.bytes.isEmpty)
        #expect(await service.request("GET", "people/haruka.ito").status == 404)
        #expect(await service.request("DELETE", "people/haruka.ito").status == 404)
        #expect(await service.request("GET", "people/ren.watanabe/manager").names == ["yuki.tanaka"])
    }

    @Test("The last administrator can be neither deleted nor disabled nor taken out of the role")
    func lastAdministrator() async throws {
        let service = try await ServiceUnderTest()
        #expect(await service.request("DELETE", "people/root").status == 409)
        #expect(await service.request("PUT", "people/root", ["active": false]).status == 409)
        #expect(await service.request("DELETE", "people/root/memberOf/administrators").status == 409)
        #expect(await service.request("DELETE", "groups/administrators").status == 409)
        #expect(await service.request("GET", "people/root")["active"] == true)
    }
}
