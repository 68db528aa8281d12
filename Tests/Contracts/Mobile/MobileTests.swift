import Roster
import RosterREST
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("The mobile platform's users", .inBothForms)
struct MobileTests {
    static let base = "/mobile/platform/users"

    @Test("Everyone reads their own profile, by ~ and by their own name")
    func reading() async throws {
        let service = try await ServiceUnderTest()
        let answer = await service.request("GET", Self.base + "/~", as: .person)
        #expect(answer.status == 200)
        #expect(answer["username"] == "ren.watanabe" && answer["email"] == "ren.watanabe@nordwind.example")
        #expect(answer["firstName"] == "蓮" && answer["lastName"] == "渡辺" && answer["badge"] == 27)
        let profile = await service.request("GET", "people/ren.watanabe")
        #expect(answer["id"] == profile["guid"] && answer.header("ETag") == profile.header("ETag"))
        #expect(answer["attributes"]?["title"] == "Engineer")
        #expect(answer["links"]?.elements.first?["href"]?.text == Self.base + "/ren.watanabe")
        for name in ["ren.watanabe", "REN.Watanabe", profile["guid"]?.text ?? ""] {
            #expect(await service.request("GET", "\(Self.base)/\(name)", as: .person).body == answer.body)
        }
        let href = try #require(answer["links"]?.elements.first?["href"]?.text)
        #expect(await service.request("GET", href, as: .person).body == answer.body)
    }

