import Roster
import RosterFixtures
import RosterREST
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("SCIM: discovery and filters", .inBothForms)
struct SCIMReadingTests {
    /// For tests that only read.
    private static let shared = Task { try await SCIMServer() }

    @Test("Discovery answers each listing and each document, and nothing but GET")
    func discovery() async throws {
        let server = try await SCIMServer()
        for path in [
            "/ServiceProviderConfig", "/ResourceTypes", "/ResourceTypes/User", "/ResourceTypes/Group", "/Schemas",
            "/Schemas/\(SCIMServer.user)", "/Schemas/\(SCIMServer.enterprise)", "/Schemas/\(SCIMServer.groupExtension)",
        ] {
            let answer = try await server.get(path)
            #expect(answer.status == 200)
            #expect(answer.headers["Content-Type"] == "application/scim+json")
            for method in ["POST", "PUT", "PATCH", "DELETE"] {
                let refused = try await server.ask(method, path, [:])
                #expect(refused.status == 405)
                #expect(refused.headers["Allow"] == "GET, HEAD")
            }
            #expect(try await server.get(path + "?filter=id+pr").status == 403)
        }
        #expect(try await server.get("/Schemas").total == 5)
        #expect(try await server.get("/ResourceTypes").total == 2)
        for path in ["/ResourceTypes/Nothing", "/Schemas/urn:nothing", "/Nothing", "/Users/x/y"] {
            #expect(try await server.get(path).status == 404)
        }
        #expect(try await server.ask("PUT", "/Users", [:]).status == 405)
        #expect(try await server.ask("POST", "/Users/x", [:]).status == 405)
    }

