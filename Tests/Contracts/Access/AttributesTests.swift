import Foundation
import Roster
import RosterREST
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Attributes of one's own over HTTP", .inBothForms)
struct AttributesTests {
    private static let path = "/admin/attributes"

    @Test("A change with the wrong entity is refused, and changes nothing of the attribute with that name")
    func wrongEntity() async throws {
        let service = try await ServiceUnderTest()
        let pass: JSONValue = ["name": "pass", "type": "integer", "unique": true, "minimum": 1]
        #expect(await service.request("POST", Self.path, pass).status == 201)
        func shown() async -> JSONValue? {
            await service.request("GET", Self.path)["attributes"]?.elements.first { $0["name"] == "pass" }
        }
        let before = await shown()
        let changes: [JSONValue] = [
            ["minimum": 2], ["type": "decimal"], ["name": "ticket"], ["indexed": false], ["multiValued": true],
            ["labels": ["de": "Ausweis"]], ["readers": "managers"],
        ]
        for change in changes {
            var change = change
            change["of"] = "role"
            let answer = await service.request("PUT", Self.path + "/pass", change)
            #expect(answer.status == 400 && answer.text.contains("of a role"), "\(change.written): \(answer.text)")
        }
        #expect(await shown() == before && before != nil)
    }

    @Test("Administrators declare, widen, rename, index and undeclare attributes; others may not")
    func life() async throws {
        let service = try await ServiceUnderTest()
        let path = Self.path
        let declaration: JSONValue = [
            "name": "pass", "type": "integer", "indexed": false, "minimum": 1, "readers": "managers",
        ]
        for client in [Client.person, .provisioning, .monitoring] {
            #expect(await service.request("POST", path, as: client, declaration).status == 403, "\(client)")
            #expect(await service.request("PUT", path + "/badge", as: client, ["name": "pass"]).status == 403)
            #expect(await service.request("DELETE", path + "/badge", as: client).status == 403, "\(client)")
        }
        let made = await service.request("POST", path, declaration)
        #expect(made.status == 201 && made["indexed"] == false && made["minimum"] == 1, "\(made.text)")
        let users = service.directory.unrestricted.users
        try await users.modify(.named(ServiceUnderTest.lead), attributes: ["pass": 7])
        let wide = await service.request(
            "PUT", path + "/pass",
            ["type": "decimal", "multiValued": true, "indexed": true, "maximum": .decimal(9.5)])
        #expect(wide.status == 200 && wide["type"] == "decimal" && wide["maximum"] == .decimal(9.5), "\(wide.text)")
        #expect(wide["readers"] == "managers" && wide["minimum"] == 1)
        #expect(try await users.user(.named(ServiceUnderTest.lead))["pass"] == [.decimal(7)])
        #expect(await service.request("PUT", path + "/pass", ["minimum": 8]).status == 400, "7 is stored")
        let text = await service.request("PUT", path + "/pass", ["minimum": .null, "maximum": .null, "name": "ticket"])
        #expect(text.status == 200 && text["name"] == "ticket" && text["minimum"] == nil, "\(text.text)")
        #expect(await service.request("PUT", path + "/pass", ["indexed": false]).status == 400, "the old name")
        let all = await service.request("GET", path)
        let shown = all["attributes"]?.elements.first { $0["name"] == "ticket" }
        #expect(shown?["declared"] == true && shown?["indexed"] == true, "\(all.text)")
        #expect(await service.request("DELETE", path + "/ticket").status == 400, "the lead has a value")
        #expect(await service.request("DELETE", path + "/ticket?removing_values=perhaps").status == 400)
        #expect(await service.request("DELETE", path + "/ticket?removing_values=true").status == 204)
        #expect(try await users.user(.named(ServiceUnderTest.lead))["ticket"] == nil)
        #expect(service.directory.unrestricted.attributes.vocabulary().definition(of: "ticket") == nil)
    }

