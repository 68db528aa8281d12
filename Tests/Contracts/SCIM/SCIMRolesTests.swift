import Roster
import RosterREST
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("SCIM: roles and value paths as Entra ID sends them", .inBothForms)
struct SCIMRolesTests {
    /// What the answer shows of `roles` besides the user's groups.
    static func written(_ user: JSONValue) -> [JSONValue] {
        (user["roles"]?.elements ?? []).filter { !["direct", "indirect"].contains($0["type"]?.text) }
    }

    @Test("roles[primary eq \"True\"].value is added, replaced and removed, with booleans as text")
    func primaryRole() async throws {
        let server = try await SCIMServer()
        let path = "/Users/\(try await server.create("entra"))"
        func send(_ op: String, _ value: JSONValue? = nil) async throws -> SCIMServer.Answer {
            var operation: JSONValue = ["op": op.json, "path": #"roles[primary eq "True"].value"#]
            if let value { operation["value"] = value }
            return try await server.patch(path, operation)
        }
        #expect(try await send("Replace", "none yet").refusal == "400 noTarget")
        #expect(try await send("Add", "Engineer").status == 200)
        #expect(try await server.get(path).body["roles"] == [["primary": true, "value": "Engineer"]])
        let other: JSONValue = [
            "op": "Add", "path": "roles", "value": [["primary": "False", "value": "Reader", "type": "app"]],
        ]
        #expect(try await server.patch(path, other).status == 200)
        #expect(try await send("Replace", "Architect").status == 200)
        #expect(
            try await server.get(path).body["roles"] == [
                ["primary": true, "value": "Architect"], ["primary": false, "type": "app", "value": "Reader"],
            ])
        #expect(try await send("Remove").status == 200)
        #expect(try await server.get(path).body["roles"]?.elements.compactMap { $0["value"] } == ["Reader"])
        #expect(try await send("Remove").refusal == "400 noTarget")
        #expect(try await server.patch(path, ["op": "Remove", "path": "roles"]).status == 200)
        #expect(try await server.get(path).body["roles"] == nil)
    }

    @Test("roles are kept as they are sent with POST and PUT, and grant nothing")
    func data() async throws {
        let server = try await SCIMServer()
        let administrators = try await server.directory.unrestricted.awaitRead {
            try $0.asPresentAdministrator(to: "test").powers.administratorsRole().name
        }
        let sent: JSONValue = [
            [
                "value": administrators.json, "display": "Boss", "type": "WindowsAzureActiveDirectoryRole",
                "primary": "True",
            ],
            ["value": "{\"id\":\"18d14569\",\"value\":\"Admin\"}"], "finance",
        ]
        let id = try await server.create("climber", ("roles", sent), ("password", "a long pass phrase of mine"))
        let user = try await server.get("/Users/\(id)").body
        #expect(
            user["roles"] == [
                [
                    "display": "Boss", "primary": true, "type": "WindowsAzureActiveDirectoryRole",
                    "value": administrators.json,
                ],
                ["value": "{\"id\":\"18d14569\",\"value\":\"Admin\"}"], ["value": "finance"],
            ])
        #expect(user["groups"] == nil)
        let climber = server.called(by: "Basic " + "climber:a long pass phrase of mine".base64)
        #expect(try await climber.delete("/Users/\(try server.id(of: "tom.evans"))").status == 403)
        let own: JSONValue = ["op": "add", "path": "roles", "value": "more"]
        #expect(try await climber.patch("/Me", own).status == 403)

        // Somebody in a group who is read and written back keeps the one and is in the other.
        let member = "/Users/\(try server.id(of: "ren.watanabe"))"
        let before = try await server.get(member).body
        #expect(before["roles"]?.elements.isEmpty == false)
        #expect(try await server.patch(member, ["op": "add", "path": "roles", "value": "Pilot"]).status == 200)
        var whole = try await server.get(member).body
        #expect(Self.written(whole) == [["value": "Pilot"]])
        whole["title"] = "Captain"
        let put = try await server.put(member, whole).body
        #expect(put["roles"] == whole["roles"] && put["groups"] == before["groups"])
        whole["roles"] = nil
        #expect(try await server.put(member, whole).body["roles"] == before["roles"], "PUT without roles clears them")
        for operation: JSONValue in [
            ["op": "add", "path": #"roles[type eq "direct"].value"#, "value": "administrators"],
            ["op": "replace", "path": "roles.type", "value": "Direct"],
        ] {
            _ = try await server.patch(member, ["op": "add", "path": "roles", "value": "Pilot"])
            #expect(try await server.patch(member, operation).refusal == "400 mutability")
        }
    }