    @Test(
        "Filters find whom they mean",
        arguments: [
            (#"userName eq "KENJI.sato""#, ["kenji.sato"]), (#"USERNAME Eq "kenji.sato""#, ["kenji.sato"]),
            (#"userName co "i.sat""#, ["kenji.sato"]), (#"userName ew ".ward""#, ["helen.ward"]),
            (#"userName sw "yuki""#, ["yuki.tanaka"]),
            (#"userName gt "uwe" and userName ne "yuki.tanaka""#, ["uwe.gross"]),
            (#"userName ge "yuki.tanaka""#, ["yuki.tanaka"]), (#"userName lt "akira.suzuki""#, ["aiko.yamamoto"]),
            (#"userName le "aiko.yamamoto""#, ["aiko.yamamoto"]),
            (#"name.familyName eq "MÜLLER" and name.givenName eq "maria""#, ["maria.mueller"]),
            (#"emails[value eq "kenji.sato@nordwind.example" and not (primary eq true)]"#, ["kenji.sato"]),
            (#"emails.value eq "kenji.sato@nordwind.example""#, ["kenji.sato"]),
            (#"emails eq "kenji.sato@nordwind.example""#, ["kenji.sato"]),
            (#"active eq false"#, ["post.hr-2", "matthias.schmidt"]),
            (#"active ne true"#, ["post.hr-2", "matthias.schmidt"]),
            (#"not (active eq true) and (userName sw "m" or userName sw "x")"#, ["matthias.schmidt"]),
            (#"urn:ietf:params:scim:schemas:core:2.0:User:userName eq "tom.evans""#, ["tom.evans"]),
            (#"urn:roster:params:scim:schemas:extension:directory:2.0:User:badge eq 2"#, ["kenji.sato"]),
            (#"badge le 2 and badge pr"#, ["ilse.brandt", "kenji.sato"]),
            (#"userName eq "helen.ward" and schemas eq "urn:ietf:params:scim:schemas:core:2.0:User""#, ["helen.ward"]),
            (#"userName eq "helen.ward" and schemas eq "urn:x""#, []),
            (#"userName eq "helen.ward" and meta.resourceType eq "User""#, ["helen.ward"]),
            (#"meta.resourceType eq "Group""#, []), (#"meta.created lt "2020-01-01T00:00:00Z""#, []),
            (#"userName eq "helen.ward" and meta.lastModified ge "2020-01-01T00:00:00Z""#, ["helen.ward"]),
            (#"userName eq "helen.ward" and emails[primary eq false]"#, ["helen.ward"]),
            (#"userName eq "helen.ward" and emails.primary eq false"#, ["helen.ward"]),
            (#"userName eq "helen.ward" and emails[not (primary eq true)]"#, ["helen.ward"]),
            (#"emails.primary eq true"#, ["emma.mueller"]), (#"emails.primary pr"#, ["emma.mueller"]),
            (#"userName eq "x\" or userName pr or userName eq \"""#, []), (#"userName eq "%""#, []),
            (#"userName eq "' OR 1=1 --""#, []), (#"userName co "*""#, []), (#"userName eq "a\u0000b""#, []),
            (#"title eq null and userName eq "ilse.brandt""#, []),
            (
                #"userName eq "ilse.brandt" and urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager eq null"#,
                ["ilse.brandt"]
            ),
        ] as [(String, [String])])
    func found(filter: String, names: [String]) async throws {
        let server = try await Self.shared.value
        let answer = try await server.find(filter)
        #expect(answer.status == 200, "\(answer.body)")
        #expect(Set(answer.names) == Set(names))
    }

    @Test("Filters know identifiers, versions, managers and groups")
    func references() async throws {
        let server = try await SCIMServer()
        let kenji = try server.id(of: "kenji.sato")
        let team: Set = ["yuki.tanaka", "joerg.muench", "grace.okafor"]
        let version = try #require(try await server.get("/Users/\(kenji)").body.at("meta", "version")?.text)
        let tag = version.replacing("\"", with: "\\\"")
        #expect(try await server.find(#"id eq "\#(kenji)" and meta.version eq "\#(tag)""#).names == ["kenji.sato"])
        for name in ["manager", "manager.value"] {
            let found = try await server.find("\(SCIMServer.enterprise):\(name) eq \"\(kenji)\"")
            #expect(Set(found.names) == team)
        }
        let finance = try server.id(ofGroup: "finance")
        let members = try await server.members(finance)
        for filter in ["groups.value eq", "groups eq", "groups[value eq"] {
            let found = try await server.find(#"\#(filter) "\#(finance)"\#(filter.contains("[") ? "]" : "")"#)
            #expect(Set(found.resources.compactMap { $0["id"]?.text }) == members)
        }
        let anna = try server.id(of: "anna.schroeder")
        let groups = try await server.get("/Users/\(anna)").body["groups"]?.elements ?? []
        let direct = groups.filter { $0["type"] == "direct" }.compactMap { $0["display"]?.text }
        #expect(direct.contains("Products team"))
        for filter in ["members.value eq \"\(anna)\"", "members eq \"\(anna)\"", "members[value eq \"\(anna)\"]"] {
            #expect(try await server.find(filter, in: "Groups").names.sorted() == direct.sorted())
        }
    }

    @Test("Groups are found by their display name, also where it is the name, and by their own attributes")
    func groups() async throws {
        let server = try await SCIMServer()
        try await server.directory.unrestricted.awaitWrite {
            _ = try $0.asProvisioning(to: "test").roles.create("plain", [:])
        }
        let found = try await server.find(#"displayName eq "Plain""#, in: "Groups")
        #expect(found.names == ["plain"])
        let urn = SCIMServer.groupExtension
        #expect(found.resources.first?.at(urn, "name") == "plain")
        #expect(try await server.find(#"\#(urn):name eq "platform""#, in: "Groups").names == ["Platform team"])
        #expect(try await server.find(#"\#(urn):description co "works here""#, in: "Groups").names == ["Everyone"])
        #expect(
            try await server.find(#"schemas eq "\#(urn)" and displayName eq "sales""#, in: "Groups").names == ["Sales"])
        #expect(try await server.find(#"meta.resourceType ne "Group""#, in: "Groups").names == [])
    }

    @Test("A client finds users and groups by its own externalId, and no other client's")
    func externalID() async throws {
        let server = try await SCIMServer()
        let ann = try await server.create("ann", ("externalId", "E-1"))
        let other = server.called(by: try await server.token("other"))
        #expect(try await server.find(#"externalId eq "E-1""#).names == ["ann"])
        #expect(try await server.find(#"externalId eq "e-1""#).names == [])
        #expect(try await other.find(#"externalId eq "E-1""#).names == [])
        #expect(try await other.get("/Users/\(ann)").body["externalId"] == nil)
        #expect(
            try await other.patch("/Users/\(ann)", ["op": "add", "path": "externalId", "value": "O"]).status == 200)
        #expect(try await server.get("/Users/\(ann)").body["externalId"] == "E-1")
        // Somebody's id as an externalId is nobody's id, and no name can be one.
        let ben = try await server.create("ben", ("externalId", .string(ann)))
        #expect(try await server.get("/Users/\(ann)").body["userName"] == "ann")
        #expect(try await server.find(#"id eq "\#(ann)""#).names == ["ann"])
        #expect(try await server.get("/Users/E-1").status == 404)
        let named = try await server.post(
            "/Users", ["schemas": [.string(SCIMServer.user)], "userName": .string(ann)])
        #expect(named.status == 400 && named.body["scimType"] == "invalidValue", "\(named.body)")
        let manager: JSONValue = ["op": "add", "path": "\(SCIMServer.enterprise):manager".json, "value": .string(ann)]
        #expect(try await server.patch("/Users/\(ben)", manager).status == 200)
        #expect(
            try await server.get("/Users/\(ben)").body.at(SCIMServer.enterprise, "manager", "value") == .string(ann))
    }

    @Test("An address without a type is found as the work address, by which clients look people up")
    func untypedAddress() async throws {
        let server = try await SCIMServer()
        _ = try await server.create("ann", ("emails", [["value": "ann@x.example"]]))
        _ = try await server.create("ben", ("emails", [["value": "ben@x.example", "type": "home"]]))
        for filter in [
            #"emails[type eq "work"].value eq "ann@x.example""#,
            #"emails[type eq "work" and value eq "ANN@x.example"]"#,
        ] { #expect(try await server.find(filter).names == ["ann"], "\(filter)") }
        #expect(try await server.find(#"emails[type eq "work" and value eq "ben@x.example"]"#).names == [])
        #expect(try await server.find(#"emails[type eq "home" and value eq "ann@x.example"]"#).names == [])
    }

    @Test("Parameters that clients send empty ask nothing, and numbers may be text")
    func emptyParameters() async throws {
        let server = try await SCIMServer()
        let all = try await server.get("/Users")
        let empty = try await server.get("/Users?filter=&count=&startIndex=&sortBy=&sortOrder=&attributes=")
        #expect(empty.status == 200 && empty.body == all.body)
        let search: JSONValue = [
            "schemas": [.string(SCIMServer.searchRequest)], "filter": "", "count": "5", "startIndex": "1", "sortBy": "",
        ]
        #expect(try await server.post("/Users/.search", search).resources.count == 5)
        for count: JSONValue in ["five", "5x", true, [5]] {
            let refused = try await server.post(
                "/Users/.search", ["schemas": [.string(SCIMServer.searchRequest)], "count": count])
            #expect(refused.status == 400, "\(count)")
        }
    }

    @Test(
        "What is no filter is refused, and quickly", .timeLimit(.minutes(1)),
        arguments: [
            "userName", "userName eq", "userName eq x", "userName xx \"a\"", "(userName pr", "userName pr)",
            "not title pr",
            "nothing eq 1", "password pr", "password sw \"$\"", "userName eq \"a\" and", "emails[type eq", "emails[]",
            "userName[value eq \"a\"]", "active gt true", "meta.created eq \"yesterday\"", "schemas co \"urn\"",
            "urn:x:userName eq \"a\"", "userName eq \"a", "userName eq \"\\ud800\"",
            String(repeating: "(", count: 10_000) + "title pr" + String(repeating: ")", count: 10_000),
            String(repeating: "not (", count: 2_000) + "title pr" + String(repeating: ")", count: 2_000),
            Array(repeating: "title eq \"a\"", count: 25_000).joined(separator: " or "),
        ])
    func refused(filter: String) async throws {
        let server = try await Self.shared.value
        let body: JSONValue = ["schemas": [.string(SCIMServer.searchRequest)], "filter": .string(filter)]
        for path in ["/Users/.search", "/Groups/.search", "/.search"] {
            #expect(try await server.post(path, body).refusal == "400 invalidFilter")
        }
    }

    @Test("Attributes are returned as they are asked for")
    func projection() async throws {
        let server = try await SCIMServer()
        let path = "/Users/\(try server.id(of: "kenji.sato"))"
        func names(_ query: String) async throws -> Set<String> {
            Set(try await server.get(path + query).body.members.map(\.name))
        }
        #expect(try await names("?attributes=userName") == ["schemas", "id", "userName"])
        #expect(try await names("?attributes=username,%20NAME.givenName") == ["schemas", "id", "userName", "name"])
        #expect(try await names("?attributes=nothing") == ["schemas", "id"])
        #expect(
            try await names("?attributes=\(SCIMServer.enterprise):manager") == ["schemas", "id", SCIMServer.enterprise])
        #expect(try await !names("?excludedAttributes=emails,id,meta").contains("emails"))
        #expect(try await names("?excludedAttributes=id").contains("id"))
        #expect(try await server.get(path + "?attributes=a&excludedAttributes=b").refusal == "400 invalidValue")
        #expect(try await server.get(path + "?attributes=a&attributes=b").status == 400)
        #expect(try await names("?attributes=password") == ["schemas", "id"])
        let list = try await server.get("/Users?attributes=userName&count=1").resources
        #expect(Set(list.first?.members.map(\.name) ?? []) == ["schemas", "id", "userName"])
    }

    @Test("What is returned on request comes where it is named, and to whoever writes it")
    func onRequest() async throws {
        let server = try await SCIMServer()
        let path = "/Users/\(try await server.create("photo"))"
        let urn = Vocabulary.extensionSchema
        func photo(_ query: String = "") async throws -> JSONValue? {
            try await server.get(path + query).body.at(urn, "photo")
        }
        let written = try await server.patch(path, ["op": "add", "path": "\(urn):photo".json, "value": "AAAA"])
        #expect(written.body.at(urn, "photo") == "AAAA")
        #expect(try await photo() == nil)
        var whole = try await server.get(path).body
        whole["title"] = "Put"
        #expect(try await server.put(path, whole).body["title"] == "Put")
        #expect(try await photo("?attributes=\(urn):photo") == "AAAA", "PUT leaves what was not shown")
        #expect(try await server.patch(path, ["op": "remove", "path": "\(urn):photo".json]).status == 200)
        #expect(try await photo("?attributes=\(urn):photo") == nil)
    }

    @Test("Certificates are returned by default, as the schema says, and the profile service has no place for them")
    func certificates() async throws {
        let server = try await SCIMServer()
        let path = "/Users/\(try await server.create("cert"))"
        let schema = try await server.get("/Schemas/\(SCIMServer.user)").body["attributes"]?.elements
            .first { $0["name"] == "x509Certificates" }
        #expect(schema?["returned"] == "default")
        for value in ["AAAA", "BBBB"] {
            let add: JSONValue = ["op": "add", "path": "x509Certificates", "value": [["value": value.json]]]
            #expect(try await server.patch(path, add).status == 200)
        }
        #expect(try await server.get(path).body["x509Certificates"]?.elements.count == 2)
        #expect(try await server.find("userName eq \"cert\"").resources.first?["x509Certificates"]?.elements.count == 2)
        #expect(try await server.get(path + "?excludedAttributes=x509Certificates").body["x509Certificates"] == nil)
        #expect(
            try await server.get("/Users?attributes=userName").resources.allSatisfy { $0["x509Certificates"] == nil })
        func profile(_ query: String) async -> Answer {
            Answer(
                await server.service.respond(
                    to: HTTPRequest(
                        "GET", ServiceUnderTest.base + "/people/cert" + query,
                        headers: ["Authorization": server.authorization])))
        }
        #expect(await profile("")["x509Certificates"] == nil)
        #expect(await profile("?attrsToFetch=x509Certificates").status == 400)
    }

    @Test("Without 'count' a page holds a thousand, as the configuration says")
    func pageSize() async throws {
        let server = try await SCIMServer(try Fixtures.organization(people: 1_100, seedNumber: 3))
        let pagination = try await server.get("/ServiceProviderConfig").body["pagination"]
        #expect(pagination?["defaultPageSize"] == 1_000 && pagination?["maxPageSize"] == 1_000)
        for path in [
            "/Users?attributes=userName", "/Users?attributes=userName&cursor=", "/Users?attributes=userName&count=5000",
        ] {
            let page = try await server.get(path)
            #expect(page.resources.count == 1_000, "\(path)")
            #expect(page.body["itemsPerPage"] == 1_000)
            #expect(page.total == 1_100)
        }
        let rest = try await server.get("/Users?attributes=userName&startIndex=1001")
        #expect(rest.resources.count == 100)
        let body: JSONValue = ["schemas": [SCIMServer.searchRequest.json], "attributes": ["userName"]]
        #expect(try await server.post("/Users/.search", body).resources.count == 1_000)
        #expect(try await server.post("/.search", body).resources.count == 1_000)
    }
}