    @Test("People read the names and descriptions of attributes that they may read of somebody, in all languages")
    func texts() async throws {
        let service = try await ServiceUnderTest()
        let labels: JSONValue = ["de": "Spind", "en": "Locker"]
        for (name, readers) in ["locker": "managers", "hidden": "administrators"] {
            let made = await service.request(
                "POST", Self.path, ["name": .string(name), "readers": .string(readers), "labels": labels])
            #expect(made.status == 201 && made["labels"]?["de"] == "Spind", "\(made.text)")
        }
        let changed = await service.request(
            "PUT", Self.path + "/locker", ["descriptions": ["en": "In the basement."], "indexed": false])
        #expect(changed["labels"]?["en"] == "Locker" && changed["descriptions"]?["en"] == "In the basement.")
        let (french, spanish): (JSONValue, JSONValue) = (
            ["labels": ["fr": "Casier"]], ["labels": ["es": "Taquilla", "de": .null]]
        )
        for change in [french, spanish] {
            #expect(await service.request("PUT", Self.path + "/locker", change).status == 200)
        }
        let both = await service.request("PUT", Self.path + "/locker", ["labels": ["de": "Spind"]])
        #expect(both["labels"] == ["de": "Spind", "en": "Locker", "es": "Taquilla", "fr": "Casier"], "\(both.text)")
        func names(as client: Client) async -> [String?]? {
            let answer = await service.request("GET", "/attributes", as: client)
            return answer["attributes"]?.elements.map { $0["name"]?.text }
        }
        #expect(await names(as: .person) == ["locker"])
        #expect(await Set(names(as: .administrator) ?? []) == ["locker", "hidden"])
        let schema = await service.request("GET", "/scim/v2/Schemas")
        #expect(schema.text.contains("In the basement.") && schema.text.contains("\"Locker\""))
        let none = await service.request("PUT", Self.path + "/locker", ["labels": .null, "descriptions": .null])
        #expect(none.status == 200 && none["labels"] == nil)
        #expect(await names(as: .person) == [])
        for wrong in [["labels": "Spind"], ["labels": ["de": 5]], ["labels": ["a b": "x"]]] as [JSONValue] {
            #expect(await service.request("PUT", Self.path + "/locker", wrong).status == 400, "\(wrong)")
        }
        #expect(await service.request("PUT", Self.path + "/title", ["labels": labels]).status == 400)
    }

