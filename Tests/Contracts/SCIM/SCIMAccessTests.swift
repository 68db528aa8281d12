import Roster
import RosterREST
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("SCIM: who may do what", .inBothForms)
struct SCIMAccessTests {
    @Test("Whoever is signed in reads what is public of others, and cannot find, sort or count by the rest")
    func publicAttributes() async throws {
        let server = try await SCIMServer()
        let tom = "/Users/\(try server.id(of: "tom.evans"))"
        let secret: JSONValue = [
            "op": "add", "path": .string(Vocabulary.extensionSchema),
            "value": ["gender": "x", "maidenName": "Born", "badge": 77],
        ]
        #expect(try await server.patch(tom, secret, ["op": "add", "path": "externalId", "value": "E"]).status == 200)
        let anna = try await server.called(byUser: "peter.ng")
        let seen = try await anna.get(tom)
        #expect(seen.status == 200)
        #expect(seen.body["userName"] == "tom.evans")
        #expect(seen.body["externalId"] == nil)
        for name in ["gender", "maidenName", "badge"] { #expect(seen.body.at(Vocabulary.extensionSchema, name) == nil) }
        #expect(try await anna.get(tom + "?attributes=gender,badge,externalId,password").body.members.count == 2)
        for name in ["gender", "maidenName", "badge", "externalId", "password"] {
            for filter in ["\(name) pr", "not (\(name) pr)", "userName pr and \(name) eq 77"] {
                #expect(try await anna.find(filter).refusal == "400 invalidFilter")
            }
            let answer = try await anna.get("/Users?count=0&sortBy=\(name)")
            #expect(answer.status == 400, "\(name)")
        }
        #expect(try await anna.get("/Users?count=100").total == 40)
        #expect(try await anna.get("/Groups").status == 200)
        #expect(try await anna.get("/Schemas").status == 200)
        let manager = try await server.called(byUser: "joerg.muench")
        #expect(try await manager.get(tom).body.at(Vocabulary.extensionSchema, "badge") == 77)
        #expect(try await manager.get(tom).body.at(Vocabulary.extensionSchema, "gender") == nil)
    }

    @Test("Whoever is signed in writes attributes of their own that are theirs to write, and nothing else")
    func me() async throws {
        let server = try await SCIMServer()
        let tom = try await server.called(byUser: "tom.evans")
        let me = try await tom.get("/Me")
        #expect(me.body["userName"] == "tom.evans")
        #expect(
            me.body.at("meta", "location")
                == "https://id.example.com/scim/v2/Users/\(try server.id(of: "tom.evans"))".json)
        #expect(me.headers["Location"] == me.body.at("meta", "location")?.text)
        #expect(try await tom.put("/Me", me.body).status == 200)
        var changed = me.body
        changed["nickName"] = "Tommy"
        #expect(try await tom.put("/Me", changed).body["nickName"] == "Tommy")
        #expect(try await tom.patch("/Me", ["op": "add", "path": "displayName", "value": "Tom!"]).status == 200)
        #expect(
            try await tom.patch(
                "/Me", ["op": "add", "path": "phoneNumbers", "value": [["value": "1", "type": "home"]]]
            ).status == 200)
        let before = try await tom.get("/Me").body
        let peter = try server.id(of: "peter.ng")
        for operation: JSONValue in [
            ["op": "replace", "path": "userName", "value": "boss"],
            ["op": "replace", "path": "active", "value": false],
            ["op": "replace", "path": "title", "value": "Boss"], ["op": "add", "path": "externalId", "value": "x"],
            ["op": "replace", "path": "emails", "value": [["value": "x@x.example"]]],
            ["op": "remove", "path": "\(SCIMServer.enterprise):manager".json],
            ["op": "add", "value": ["nickName": "N", "title": "Boss"]],
        ] { #expect(try await tom.patch("/Me", operation).status == 403) }
        changed["title"] = "Boss"
        #expect(try await tom.put("/Me", changed).status == 403)
        #expect(try await tom.get("/Me").body == before)
        let nick: JSONValue = ["op": "add", "path": "nickName", "value": "x"]
        #expect(try await tom.patch("/Users/\(peter)", nick).status == 403)
        #expect(try await tom.delete("/Users/\(peter)").status == 403)
        #expect(try await tom.delete("/Me").status == 403)
        #expect(try await tom.post("/Users", ["schemas": [.string(SCIMServer.user)], "userName": "x"]).status == 403)
        #expect(
            try await tom.post("/Groups", ["schemas": [.string(SCIMServer.group)], "displayName": "x"]).status == 403)
        let sales = "/Groups/\(try server.id(ofGroup: "sales"))"
        #expect(
            try await tom.patch(sales, ["op": "add", "path": "members", "value": [["value": peter.json]]]).status == 403
        )
        #expect(try await tom.delete(sales).status == 403)
        let bulk = try await tom.bulk([["method": "DELETE", "path": "/Users/\(peter)".json]])
        #expect(bulk.body["Operations"]?.elements.first?["status"] == "403")
        // Nobody's password but one's own.
        let password: JSONValue = ["op": "replace", "path": "password", "value": "another fine pass phrase"]
        #expect(try await tom.patch("/Users/\(peter)", password).status == 403)
        #expect(try await tom.patch("/Me", password).status == 200)
        #expect(try await tom.get("/Me").status == 401)
    }

    @Test("Nobody gets in without signing in, when disabled, or as a program to /Me")
    func outside() async throws {
        let server = try await SCIMServer()
        for caller in ["", "Bearer x", "Basic !!", "Basic " + "kenji.sato:x".base64] {
            #expect(try await server.called(by: caller).get("/Users").status == 401)
        }
        #expect(try await server.get("/Me").status == 404)
        let tom = try await server.called(byUser: "tom.evans")
        #expect(try await tom.get("/Me").status == 200)
        let path = "/Users/\(try server.id(of: "tom.evans"))"
        #expect(try await server.patch(path, ["op": "replace", "path": "active", "value": false]).status == 200)
        #expect(try await tom.get("/Me").status == 401)
        #expect(try await tom.get("/Users").status == 401)
    }

    @Test("A provisioning client changes neither how administrators sign in nor who is one")
    func administrators() async throws {
        let server = try await SCIMServer()
        let root = try await server.calledByAdministrator()
        #expect(try await root.get("/Me").status == 200)
        let id = try server.id(of: "root")
        let path = "/Users/\(id)"
        let role = "/Groups/\(try server.id(ofGroup: "administrators"))"
        let tom = try server.id(of: "tom.evans")
        for operation: JSONValue in [
            ["op": "replace", "path": "password", "value": "another fine pass phrase"],
            ["op": "replace", "path": "active", "value": false],
            ["op": "replace", "path": "userName", "value": "toor"],
            ["op": "add", "path": "emails", "value": [["value": "mine@x.example"]]],
        ] { #expect(try await server.patch(path, operation).status == 403) }
        #expect(try await server.delete(path).status == 403)
        let adding: JSONValue = ["op": "add", "path": "members", "value": [["value": tom.json]]]
        #expect(try await server.patch(role, adding).status == 403)
        #expect(try await server.patch(role, ["op": "remove", "path": "members"]).status == 403)
        #expect(try await server.patch(role, ["op": "replace", "path": "displayName", "value": "x"]).status == 403)
        #expect(try await server.delete(role).status == 403)
        #expect(try await server.patch(path, ["op": "add", "path": "title", "value": "Administrator"]).status == 200)
        // Nor by a group in between.
        let inner = try await server.createGroup("inner")
        #expect(
            try await root.patch(role, ["op": "add", "path": "members", "value": [["value": inner.json]]]).status == 204
        )
        #expect(try await server.patch("/Groups/\(inner)", adding).status == 403)
        #expect(
            try await root.patch(role, ["op": "remove", "path": "members[value eq \"\(inner)\"]".json]).status == 204)

        // The last one stays.
        #expect(try await root.delete("/Me").status == 409)
        #expect(try await root.patch("/Me", ["op": "replace", "path": "active", "value": false]).status == 409)
        #expect(try await root.patch(role, ["op": "remove", "path": "members[value eq \"\(id)\"]".json]).status == 409)
        #expect(try await root.patch(role, ["op": "replace", "path": "members", "value": []]).status == 409)
        #expect(try await root.delete(role).status == 409)
        // All of them are replaced in one request.
        let replacing: JSONValue = ["op": "replace", "path": "members", "value": [["value": tom.json]]]
        #expect(try await root.patch(role, replacing).status == 200)
        #expect(try await root.patch(role, ["op": "remove", "path": "members"]).status == 403)
    }
}
