import Foundation
import Roster
import RosterREST
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("SCIM: writing", .inBothForms)
struct SCIMWritingTests {
    @Test("PUT keeps 'active', the password and extensions that it does not mention, and clears the rest")
    func put() async throws {
        let server = try await SCIMServer()
        let boss = try server.id(of: "ilse.brandt")
        let id = try await server.create(
            "put", ("active", false), ("title", "T"), ("nickName", "N"), ("emails", [["value": "p@x.example"]]),
            ("externalId", "x"), ("password", "a long pass phrase"),
            (SCIMServer.enterprise, ["department": "D", "manager": ["value": .string(boss)]]))
        let path = "/Users/\(id)"
        let bare: JSONValue = ["schemas": [.string(SCIMServer.user)], "userName": "put"]
        let answer = try await server.put(path, bare)
        #expect(answer.status == 200)
        #expect(answer.body["active"] == false)
        #expect(answer.body.at(SCIMServer.enterprise, "manager", "value") == .string(boss))
        #expect(answer.body.at(SCIMServer.enterprise, "department") == "D")
        for name in ["title", "nickName", "emails", "externalId"] { #expect(answer.body[name] == nil) }
        #expect(try await server.patch(path, ["op": "replace", "path": "active", "value": true]).status == 200)
        let basic = server.called(by: "Basic " + "put:a long pass phrase".base64)
        #expect(try await basic.get("/Me").status == 200)
        var mentioned = bare
        mentioned[SCIMServer.enterprise] = ["department": "E"]
        let put = try await server.put(path, mentioned).body
        #expect(put.at(SCIMServer.enterprise, "department") == "E")
        #expect(put.at(SCIMServer.enterprise, "manager") == nil)
        #expect(put["active"] == true)
        #expect(try await server.put("/Users/nobody", bare).status == 404)
        #expect(try await server.put(path, ["schemas": [.string(SCIMServer.user)]]).refusal == "400 invalidValue")
    }

    @Test("A manager is an id; set on one account, it never touches the manager's own")
    func manager() async throws {
        let server = try await SCIMServer()
        let (kenji, anna) = (try server.id(of: "kenji.sato"), try server.id(of: "anna.schroeder"))
        let before = try await server.get("/Users/\(kenji)").body
        let path = "\(SCIMServer.enterprise):manager".json
        for value: JSONValue in [
            .string(kenji), ["value": .string(kenji)], [["value": .string(kenji)]],
            ["$ref": .string("https://id.example.com/scim/v2/Users/\(kenji)")],
        ] {
            #expect(try await server.patch("/Users/\(anna)", ["op": "remove", "path": path]).status == 200)
            let answer = try await server.patch("/Users/\(anna)", ["op": "add", "path": path, "value": value])
            #expect(answer.body.at(SCIMServer.enterprise, "manager", "value") == .string(kenji))
        }
        #expect(try await server.get("/Users/\(kenji)").body == before)
        for nobody in ["kenji.sato", "nobody", try server.id(ofGroup: "sales")] {
            let answer = try await server.patch("/Users/\(anna)", ["op": "add", "path": path, "value": nobody.json])
            #expect(answer.refusal == "400 invalidValue")
        }
        #expect(
            try await server.get("/Users/\(anna)").body.at(SCIMServer.enterprise, "manager", "value") == .string(kenji))
    }

    @Test("A circle of managers is refused, with nothing written, also by PATCHes at the same time and by bulk")
    func managerCircle() async throws {
        let server = try await SCIMServer()
        let path = "\(SCIMServer.enterprise):manager".json
        let ids = try ["kenji.sato", "haruka.ito"].map { try server.id(of: $0) }
        let refused = try await server.patch(
            "/Users/\(ids[0])", ["op": "replace", "path": "title", "value": "Never"],
            ["op": "replace", "path": path, "value": ids[1].json])
        #expect(refused.status == 409)
        #expect(try await server.get("/Users/\(ids[0])").body["title"] == "Head of Engineering")
        #expect(
            try await server.patch("/Users/\(ids[0])", ["op": "add", "path": path, "value": ids[0].json]).status == 409)
        for round in 0..<10 {
            let pair = [try await server.create("a\(round)"), try await server.create("b\(round)")]
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for (one, other) in [(pair[0], pair[1]), (pair[1], pair[0])] {
                    group.addTask {
                        try await server.patch("/Users/\(one)", ["op": "add", "path": path, "value": other.json]).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [200, 409])
        }
        let pair = [try await server.create("c"), try await server.create("d")]
        func operation(_ one: String, _ other: String) -> JSONValue {
            [
                "method": "PATCH", "path": "/Users/\(one)".json,
                "data": [
                    "schemas": [.string(SCIMPatch.schema)],
                    "Operations": [["op": "add", "path": path, "value": other.json]],
                ],
            ]
        }
        let bulk = try await server.bulk([operation(pair[0], pair[1]), operation(pair[1], pair[0])])
        #expect(bulk.body["Operations"]?.elements.compactMap { $0["status"]?.text } == ["200", "409"])
    }