    @Test("A body with a mistake is refused, and changes nothing")
    func mistakes() async throws {
        let service = try await ServiceUnderTest()
        let before = try await service.directory.unrestricted.changes.lastSequence()
        for body in [
            [:], ["name": 5], ["name": "a b"], ["name": "a", "type": "text"], ["name": "a", "sort": "string"],
            ["name": "a", "pattern": "("], ["name": "a", "unique": "yes"], ["name": "a", "minimum": "1"],
            ["name": "a", "minimumLength": .decimal(1.5)], ["name": "a", "of": "group"],
            ["name": "a", "of": "role", "unique": true],
        ] as [JSONValue] { #expect(await service.request("POST", Self.path, body).status == 400, "\(body)") }
        #expect(await service.request("POST", Self.path, ["name": "title"]).status == 409)
        for body in [
            [:], ["of": "user"], ["rules": []], ["type": "integer"], ["name": "heading"], ["unique": true],
            ["readers": "administrators", "name": "heading"],
        ] as [JSONValue] { #expect(await service.request("PUT", Self.path + "/title", body).status == 400, "\(body)") }
        let vocabulary = service.directory.unrestricted.attributes.vocabulary()
        #expect(vocabulary.definition(of: "title")?.readers == .signedIn, "all of it or nothing")
        let changes = try await service.directory.unrestricted.changes.since(before)
        #expect(!changes.contains { $0.entity == .attribute })
    }

    @Test("Older names of fields are read; the answers have the names of today")
    func olderNames() async throws {
        let service = try await ServiceUnderTest()
        let body: JSONValue = [
            "name": "langs", "multi_valued": true, "case_exact": true, "searchable": false, "minimum_length": 2,
            "maximum_length": 5,
        ]
        let made = await service.request("POST", Self.path, body)
        #expect(made.status == 201, "\(made.text)")
        let expected: JSONValue = [
            "name": "langs", "type": "string", "of": "user", "multiValued": true, "caseExact": true, "unique": false,
            "minimumLength": 2, "maximumLength": 5, "indexed": false, "readers": "signedIn",
            "writers": "administrators", "declared": true,
        ]
        #expect(try JSONValue(strictly: made.bytes) == expected, "\(made.text)")
        let changed = await service.request(
            "PUT", Self.path + "/langs", ["searchable": true, "minimum_length": .null, "case_exact": false])
        #expect(changed.status == 200 && changed["indexed"] == true && changed["caseExact"] == false)
        #expect(changed["minimumLength"] == nil && changed["maximumLength"] == 5, "\(changed.text)")
        let both = await service.request("PUT", Self.path + "/langs", ["searchable": true, "indexed": true])
        #expect(both.status == 400 && both.text.contains("Give 'indexed' alone"), "\(both.text)")
        let form = await service.request("GET", "/forms/" + ServiceUnderTest.lead)
        let langs = form["attributes"]?.elements.first { $0["name"] == "langs" }
        #expect(langs?["multiValued"] == true && langs?["multi_valued"] == nil, "\(form.text)")
    }

    @Test("A value that breaks a rule is 400 invalidValue in SCIM and 400 in the other interfaces; a taken one is 409")
    func values() async throws {
        let service = try await ServiceUnderTest()
        let rules: JSONValue = ["name": "pass", "pattern": "[A-Z][0-9]+", "unique": true]
        #expect(await service.request("POST", Self.path, rules).status == 201)
        let mail = await service.request("PUT", Self.path + "/mail", ["unique": true])
        #expect(mail.status == 200 && mail["unique"] == true, "\(mail.text)")
        let own: JSONValue = .string(Vocabulary.extensionSchema)
        let core: JSONValue = "urn:ietf:params:scim:schemas:core:2.0:User"
        func create(_ name: String, _ pass: String, _ address: String) async -> (status: Int, text: String) {
            let body: JSONValue = .object([
                .init("schemas", [core, own]), .init("userName", .string(name)),
                .init("emails", [["value": .string(address)]]),
                .init(Vocabulary.extensionSchema, ["pass": .string(pass)]),
            ])
            let answer = await service.request("POST", "/scim/v2/Users", body)
            return (answer.status, answer.text)
        }
        #expect(await create("one", "A1", "one@x.org").status == 201)
        for (pass, address, status, type) in [
            ("a1", "two@x.org", 400, "invalidValue"), ("A2", "nobody", 400, "invalidValue"),
            ("A1", "two@x.org", 409, "uniqueness"), ("A2", "ONE@x.org", 409, "uniqueness"),
        ] {
            let answer = await create("two", pass, address)
            #expect(answer.status == status && answer.text.contains(type), "\(pass) \(address): \(answer.text)")
        }
        for (body, status) in [
            (["uid": "two", "pass": "x"], 400), (["uid": "two", "mail": "x y@x.org"], 400),
            (["uid": "two", "hiredate": "2025-02-30"], 400), (["uid": "two", "pass": "A1"], 409),
        ] as [(JSONValue, Int)] {
            let answer = await service.request("POST", "people", body)
            #expect(answer.status == status, "\(body): \(answer.text)")
        }
        #expect(await service.request("DELETE", Self.path + "/mail").status == 204)
        #expect(await service.request("PUT", Self.path + "/mail", ["unique": false]).status == 200)
        #expect(await create("two", "A2", "ONE@x.org").status == 201)
    }
}
