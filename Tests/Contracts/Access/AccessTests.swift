import Foundation
import Roster
import RosterREST
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Who may do what over HTTP", .inBothForms)
struct HTTPAccessTests {
    /// A request, and the statuses it has for those who may do it; everyone else who is signed in has 403.
    struct Call: Sendable, CustomTestStringConvertible {
        let method: String
        let path: String
        var body: JSONValue?
        let status: Int
        let permitted: Set<Client>
        var testDescription: String { "\(method) \(path)" }

        init(_ method: String, _ path: String, _ status: Int, _ permitted: Set<Client>) {
            (self.method, self.path, self.status, self.permitted) = (method, path, status, permitted)
        }

        init(_ method: String, _ path: String, _ body: JSONValue, _ status: Int, _ permitted: Set<Client>) {
            (self.method, self.path, self.body, self.status, self.permitted) = (method, path, body, status, permitted)
        }
    }

    static let administrators: Set<Client> = [.administrator, .tokenAdministrator]
    static let provisioning = administrators.union([.provisioning])
    static let everyone = Set(Client.signedIn)
    static let own = provisioning.union([.person])

    static let calls: [Call] = [
        Call("GET", "people", 200, everyone), Call("GET", "groups", 200, everyone),
        Call("GET", "people/tom.evans", 200, everyone), Call("GET", "people/ren.watanabe", 200, everyone),
        Call("GET", "people/gone", 404, everyone), Call("GET", "groups/sales", 200, everyone),
        Call("GET", "people/tom.evans/manager?scope=toTop", 200, everyone),
        Call("GET", "groups/sales/members?scope=all", 200, everyone),
        Call("GET", "people/ren.watanabe/memberOf/platform", 200, everyone),
        Call("POST", "people", ["uid": "new"], 201, provisioning),
        Call("POST", "groups", ["commonname": "new"], 201, provisioning),
        Call("PUT", "groups/sales", ["description": "x"], 200, provisioning),
        Call("DELETE", "groups/on-call", 204, provisioning),
        Call("DELETE", "people/tom.evans?reportees=leave", 204, provisioning),
        Call("DELETE", "people/ren.watanabe", 204, provisioning),
        Call("PUT", "people/tom.evans", ["description": "x"], 200, provisioning),
        Call("PUT", "people/tom.evans", ["password": "a long new password"], 200, provisioning),
        Call("PUT", "people/ren.watanabe", ["description": "x", "mobile": "1", "displayname": "R"], 200, own),
        Call("PUT", "people/ren.watanabe", ["languages": ["ja", "en"]], 200, own),
        Call("PUT", "people/ren.watanabe", ["password": "a long new password"], 200, own),
        Call("PUT", "people/ren.watanabe", ["password": .null], 200, own),
        Call("PUT", "people/ren.watanabe", ["description": "x", "title": "Chief"], 200, provisioning),
        Call("PUT", "people/ren.watanabe", ["mail": "x@example.com"], 200, provisioning),
        Call("PUT", "people/ren.watanabe", ["uid": "ren"], 200, provisioning),
        Call("PUT", "people/ren.watanabe", ["active": true], 200, provisioning),
        Call("PUT", "people/ren.watanabe", ["manager": "ilse.brandt"], 200, provisioning),
        Call("PUT", "people/ren.watanabe", ["badge": 99], 200, provisioning),
        Call("POST", "people/ren.watanabe/manager", ["manager-uri": "ilse.brandt"], 201, provisioning),
        Call("DELETE", "people/ren.watanabe/manager/haruka.ito", 204, provisioning),
        Call("POST", "people/ren.watanabe/reports", ["report-uri": "tom.evans"], 201, provisioning),
        Call("DELETE", "people/haruka.ito/reports/ren.watanabe", 204, provisioning),
        Call("POST", "people/ren.watanabe/memberOf", ["group-uri": "sales"], 201, provisioning),
        Call("POST", "people/ren.watanabe/ownerOf", ["group-uri": "sales"], 201, provisioning),
        Call("DELETE", "people/ren.watanabe/memberOf/platform", 204, provisioning),
        Call("POST", "groups/sales/members", ["person-uri": "people/ren.watanabe"], 201, provisioning),
        Call("POST", "groups/sales/groupOwner", ["owner-uri": "platform"], 201, provisioning),
        // What makes an administrator is for administrators.
        Call("POST", "groups/administrators/members", ["person-uri": "people/ren.watanabe"], 201, administrators),
        Call("POST", "people/ren.watanabe/memberOf", ["group-uri": "administrators"], 201, administrators),
        Call("POST", "groups/platform/groupMemberOf", ["parent-group-uri": "administrators"], 201, administrators),
        Call("PUT", "people/root", ["password": "a long new password"], 200, administrators),
        Call("PUT", "people/root", ["mail": "x@example.com"], 200, administrators),
        Call("PUT", "groups/administrators", ["description": "x"], 200, administrators),
        Call("GET", "changes", 200, administrators),
        Call("GET", "/metrics", 200, administrators.union([.monitoring])),
    ]