    @Test("A filter finds roles that clients wrote, and groups by name")
    func filters() async throws {
        let server = try await SCIMServer()
        _ = try await server.create(
            "one", ("roles", [["value": "Pilot", "type": "app", "primary": true], ["value": "x"]]))
        _ = try await server.create("two", ("roles", [["value": "pilots"]]))
        let inGroup = try await server.find("groups.display eq \"platform\"").names
        #expect(!inGroup.isEmpty)
        for (filter, names) in [
            ("roles eq \"PILOT\"", ["one"]), ("roles.value sw \"pilot\"", ["one", "two"]),
            ("roles[primary eq \"True\"].value eq \"Pilot\"", ["one"]),
            ("roles[primary eq \"True\"].value eq \"x\"", []),
            ("roles[primary eq false].value eq \"x\"", ["one"]), ("roles[type eq \"app\"]", ["one"]),
            ("roles[value eq \"pilot\" and type eq \"app\"] or roles.value eq \"pilots\"", ["one", "two"]),
            ("roles.value eq \"platform\"", inGroup), ("roles[value eq \"platform\"].type eq \"direct\"", inGroup),
            ("roles[type eq \"direct\" and value eq \"platform\"]", inGroup),
            ("roles[type eq \"indirect\" and value eq \"platform\"]", []),
            ("roles pr and userName sw \"o\" and not (groups pr)", ["one"]),
            ("roles ne \"Pilot\" and (userName eq \"one\" or userName eq \"two\")", ["two"]),
        ] {
            let found = try await server.find(filter)
            #expect(Set(found.names) == Set(names), "\(filter): \(found.body["detail"]?.text ?? "")")
        }
    }

    @Test("A value path with a part behind it finds whom the same filter in brackets finds")
    func valuePaths() async throws {
        let server = try await SCIMServer()
        let address: JSONValue = ["type": "home", "country": "DE", "locality": "Hamburg"]
        _ = try await server.create(
            "ada",
            (
                "emails",
                [["value": "ada@work.example", "type": "work"], ["value": "ada@home.example", "type": "home"]]
            ),
            ("phoneNumbers", [["value": "+49 40 1", "type": "mobile"]]), ("addresses", [address]))
        _ = try await server.create("bo", ("emails", [["value": "ada@work.example", "type": "home"]]))
        let both = " and (userName eq \"ada\" or userName eq \"bo\")"
        for (filter, names) in [
            (#"emails[type eq "work"].value eq "ADA@work.example""#, ["ada"]),
            (#"emails[type eq "work"].value eq "ada@home.example""#, []),
            (#"emails[type eq "home"].value co "home""#, ["ada"]),
            (#"emails[type eq "home"].value ew ".example""#, ["ada", "bo"]),
            (#"emails[type eq "work"].value sw "ada""#, ["ada"]), (#"emails[type eq "work"].value pr"#, ["ada"]),
            (#"emails[type eq "work"].value ne "ada@work.example""#, ["bo"]),
            (#"emails[type eq "work"].value eq null"#, ["bo"]),
            (#"emails[type eq "home"].value gt "ada@i""#, ["bo"]),
            (#"emails[type eq "home"].value le "ada@i""#, ["ada"]),
            (#"not (emails[type eq "work"].value pr)"#, ["bo"]),
            (#"phoneNumbers[type eq "mobile"].value sw "+49""#, ["ada"]),
            (#"addresses[type eq "home" and country eq "DE"].locality eq "hamburg""#, ["ada"]),
            (#"(emails[type eq "work"].value eq "x" or addresses[type eq "home"].country eq "de")"#, ["ada"]),
            (
                #"emails[type eq "work"].value eq "ada@work.example" and not (phoneNumbers[type eq "mobile"].value pr)"#,
                []
            ),
        ] {
            let found = try await server.find(filter + both)
            #expect(Set(found.names) == Set(names), "\(filter): \(found.body["detail"]?.text ?? "")")
        }
        for refused in [
            #"emails[type eq "work"].nothing eq "x""#, #"emails[type eq "work"].value"#,
            #"userName[value eq "x"].value pr"#,
        ] { #expect(try await server.find(refused).refusal == "400 invalidFilter") }
    }
}