    @Test("fields picks, and nothing else comes")
    func fields() async throws {
        let service = try await ServiceUnderTest()
        let picked = await service.request("GET", Self.base + "/~?fields=firstName,lastName,%20email", as: .person)
        #expect(picked.body.names == ["firstName", "lastName", "email"])
        #expect(
            await service.request("GET", Self.base + "/~?fields=attributes", as: .person).body.names == ["attributes"])
        #expect(await service.request("GET", Self.base + "/~?fields=none", as: .person).text == "{}")
        #expect(
            await service.request("GET", Self.base + "/me?fields=userName,roles", as: .person)["userName"]
                == "ren.watanabe")
        #expect(await service.request("GET", Self.base + "/~?fields=id&fields=email", as: .person).status == 400)
    }

    @Test("/me is SCIM's form with roles")
    func me() async throws {
        let service = try await ServiceUnderTest()
        let me = await service.request("GET", Self.base + "/me", as: .person)
        #expect(me.status == 200 && me["userName"] == "ren.watanabe")
        #expect(me["schemas"]?.elements.contains("urn:ietf:params:scim:schemas:core:2.0:User") == true)
        #expect(
            me["groups"]?.elements.contains { $0["display"] == "Platform team" || $0["display"] == "platform" } == true)
        #expect(me.text.contains("password") == false)
    }

    @Test("/login answers as /me, and the extended profile has the names of all roles besides")
    func signingIn() async throws {
        let service = try await ServiceUnderTest()
        let me = await service.request("GET", Self.base + "/me", as: .person)
        #expect(await service.request("GET", Self.base + "/login", as: .person).body == me.body)
        let plain = await service.request("GET", Self.base + "/~", as: .person)
        let path = "/mobile/platform/extended/users"
        let extended = await service.request("GET", path + "/~", as: .person)
        #expect(extended.status == 200 && extended.body.names == plain.body.names + ["roles"], "\(extended.text)")
        #expect(extended["roles"]?.texts.contains("platform") == true, "\(extended.text)")
        #expect(await service.request("GET", path + "/ren.watanabe?fields=roles", as: .person).body.names == ["roles"])
        #expect(await service.request("GET", path + "/tom.evans", as: .person).status == 403)
        #expect(await service.request("GET", path + "/~", as: .provisioning).status == 404)
        #expect(await service.request("PUT", path + "/~", as: .person, ["languages": "de"]).status == 405)
    }

    @Test(
        "Nobody gets another one's profile, or learns whether there is one; programs have none",
        arguments: ["GET", "PUT", "PATCH"])
    func others(method: String) async throws {
        let service = try await ServiceUnderTest()
        let body: JSONValue? = method == "GET" ? nil : ["languages": "de"]
        var bodies: Set<JSONValue> = []
        for name in ["tom.evans", "nobody.there", "root", "%7E%7E", "haruka.ito"] {
            let answer = await service.request(method, "\(Self.base)/\(name)", as: .person, body)
            #expect(answer.status == 403, "\(name)")
            bodies.insert(.array([answer["detail"] ?? .null, answer["o:errorCode"] ?? .null]))
        }
        #expect(bodies.count == 1)
        for client in [Client.provisioning, .tokenAdministrator] {
            for name in ["~", "tom.evans"] {
                #expect(await service.request(method, "\(Self.base)/\(name)", as: client, body).status == 404)
            }
        }
        #expect(await service.request("GET", Self.base + "/me", as: .provisioning).status == 404)
        // An administrator has a profile of their own and no other here.
        #expect(await service.request(method, Self.base + "/tom.evans", as: .administrator, body).status == 403)
        #expect(await service.request("GET", Self.base + "/~", as: .monitoring).status == 403)
        for client in Client.notLetIn {
            #expect(await service.request(method, Self.base + "/~", as: client, body).status == 401)
        }
    }

    @Test("Properties of one's own are written, one by one and all together", arguments: ["PUT", "PATCH"])
    func writing(method: String) async throws {
        let service = try await ServiceUnderTest()
        let old = await service.request("GET", Self.base + "/~", as: .person)
        let answer = await service.request(method, Self.base + "/~", as: .person, ["languages": ["ja", "en"]])
        #expect(answer.status == 200 && answer["languages"] == ["ja", "en"], "\(answer.text)")
        #expect(answer["firstName"] == old["firstName"] && answer["badge"] == old["badge"])
        let same = await service.request("GET", "people/ren.watanabe", as: .person)
        #expect(same["languages"] == ["ja", "en"] && same.header("ETag") == answer.header("ETag"))
        let stale = [("If-Match", old.header("ETag") ?? "")]
        let lost = await service.request(method, Self.base + "/~", as: .person, ["languages": "de"], headers: stale)
        #expect(lost.status == 412)
        for empty in [.null, "", []] as [JSONValue] {
            _ = await service.request(method, Self.base + "/~", as: .person, ["languages": "de"])
            let cleared = await service.request(method, Self.base + "/ren.watanabe", as: .person, ["languages": empty])
            #expect(cleared.status == 200 && cleared["languages"] == nil, "\(empty)")
        }
    }

    @Test("What is not one's own to write is refused, and nothing of the rest is written")
    func refused() async throws {
        let service = try await ServiceUnderTest()
        let before = await service.request("GET", "people/ren.watanabe").body
        let bodies: [(JSONValue, Int)] = [
            (["firstName": "x"], 403), (["email": "x@example.com"], 403), (["badge": 1], 403),
            (["title": "Chief"], 403),
            (["uid": "root"], 403), (["active": false], 403), (["manager": "ilse.brandt"], 403),
            (["memberOf": ["administrators"]], 403), (["version": 9], 403), (["password": "a long new password"], 400),
            (["isAdmin": true], 400), (["passwordHash": "$scrypt$"], 400), (["roles": ["administrators"]], 400),
            (["externalId": "x"], 403), (["guid": "x"], 400), (["languages": ["a": 1]], 400),
        ]
        for (body, status) in bodies {
            for method in ["PUT", "PATCH"] {
                var both = body
                if both["languages"] == nil { both["languages"] = "xx" }
                let answer = await service.request(method, Self.base + "/~", as: .person, both)
                #expect(answer.status == status, "\(body): \(answer.text)")
            }
        }
        #expect(await service.request("GET", "people/ren.watanabe").body == before)
        #expect(await service.request("GET", "groups/administrators/members").names == ["root"])
    }

    @Test("What was read can be sent back, without what others write")
    func identity() async throws {
        let service = try await ServiceUnderTest()
        let read = await service.request("GET", Self.base + "/~", as: .administrator)
        let back = await service.request("PUT", Self.base + "/~", as: .administrator, read.body)
        #expect(back.status == 200 && back.body == read.body && back.header("ETag") == read.header("ETag"))
    }

    @Test("Errors are problems with the members that the platform's clients look for")
    func errors() async throws {
        let service = try await ServiceUnderTest()
        let cases: [(String, String, Client, JSONValue?, Int)] = [
            ("GET", "/~", .nobody, nil, 401), ("GET", "/tom.evans", .person, nil, 403),
            ("GET", "/~", .provisioning, nil, 404),
            ("DELETE", "/~", .person, nil, 405), ("PUT", "/~", .person, ["nothing": 1], 400),
            ("PUT", "/~", .person, nil, 415),
            ("GET", "/~/x", .person, nil, 404), ("GET", "/%zz", .person, nil, 400), ("GET", "", .person, nil, 404),
        ]
        for (method, path, client, body, status) in cases {
            let answer = await service.request(method, Self.base + path, as: client, body)
            #expect(answer.status == status && answer["status"] == .integer(Int64(status)), "\(path): \(answer.text)")
            #expect(answer.header("Content-Type") == "application/problem+json")
            #expect(
                answer.body.names.prefix(7) == [
                    "type", "status", "title", "detail", "o:ecid", "o:errorCode", "o:errorPath",
                ])
            #expect(answer["o:ecid"]?.text == answer.header("X-Request-ID"))
            #expect(answer["o:errorPath"]?.text == Self.base + path)
            #expect(answer["o:errorCode"]?.text?.hasPrefix("MOBILE-") == true)
        }
    }
}