    @Test("Each call is for those who may do it, and for nobody else", arguments: calls)
    func matrix(call: Call) async throws {
        let shared = try await ServiceUnderTest()
        for client in Client.allCases {
            // Who is refused, and who reads, changes nothing for the others.
            let changes = call.method != "GET" && call.permitted.contains(client)
            let service = changes ? try await ServiceUnderTest() : shared
            let before = try await service.lastChange()
            let answer = await service.request(call.method, call.path, as: client, call.body)
            let expected = Client.notLetIn.contains(client) ? 401 : call.permitted.contains(client) ? call.status : 403
            #expect(answer.status == expected, "\(client): \(answer.text)")
            guard answer.status >= 400 else { continue }
            if !call.path.hasPrefix("/") { #expect(answer.isProfileError, "\(client): \(answer.text)") }
            #expect(try await service.lastChange() == before, "\(client)")
            guard answer.status == 401 else { continue }
            let challenge = try #require(answer.header("WWW-Authenticate"))
            #expect(challenge.hasPrefix("Bearer realm=\"Roster\""))
            let isToken = service.authorization(client)?.hasPrefix("Bearer ") == true
            #expect(challenge.contains(", error=\"invalid_token\"") == isToken, "RFC 6750, section 3.1")
        }
    }

    @Test(
        "A token that is not good is called so, in the form of each interface; to who brings none it is said what to bring",
        arguments: [
            ("/scim/v2/Me", "detail"), ("/mobile/platform/users/~", "detail"), ("people/root", "message"),
            ("/db/_session", "reason"), ("/metrics", "detail"),
        ])
    func badToken(path: String, member: String) async throws {
        let service = try await ServiceUnderTest()
        for authorization in ["Bearer x", "bearer a.b.c", "TOKEN x", service.authorization(.revoked)] {
            let answer = await service.send("GET", path, authorization)
            #expect(answer.status == 401)
            #expect(
                answer.header("WWW-Authenticate")?.hasPrefix("Bearer realm=\"Roster\", error=\"invalid_token\"") == true
            )
            #expect(answer[member]?.text?.contains("expired") == true, "\(answer.text)")
        }
        let session = await service.send("POST", "/db/_session", "Bearer x")
        #expect(session.status == 401 && session.header("WWW-Authenticate")?.contains("invalid_token") == true)
        for client in [Client.nobody, .wrongPassword] {
            let answer = await service.request("GET", path, as: client)
            #expect(answer.status == 401 && answer.header("WWW-Authenticate") == "Bearer realm=\"Roster\"")
            #expect(answer[member]?.text?.hasPrefix("Sign in") == true, "\(answer.text)")
        }
    }