    @Test("Those who report to somebody who is deleted report to that one's manager; groups lose the member")
    func delete() async throws {
        let server = try await SCIMServer()
        let (yuki, kenji) = (try server.id(of: "yuki.tanaka"), try server.id(of: "kenji.sato"))
        let haruka = try server.id(of: "haruka.ito")
        let group = try server.id(ofGroup: "platform")
        #expect(try await server.members(group).contains(yuki))
        #expect(try await server.delete("/Users/\(yuki)").status == 204)
        #expect(
            try await server.get("/Users/\(haruka)").body.at(SCIMServer.enterprise, "manager", "value")
                == .string(kenji))
        #expect(try await !server.members(group).contains(yuki))
        #expect(try await server.delete("/Groups/\(group)").status == 204)
        #expect(try await server.get("/Users/\(haruka)").status == 200)
        #expect(try await server.get("/Groups/\(group)").status == 404)
    }

    @Test("A name is taken once, also of a hundred at the same time")
    func unique() async throws {
        let server = try await SCIMServer()
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let name = number.isMultiple(of: 2) ? "Only.One" : "only.one"
                    return try await server.post(
                        "/Users", ["schemas": [.string(SCIMServer.user)], "userName": name.json]
                    ).status
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.count { $0 == 201 } == 1)
        #expect(statuses.count { $0 == 409 } == 99)
        let other = try await server.create("other")
        #expect(
            try await server.patch("/Users/\(other)", ["op": "replace", "path": "userName", "value": "ONLY.ONE"])
                .refusal
                == "409 uniqueness")
        let badge = "urn:roster:params:scim:schemas:extension:directory:2.0:User:badge".json
        #expect(
            try await server.patch("/Users/\(other)", ["op": "add", "path": badge, "value": 1]).refusal
                == "409 uniqueness")
        #expect(
            try await server.post(
                "/Groups",
                [
                    "schemas": [.string(SCIMServer.group)], "displayName": "Others",
                    SCIMServer.groupExtension: ["name": "Sales"],
                ]
            ).refusal == "409 uniqueness")
    }

    @Test("Versions are held against If-Match and If-None-Match")
    func versions() async throws {
        let server = try await SCIMServer()
        for path in ["/Users/\(try await server.create("v"))", "/Groups/\(try await server.createGroup("V"))"] {
            let first = try #require(try await server.get(path).headers["ETag"])
            #expect(try await server.ask("GET", path, headers: [("If-None-Match", first)]).status == 304)
            #expect(try await server.ask("GET", path, headers: [("If-None-Match", "\"x\", \(first)")]).status == 304)
            let change: JSONValue = ["op": "replace", "path": "externalId", "value": "1"]
            let changed = try await server.patch(path, change, headers: [("If-Match", first)])
            #expect(changed.status == 200)
            let second = try #require(changed.headers["ETag"])
            #expect(second != first)
            #expect(try await server.ask("GET", path, headers: [("If-None-Match", first)]).status == 200)
            // What changes nothing makes no version.
            #expect(try await server.patch(path, change, headers: [("If-Match", second)]).headers["ETag"] == second)
            let body = try await server.get(path).body
            #expect(try await server.patch(path, change, headers: [("If-Match", first)]).status == 412)
            #expect(try await server.ask("PUT", path, body, headers: [("If-Match", first)]).status == 412)
            #expect(try await server.ask("DELETE", path, headers: [("If-Match", first)]).status == 412)
            #expect(try await server.ask("PUT", path, body, headers: [("If-Match", second)]).status == 200)
            #expect(try await server.ask("DELETE", path, headers: [("If-Match", "*")]).status == 204)
        }
    }

    @Test("Of those who change one version at the same time, one does")
    func oneWins() async throws {
        let server = try await SCIMServer()
        let path = "/Users/\(try await server.create("w"))"
        let tag = try #require(try await server.get(path).headers["ETag"])
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<20 {
                group.addTask {
                    try await server.patch(
                        path, ["op": "replace", "path": "title", "value": "t\(number)".json],
                        headers: [("If-Match", tag)]
                    ).status
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.sorted() == [200] + Array(repeating: 412, count: 19))
    }

    @Test(
        "What the directory alone writes is passed over in objects, and refused in paths",
        arguments: ["id", "meta", "groups", "meta.created"])
    func readOnly(name: String) async throws {
        let server = try await SCIMServer()
        let id = try await server.create(
            "ro", ("id", "mine"), ("meta", ["version": "W/\"99\""]), ("groups", [["value": "x"]]))
        let path = "/Users/\(id)"
        let before = try await server.get(path).body
        for operation: JSONValue in [
            ["op": "replace", "path": name.json, "value": "x"], ["op": "remove", "path": name.json],
            ["op": "add", "path": name.json, "value": "x"],
        ] { #expect(try await server.patch(path, operation).refusal == "400 mutability") }
        #expect(try await server.patch(path, ["op": "replace", "value": ["id": "y", "groups": []]]).status == 200)
        #expect(try await server.get(path).body == before)
    }

    @Test("'active' cannot be taken away, so that nobody is enabled by it")
    func alwaysActive() async throws {
        let server = try await SCIMServer()
        let path = "/Users/\(try await server.create("off", ("active", false)))"
        #expect(try await server.patch(path, ["op": "remove", "path": "active"]).refusal == "400 mutability")
        #expect(
            try await server.patch(path, ["op": "replace", "path": "active", "value": .null]).refusal
                == "400 invalidValue")
        #expect(try await server.get(path).body["active"] == false)
        let group = "/Groups/\(try await server.createGroup("Named"))"
        let urn = SCIMServer.groupExtension
        #expect(
            try await server.patch(group, ["op": "remove", "path": "\(urn):name".json]).refusal == "400 mutability")
        for removal: JSONValue in [
            ["op": "remove", "path": urn.json], ["op": "replace", "path": urn.json, "value": .null],
            ["op": "replace", "value": .object([.init(urn, .null)])],
        ] { #expect(try await server.patch(group, removal).status == 200) }
        #expect(try await server.get(group).body.at(urn, "name") == "Named")
        // What is left out of PUT stays as it is.
        let user: JSONValue = ["schemas": [SCIMServer.user.json], "userName": "off"]
        #expect(try await server.put(path, user).body["active"] == false)
        let named: JSONValue = ["schemas": [SCIMServer.group.json], "displayName": "Shown"]
        #expect(try await server.put(group, named).body.at(urn, "name") == "Shown", "it follows the display name")
    }

    @Test("What cannot be removed is required in /Schemas, and everything else can be removed")
    func required() async throws {
        let server = try await SCIMServer()
        let schemas = try await server.get("/Schemas").resources
        func isRequired(_ urn: String, _ name: String) -> JSONValue? {
            schemas.first { $0["id"]?.text == urn }?["attributes"]?.elements.first { $0["name"]?.text == name }?[
                "required"]
        }
        #expect(isRequired(SCIMServer.user, "active") == true)
        #expect(isRequired(SCIMServer.groupExtension, "name") == true)
        #expect(isRequired(SCIMServer.groupExtension, "description") == false)
        let group = try await server.get("/ResourceTypes/Group").body
        #expect(group["schemaExtensions"]?.elements.map { $0["required"] } == [false], "clients need not send it")
        let user = "/Users/\(try await server.create("r"))"
        let role = "/Groups/\(try await server.createGroup("R"))"
        let paths = [("User", user), ("Group", role)]
        for (type, path) in paths {
            for schema in schemas where schema["id"]?.text?.hasSuffix(":\(type)") == true {
                let urn = try #require(schema["id"]?.text)
                for attribute in schema["attributes"]?.elements ?? [] {
                    guard let name = attribute["name"]?.text, attribute["mutability"] != "readOnly" else { continue }
                    let answer = try await server.patch(path, ["op": "remove", "path": "\(urn):\(name)".json])
                    #expect((answer.status == 200) == (attribute["required"] == false), "\(urn):\(name) \(answer.body)")
                }
            }
        }
    }

    @Test(
        "A password is never shown and is held to the policy, however it is sent",
        arguments: [
            ["op": "replace", "path": "password", "value": "VALUE"], ["op": "add", "value": ["password": "VALUE"]],
            ["op": "Replace", "value": ["PASSWORD": "VALUE"]],
            ["op": "replace", "path": "urn:ietf:params:scim:schemas:core:2.0:User:password", "value": "VALUE"],
            ["op": "replace", "value": ["urn:ietf:params:scim:schemas:core:2.0:User:password": "VALUE"]],
            ["op": "replace", "value": ["urn:ietf:params:scim:schemas:core:2.0:User": ["password": "VALUE"]]],
        ] as [JSONValue])
    func password(operation: JSONValue) async throws {
        let server = try await SCIMServer()
        let path =
            "/Users/\(try await server.create("keeper.of.names", ("emails", [["value": "keeper@names.example"]])))"
        func send(_ password: String) async throws -> SCIMServer.Answer {
            let text = String(decoding: operation.bytes, as: UTF8.self).replacing("VALUE", with: password)
            return try await server.patch(path, try JSONValue(parsing: Array(text.utf8)))
        }
        for weak in ["x", "password", "keeper.of.names", "keeper@names.example"] {
            #expect(try await send(weak).refusal == "400 invalidValue")
        }
        let naming: JSONValue = ["op": "replace", "path": "userName", "value": "a.whole.new.name"]
        let both = try await server.patch(
            path, naming, ["op": "replace", "path": "password", "value": "a.whole.new.name"])
        #expect(both.refusal == "400 invalidValue")
        let answer = try await send("quite a good pass phrase")
        #expect(answer.status == 200)
        #expect(!String(decoding: answer.body.bytes, as: UTF8.self).contains("pass phrase"))
        let user = server.called(by: "Basic " + "keeper.of.names:quite a good pass phrase".base64)
        #expect(try await user.get("/Me").body["userName"] == "keeper.of.names")
        #expect(try await server.find("password pr").refusal == "400 invalidFilter")
    }

    @Test("A refused change leaves nothing behind, and says why")
    func refusals() async throws {
        let server = try await SCIMServer()
        let path = "/Users/\(try await server.create("r", ("emails", [["value": "r@x.example", "type": "work"]])))"
        let before = try await server.get(path).body
        for (operation, refusal) in [
            (["op": "replace", "path": "emails[type eq \"home\"].value", "value": "x"], "400 noTarget"),
            (["op": "remove", "path": "emails[type eq \"home\"]"], "400 noTarget"), (["op": "remove"], "400 noTarget"),
            (["op": "replace", "path": "nothing", "value": 1], "400 invalidPath"),
            (["op": "replace", "path": "emails[", "value": 1], "400 invalidFilter"),
            (["op": "replace", "path": "active", "value": "maybe"], "400 invalidValue"),
            (["op": "remove", "path": "userName"], "400 mutability"),
            (["op": "copy", "path": "title"], "400 invalidSyntax"),
            (["op": "replace", "path": "userName", "value": "a  b"], "400 invalidValue"),
            (
                ["op": "replace", "path": "externalId", "value": String(repeating: "x", count: 2_000).json],
                "400 invalidValue"
            ),
        ] as [(JSONValue, String)] {
            let answer = try await server.patch(path, ["op": "add", "path": "title", "value": "Never"], operation)
            #expect(answer.refusal == refusal, "\(answer.body)")
            #expect(try await server.get(path).body == before)
        }
        for body in [
            "", "[]", "{", "{\"a\":1,\"a\":2}", "\u{FEFF}{}", "{\"schemas\":[\"\\ud800\"]}", "{\"a\":1e400}",
            String(repeating: "[", count: 100_000),
        ] {
            let response = await server.service.respond(
                to: HTTPRequest(
                    "POST", "/scim/v2/Users",
                    headers: ["Authorization": server.authorization, "Content-Type": "application/scim+json"],
                    body: Array(body.utf8)))
            #expect(response.status == 400)
        }
        #expect(try await server.ask("POST", "/Users", [:], headers: [("Content-Type", "text/plain")]).status >= 400)
    }
}
