import Foundation
import Roster
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("A reading program's token names what the program reads", .inBothForms)
struct ReadingTokenTests {
    private struct Wiki {
        let service: ServiceUnderTest
        let token: String
        let made: Answer

        init(_ more: JSONValue = [:]) async throws {
            service = try await ServiceUnderTest()
            let view = service.directory.unrestricted
            for name in ["readers", "authors", "secret"] { try await view.roles.create(name) }
            try await view.roles.add([.user(.named(ServiceUnderTest.engineer)), .role("authors")], to: "readers")
            try await view.roles.add([.user(.named(ServiceUnderTest.engineer))], to: "secret")
            try await view.roles.add([.user("tom.evans")], to: "authors")
            let body: JSONValue = [
                "name": "the wiki", "role": "reading", "attributes": ["userName", "mail", "memberOf"],
                "members_of": "Readers",
            ]
            made = await service.request("POST", "/admin/tokens", .object(body.members + more.members))
            token = made["token"]?.text ?? ""
        }

        func get(_ path: String) async -> Answer { await service.send("GET", path, "Bearer " + token) }
    }

    @Test("It is made with the directory's names of the attributes, and shown without its text")
    func making() async throws {
        let wiki = try await Wiki(["networks": ["2001:DB8::/32", "127.0.0.1"]])
        #expect(wiki.made.status == 201, "\(wiki.made.text)")
        let list = await wiki.service.request("GET", "/admin/tokens")
        let entry = try #require(list["tokens"]?.elements.first { $0["name"] == "the wiki" })
        #expect(entry["attributes"]?.texts == ["mail", "memberOf", "uid"])
        #expect(entry["members_of"] == "readers")
        #expect(entry["networks"]?.texts == ["2001:db8::/32", "127.0.0.1"])
    }

    @Test("By SCIM the program finds the members with what it may read, and their roles in its view")
    func scim() async throws {
        let wiki = try await Wiki()
        let all = await wiki.get("/scim/v2/Users")
        #expect(all.status == 200, "\(all.text)")
        #expect(all["totalResults"] == 2)
        let people = all["Resources"]?.elements ?? []
        #expect(people.compactMap { $0["userName"]?.text }.sorted() == [ServiceUnderTest.engineer, "tom.evans"])
        let allowed: Set = ["schemas", "id", "userName", "active", "emails", "groups", "roles", "meta"]
        for person in people {
            #expect(Set(person.members.map(\.name)).isSubset(of: allowed), "\(person)")
            #expect(person["emails"]?.elements.isEmpty == false)
            let groups = (person["groups"]?.elements ?? []).compactMap { $0["display"]?.text }
            #expect(Set(groups).isSubset(of: ["readers", "authors"]) && groups.contains("readers"), "\(groups)")
        }
        let groups = await wiki.get("/scim/v2/Groups")
        let names = (groups["Resources"]?.elements ?? []).compactMap { $0["displayName"]?.text }
        #expect(names == ["readers", "authors"])
        let kenji = try await wiki.service.directory.unrestricted.users.user("kenji.sato")
        #expect(await wiki.get("/scim/v2/Users/\(kenji.id)").status == 404)
        for (filter, status, count) in [
            ("userName eq \"kenji.sato\"", 200, 0), ("userName sw \"t\"", 200, 1), ("title pr", 400, 0),
            ("userName eq \"tom.evans\" or displayName pr", 400, 0), ("groups.display eq \"secret\"", 200, 0),
        ] {
            let query = filter.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            let found = await wiki.get("/scim/v2/Users?filter=\(query)")
            #expect(found.status == status, "\(filter): \(found.text)")
            if status == 200 { #expect(found["totalResults"] == .integer(Int64(count)), "\(filter)") }
        }
    }

    @Test("Everything else is refused, by every interface")
    func refusals() async throws {
        let wiki = try await Wiki()
        for path in [
            "/oic_rest/rest/userprofile/people", "/oic_rest/rest/userprofile/people/tom.evans", "/admin/tokens",
            "/metrics",
            "/admin/attributes", "/forms/attributes", "/oic_rest/rest/userprofile/changes",
            "/scim/v2/Users?matching=tom",
        ] {
            let answer = await wiki.get(path)
            #expect(answer.status == 403, "\(path): \(answer.text)")
        }
    }

    @Test("The program's operations are those of the client library that look at its view")
    func operations() async throws {
        let wiki = try await Wiki()
        func send(_ name: String, _ body: JSONValue) async -> Answer {
            await wiki.service.send("POST", "/directory/v1/\(name)", "Bearer " + wiki.token, body.bytes)
        }
        let count = await send("countUsers", ["filter": ["everything": [:]]])
        #expect(count.status == 200, "\(count.text)")
        #expect(count["answer"] == 2, "\(count.text)")
        let last = await send("lastChange", ["isForAdministrators": false])
        #expect(last.status == 403, "\(last.text)")
    }

    @Test("From another network the token is as good as a wrong one")
    func networks() async throws {
        let wiki = try await Wiki(["networks": ["198.51.100.0/24"]])
        #expect(await wiki.get("/scim/v2/Users").status == 401)
    }

    @Test("What cannot be read is refused when the token is made")
    func mistakes() async throws {
        let service = try await ServiceUnderTest()
        let mistakes: [(JSONValue, Int)] = [
            (["role": "reading"], 400), (["role": "reading", "attributes": []], 400),
            (["role": "reading", "attributes": ["pasword"]], 400),
            (["role": "reading", "attributes": ["password"]], 400),
            (["role": "reading", "attributes": ["externalId"]], 400),
            (["role": "reading", "attributes": ["street"]], 400),
            (["role": "reading", "attributes": "mail"], 400), (["role": "reading", "attributes": [1]], 400),
            (["role": "reading", "attributes": ["mail"], "members_of": "nobody"], 404),
            (["role": "reading", "attributes": ["mail"], "members_of": 7], 400),
            (["role": "reading", "attributes": ["mail"], "source": "entra"], 400),
            (["role": "reading", "attributes": ["mail"], "networks": ["everywhere"]], 400),
            (["role": "monitoring", "attributes": ["mail"]], 400),
            (["role": "provisioning", "members_of": "staff"], 400),
        ]
        for (body, status) in mistakes {
            let body = JSONValue.object([.init("name", "x")] + body.members)
            let answer = await service.request("POST", "/admin/tokens", body)
            #expect(answer.status == status, "\(body): \(answer.text)")
        }
        #expect(await service.request("GET", "/admin/tokens").text.contains("\"x\"") == false)
    }
}