    @Test("What somebody may not read is absent, and cannot be searched or counted")
    func hiddenAttributes() async throws {
        let service = try await ServiceUnderTest()
        // badge and hiredate are for managers, gender for oneself.
        _ = await service.request(
            "PUT", "people/ren.watanabe", ["gender": "x", "hiredate": "2020", "maidenname": "Sato", "badge": 77])
        _ = await service.request("PUT", "people/haruka.ito", ["gender": "y", "hiredate": "2010"])
        let hidden = ["gender", "hiredate", "maidenname", "badge"]
        let seen: [(Client, String, Set<String>)] = [
            (.administrator, "ren.watanabe", ["gender", "hiredate", "maidenname", "badge"]),
            (.provisioning, "ren.watanabe", ["gender", "hiredate", "maidenname", "badge"]),
            (.person, "ren.watanabe", ["gender", "hiredate", "maidenname", "badge"]),
            (.manager, "ren.watanabe", ["hiredate", "maidenname", "badge"]),
            (.manager, "haruka.ito", ["gender", "hiredate", "badge"]),
            (.person, "haruka.ito", []), (.person, "tom.evans", []), (.manager, "tom.evans", []),
        ]
        for (client, name, visible) in seen {
            let fetch = "attrsToFetch=uid," + hidden.joined(separator: ",")
            let reads = [
                await service.request("GET", "people/\(name)", as: client).body,
                await service.request("GET", "people/\(name)?\(fetch)", as: client).body,
                await service.request("GET", "people?searchparam.uid=\(name)", as: client).elements.first,
                await service.request("GET", "people?searchparam.uid=\(name)&\(fetch)", as: client).elements.first,
                await service.request("GET", "groups/everyone/members?scope=all&pagesize=100&\(fetch)", as: client)
                    .elements.first { $0["uid"]?.text == name },
                await service.request("GET", "people/ilse.brandt/reports?scope=all&pagesize=100", as: client)
                    .elements.first { $0["uid"]?.text == name },
            ]
            for read in reads {
                let found = try #require(read)
                #expect(Set(found.names).intersection(hidden) == visible, "\(client) \(name)")
            }
        }
        let prefetched = await service.request("GET", "people/ren.watanabe?prefetch=manager", as: .person)
        let manager = try #require(prefetched["manager"]?["elements"]?.elements.first)
        #expect(manager["uid"] == "haruka.ito")
        #expect(!manager.names.contains(where: hidden.contains))
        for name in hidden {
            for value in ["*", "77", "x", "7*", ""] {
                for client in [Client.person, .manager] {
                    for query in ["", "&isSimpleSearch=false&searchparam.uid=*"] {
                        let path = "people?searchparam.\(name)=\(value)\(query)"
                        let answer = await service.request("GET", path, as: client)
                        #expect(answer.status == 400 && answer.isProfileError, "\(client) \(path)")
                    }
                }
            }
            #expect(await service.request("GET", "people?searchparam.\(name)=*").status == 200)
        }
    }

    @Test("Nobody writes what the directory keeps, nor rights that a body claims", arguments: Client.signedIn)
    func massAssignment(client: Client) async throws {
        let service = try await ServiceUnderTest()
        let passedOver: [JSONValue] = [
            ["guid": "00000000001"], ["created": "2000-01-01T00:00:00Z"], ["version": 99], ["modified": "x"],
            ["id": "1"], ["uri": "x"],
        ]
        let unknown: [JSONValue] = [
            ["memberOf": ["uri": .string("\(ServiceUnderTest.base)/groups/administrators")]],
            ["ownerOf": "administrators"],
            ["memberOf": ["administrators"]], ["reports": ["tom.evans"]], ["manager": ["uid": "ilse.brandt"]],
            ["isAdmin": true], ["passwordHash": "$scrypt$x"], ["roles": ["administrators"]], ["admin": true],
            ["groups": ["administrators"]], ["password_hash": "x"], ["passwordChanged": "x"], ["__proto__": ["a": 1]],
        ]
        let before = await service.request("GET", "people/ren.watanabe").body
        let administrators = await service.request("GET", "groups/administrators").body
        for body in passedOver {
            let answer = await service.request("PUT", "people/ren.watanabe", as: client, body)
            #expect(answer.status == 200, "\(body): \(answer.text)")
        }
        for body in unknown {
            #expect(await service.request("PUT", "people/ren.watanabe", as: client, body).status == 400, "\(body)")
        }
        #expect(await service.request("GET", "people/ren.watanabe").body == before)
        #expect(await service.request("GET", "groups/administrators").body == administrators)
        #expect(await service.request("GET", "groups/administrators/members").names == ["root"])
        guard HTTPAccessTests.provisioning.contains(client) else { return }
        var body: JSONValue = ["uid": "new"]
        for claim in passedOver { body[claim.names[0]] = claim.members[0].value }
        let created = await service.request("POST", "people", as: client, body)
        #expect(created.status == 201 && created["guid"] != "00000000001", "\(created.text)")
        #expect(await service.request("GET", "people/new/memberOf").names == [])
        #expect(await service.request("GET", "people/new?attrsToFetch=version")["version"] == 1)
        for claim in unknown {
            body = ["uid": "newer"]
            body[claim.names[0]] = claim.members[0].value
            #expect(await service.request("POST", "people", as: client, body).status == 400)
        }
    }

    @Test(
        "A password is in no answer, no record of the log and no change, and nobody can search for it",
        .inProcess("The server hands its log out as bytes."))
    func secrets() async throws {
        let service = try await ServiceUnderTest()
        let secret = "Zwölf Boxkämpfer jagen"
        var texts: [String] = []
        texts.append(await service.request("POST", "people", ["uid": "john", "password": .string(secret)]).text)
        texts.append(await service.request("PUT", "people/tom.evans", ["password": .string(secret)]).text)
        texts.append(await service.request("PUT", "people/tom.evans", ["password": .string(secret), "x": 1]).text)
        texts.append(await service.request("PUT", "people/tom.evans", ["password": .string("short")]).text)
        for client in Client.signedIn {
            for path in [
                "people/john", "people/john?attrsToFetch=password", "people/tom.evans?attrsToFetch=uid,password",
                "people?attrsToFetch=password", "people?pagesize=100", "/mobile/platform/users/~", "changes",
                "/mobile/platform/users/me", "/mobile/platform/users/~?fields=password,attributes",
                "groups/everyone/members?scope=all&attrsToFetch=password",
            ] {
                texts.append(await service.request("GET", path, as: client).text)
            }
            for value in ["*", "$*", "$scrypt*", PercentEncoding.segment(secret)] {
                let answer = await service.request("GET", "people?searchparam.password=\(value)", as: client)
                #expect(answer.status == 400, "\(client)")
                texts.append(answer.text)
            }
        }
        _ = await service.send("GET", "people", ServiceUnderTest.basic("john", secret))
        texts += service.log.all.map { String(decoding: $0.line, as: UTF8.self) }
        #expect(texts.count > 50 && service.log.all.count > 50)
        for text in texts {
            for word in [secret, "$scrypt", "roster_", "\"password\"", ServiceUnderTest.password, "Basic "] {
                #expect(!text.contains(word), "\(word) in \(text.prefix(300))")
            }
        }
        #expect(await service.request("GET", "changes").text.contains("passwordChanged"))
        #expect(await service.send("GET", "people", ServiceUnderTest.basic("john", secret)).status == 200)
    }

    @Test(
        "The log names who asked, and nobody where nobody was let in",
        .inProcess("The server hands its log out as bytes."))
    func log() async throws {
        let service = try await ServiceUnderTest()
        _ = await service.request("GET", "people/tom.evans?attrsToFetch=title", as: .person)
        _ = await service.request("GET", "people", as: .provisioning)
        _ = await service.request("GET", "people", as: .wrongPassword)
        #expect(service.log.all.map(\.who) == [ServiceUnderTest.engineer, "provisioning hr", nil])
        #expect(service.log.all.map(\.status) == [200, 200, 401])
        #expect(service.log.all.first?.path == "\(ServiceUnderTest.base)/people/tom.evans")
        #expect(service.log.all.first?.route == "\(ServiceUnderTest.base)/people/{uid}")
    }
}
