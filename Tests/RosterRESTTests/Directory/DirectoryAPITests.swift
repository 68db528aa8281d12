import Foundation
import Roster
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import TestSupport
import Testing

@Suite("The library's operations over HTTP")
struct DirectoryAPITests {
    private static let key = "11111111-2222-3333-4444-555555555555"

    private static func create(_ uid: String) -> JSONValue {
        ["user": ["uid": .string(uid), "attributes": [:], "isActive": true]]
    }

    private func send(
        _ service: ServiceUnderTest, _ operation: String, _ body: JSONValue, key: String? = nil,
        as client: Client = .administrator
    ) async -> Answer {
        await service.request(
            "POST", "/directory/v1/\(operation)", as: client, body, headers: key.map { [("Idempotency-Key", $0)] } ?? []
        )
    }

    @Test("A change that is sent again with its key is not made again, and has the same answer")
    func repeated() async throws {
        let service = try await ServiceUnderTest()
        let first = await send(service, "createUser", Self.create("ada"), key: Self.key)
        let again = await send(service, "createUser", Self.create("ada"), key: Self.key)
        #expect(first.status == 200 && again.status == 200)
        #expect(first.bytes == again.bytes)
        let without = await send(service, "createUser", Self.create("ada"))
        #expect(without.status == 409)
        #expect(without.body["code"]?.text == "already_exists")
    }

    @Test("A key belongs to its caller and to its change")
    func keys() async throws {
        let service = try await ServiceUnderTest()
        _ = await send(service, "createUser", Self.create("ada"), key: Self.key)
        let other = await send(service, "createUser", Self.create("grace"), key: Self.key)
        #expect(other.body["code"]?.text == "invalid_input")
        let another = await send(service, "createUser", Self.create("grace"), key: Self.key, as: .provisioning)
        #expect(another.status == 200)
        for key in ["short", String(repeating: "x", count: 65), "0123456789abcdef ", "0123456789äbcdef"] {
            #expect(await send(service, "createUser", Self.create("x"), key: key).status == 400, "\(key)")
        }
    }

    @Test("A refused change keeps no answer, and is made when it can be")
    func refused() async throws {
        let service = try await ServiceUnderTest()
        let body: JSONValue = [
            "user": ["uid": "ada", "attributes": [:], "isActive": true, "manager": ["named": ["_0": "grace"]]]
        ]
        #expect(await send(service, "createUser", body, key: Self.key).status == 404)
        try await service.directory.unrestricted.users.create("grace")
        #expect(await send(service, "createUser", body, key: Self.key).status == 200)
    }

    @Test("A change can be repeated for ten minutes, also after an erasure, and no values of people are kept")
    func forgotten() async throws {
        let service = try await ServiceUnderTest()
        let view = service.directory.unrestricted
        _ = await send(service, "createUser", Self.create("ada"), key: Self.key)
        try await view.users.delete("ada", erasing: true)
        let gone = await send(service, "createUser", Self.create("ada"), key: Self.key)
        #expect(gone.body["code"]?.text == "not_found")
        #expect(gone.body["problem"]?.text == "The change was made, but its user was deleted since.")
        #expect(try await !view.users.exists("ada"))
        #expect(try service.directory.storedBytes().range(of: Data(#""ada""#.utf8)) == nil)
        service.clock.advance(by: 601)
        try await view.changes.prune()
        #expect(await send(service, "createUser", Self.create("ada"), key: Self.key).status == 200)
        #expect(try await view.users.exists("ada"))
    }

    @Test("A repeated change answers with what the caller may read at present")
    func narrowed() async throws {
        let service = try await ServiceUnderTest()
        let body: JSONValue = [
            "user": ["named": ["_0": .string(ServiceUnderTest.engineer)]],
            "changes": [["set": ["_0": "nickName", "_1": "Renny"]]],
        ]
        let first = await send(service, "modifyUser", body, key: Self.key, as: .person)
        #expect(first.body["answer"]?["attributes"]?["nickName"]?.text == "Renny", "\(first.text)")
        try await service.directory.unrestricted.attributes.setRights(
            of: "nickName", readers: .administrators, writers: .administrators)
        let again = await send(service, "modifyUser", body, key: Self.key, as: .person)
        #expect(again.status == 200 && again.body["answer"]?["attributes"]?["nickName"] == nil, "\(again.text)")
    }

    @Test("A page of changes with large values ends early, so that a follower never stands still")
    func largeChanges() async throws {
        let service = try await ServiceUnderTest()
        let view = service.directory.unrestricted
        try await view.attributes.declare([AttributeDefinition("notes", isMultiValued: true, isSearchable: false)])
        let start = try await view.changes.lastSequence()
        for round in 0..<20 {
            let notes = (0..<450).map {
                AttributeValue.string("\(round) \($0) " + String(repeating: "x", count: 1_000))
            }
            try await view.users.modify(.named(ServiceUnderTest.engineer), [.set("notes", .list(notes))])
        }
        var (sequence, count, pages) = (start, 0, 0)
        while count < 20 {
            let answer = await send(
                service, "changes",
                ["since": .integer(sequence), "limit": 1_000, "isForAdministrators": false])
            let page = try #require(answer.body["answer"], "\(answer.text.prefix(300))")
            pages += 1
            guard case .integer(let through)? = page["through"], through > sequence else { break }
            sequence = through
            count += page["changes"]?.elements.count ?? 0
        }
        #expect(count == 20 && pages > 1)
    }

    @Test("A batch is answered again even if what it made is gone")
    func goneSince() async throws {
        let service = try await ServiceUnderTest()
        let batch: Batch = [.createUser(NewUser("ada")), .deleteUser("ada")]
        let body = try JSONValue(parsing: Array(JSONEncoder().encode(["batch": batch])))
        let first = await send(service, "perform", body, key: Self.key)
        #expect(first.status == 200, "\(first.text)")
        let again = await send(service, "perform", body, key: Self.key)
        #expect(again.body["answer"]?.elements.count == 2, "\(again.text)")
    }

    @Test("A repeated change answers with the present values")
    func present() async throws {
        let service = try await ServiceUnderTest()
        let body: JSONValue = [
            "batch": ["operations": [["createUser": ["_0": ["uid": "ada", "attributes": [:], "isActive": true]]]]]
        ]
        _ = await send(service, "perform", body, key: Self.key)
        try await service.directory.unrestricted.users.modify("ada", attributes: ["title": "Analyst"])
        let again = await send(service, "perform", body, key: Self.key)
        #expect(
            again.body["answer"]?.elements.first?["user"]?["attributes"]?["title"]?.text == "Analyst", "\(again.text)")
    }

    @Test("A change without an effect is not kept, so that nobody can fill the disk with such changes")
    func noEffect() async throws {
        let service = try await ServiceUnderTest()
        func modify(_ title: JSONValue?) -> JSONValue {
            [
                "user": ["named": ["_0": .string(ServiceUnderTest.engineer)]],
                "changes": title.map { [["set": ["_0": "title", "_1": $0]]] } ?? [],
            ]
        }
        #expect(await send(service, "modifyUser", modify(nil), key: Self.key, as: .person).status == 200)
        let other = await send(service, "modifyUser", modify("Analyst"), key: Self.key)
        #expect(other.status == 200, "the key is free: \(other.text)")
        #expect(await send(service, "modifyUser", modify("Baker"), key: Self.key).status == 400)
    }

    @Test(
        "A user cannot store the hash of a password",
        arguments: ["password", "userPassword", "urn:ietf:params:scim:schemas:core:2.0:User:password"])
    func hashes(name: String) async throws {
        let service = try await ServiceUnderTest()
        let hash: JSONValue = "{SHA}hvfkN/qlp/zhXR3cuerq6jd2Z7g="
        let user: JSONValue = ["named": ["_0": .string(ServiceUnderTest.engineer)]]
        let change: JSONValue = [["set": ["_0": .string(name), "_1": hash]]]
        let bodies: [(String, JSONValue)] = [
            ("modifyUser", ["user": user, "changes": change]),
            ("upsertUser", ["uid": .string(ServiceUnderTest.engineer), "attributes": [name: hash]]),
            ("perform", ["batch": ["operations": [["modifyUser": ["_0": user, "_1": change]]]]]),
        ]
        let view = service.directory.unrestricted
        let start = try await view.changes.lastSequence()
        for (operation, body) in bodies {
            let answer = await send(service, operation, body, as: .person)
            #expect([400, 403].contains(answer.status), "\(operation): \(answer.text)")
        }
        #expect(try await view.changes.since(start).allSatisfy { $0.kind != .modified })
        let allowed = await send(service, "modifyUser", bodies[0].1)
        #expect(allowed.status == (name.hasPrefix("urn") ? 400 : 200), "\(allowed.text)")
    }

    @Test("An answer has at most 16 MiB, however often a large record is asked for")
    func largeAnswers() async throws {
        let service = try await ServiceUnderTest()
        let view = service.directory.unrestricted
        let notes = (0..<8).map { AttributeValue.string("\($0)" + String(repeating: "x", count: 60_000)) }
        try await view.attributes.declare([AttributeDefinition("notes", isMultiValued: true, isSearchable: false)])
        try await view.users.modify(.named(ServiceUnderTest.engineer), [.set("notes", .list(notes))])
        func users(_ count: Int, _ attributes: JSONValue) -> JSONValue {
            let one: JSONValue = ["named": ["_0": .string(ServiceUnderTest.engineer)]]
            return ["users": .array(Array(repeating: one, count: count)), "attributes": attributes]
        }
        #expect(await send(service, "users", users(30, ["usual": [:]]), as: .person).status == 200)
        let bodies: [(String, JSONValue)] = [
            ("users", users(50, ["usual": [:]])),
            ("users", users(200, ["only": ["_0": ["title"]]])),
            ("users", users(10_001, ["only": ["_0": ["title"]]])),
            (
                "perform",
                [
                    "batch": [
                        "operations": .array(
                            [["createUser": ["_0": ["uid": "ada", "attributes": [:], "isActive": true]]]]
                                + Array(
                                    repeating: [
                                        "modifyUser": [
                                            "_0": ["named": ["_0": .string(ServiceUnderTest.engineer)]], "_1": [],
                                        ]
                                    ], count: 50))
                    ]
                ]
            ),
        ]
        for (operation, body) in bodies {
            let answer = await send(service, operation, body)
            #expect(answer.body["code"]?.text == "limit_exceeded", "\(operation) \(answer.status)")
        }
        #expect(try await !view.users.exists("ada"), "a batch with too large an answer changes nothing")
    }

    @Test("Texts with thousands of combining marks are refused before anything compares them")
    func marks() async throws {
        let service = try await ServiceUnderTest()
        let marks = String(repeating: "\u{301}\u{323}", count: 300)
        func body(_ text: String) -> String { #"{"user":{"named":{"_0":"a\#(text)"}},"changes":[]}"# }
        let wide = try #require(body(marks).data(using: .utf16LittleEndian))
        for (bytes, problem) in [
            (Array(body(marks).utf8), "combining marks"),
            (Array(body(String(repeating: #"\u0301\u0323"#, count: 300)).utf8), "combining marks"),
            (Array(wide), "NUL byte"),
        ] {
            let answer = await service.send(
                "POST", "/directory/v1/modifyUser", service.authorization(.person), bytes)
            #expect(answer.status == 400 && answer.text.contains(problem), "\(answer.text.prefix(300))")
        }
    }

    @Test("A definition that only a built-in attribute can have is not declared")
    func definitions() async throws {
        let service = try await ServiceUnderTest()
        let own = AttributeDefinition("wing")
        let json = try JSONValue(parsing: Array(JSONEncoder().encode(own)))
        var renamed = json
        renamed["names"] = ["scim", "userName"]
        var hidden = json
        hidden["isReturnedOnRequest"] = true
        for wrong in [renamed, hidden] {
            let answer = await send(service, "declareAttributes", ["definitions": [wrong]])
            #expect(answer.body["code"]?.text == "invalid_attribute", "\(answer.text)")
        }
        #expect(await send(service, "declareAttributes", ["definitions": [json]]).status == 200)
    }

    @Test("Operations about attributes have the names of their fields, and are read with older names too")
    func olderNames() async throws {
        let service = try await ServiceUnderTest()
        let older: JSONValue = [
            "name": "wing", "entity": "user", "kind": "integer", "isMultiValued": false, "isCaseExact": false,
            "isUnique": false, "isSearchable": true, "isReturnedOnRequest": false, "readers": 4,
            "writers": "administrators", "names": [],
        ]
        #expect(await send(service, "declareAttributes", ["definitions": [older]]).status == 200)
        for (names, kind) in [
            (("kind", "isMultiValued", "isCaseExact"), "decimal"),
            (("type", "multiValued", "caseExact"), "string"),
        ] {
            let body: JSONValue = .object([
                .init("attribute", "wing"), .init(names.0, .string(kind)), .init(names.1, true), .init(names.2, true),
            ])
            let answer = await send(service, "widenAttribute", body)
            #expect(answer.status == 200, "\(answer.text)")
        }
        for (name, isIndexed) in [("isSearchable", false), ("indexed", true), ("searchable", false)] {
            let body: JSONValue = .object([.init("attribute", "wing"), .init(name, .boolean(isIndexed))])
            #expect(await send(service, "setAttributeIndex", body).status == 200)
            let wing = service.directory.unrestricted.attributes.vocabulary().definition(of: "wing")
            #expect(wing?.isIndexed == isIndexed && wing?.kind == .string && wing?.isMultiValued == true)
        }
        for (entity, readers) in [("entity", 3), ("of", "administrators")] as [(String, JSONValue)] {
            let body: JSONValue = .object([
                .init("attribute", "title"), .init(entity, "user"), .init("readers", readers),
            ])
            #expect(await send(service, "setAttributeRights", body).status == 200)
        }
        let answer = await service.request(
            "POST", "/directory/v1/countUsers", as: .administrator, ["filter": ["everything": [:]]],
            headers: [("Vocabulary-Revision", "0")])
        #expect(answer.text.contains("\"multiValued\":true") && answer.text.contains("\"indexed\":false"))
        for name in AttributeField.allCases.flatMap(\.olderNames) {
            #expect(!answer.text.contains("\"\(name)\":"), "\(name): \(answer.text)")
        }
    }

    @Test("The vocabulary comes along for a client that knows another revision of it")
    func vocabulary() async throws {
        let service = try await ServiceUnderTest()
        try await service.directory.unrestricted.attributes.declare([AttributeDefinition("wing")])
        func ask(_ revision: String?) async -> Answer {
            await service.request(
                "POST", "/directory/v1/countUsers", as: .administrator, ["filter": ["everything": [:]]],
                headers: revision.map { [("Vocabulary-Revision", $0)] } ?? [])
        }
        let first = await ask("0")
        #expect(first.body["vocabulary"]?["declared"]?.elements.isEmpty == false, "\(first.text)")
        let revision = try #require(first.body["revision"])
        #expect(await ask(String(decoding: revision.bytes, as: UTF8.self)).body["vocabulary"] == nil)
        #expect(await ask(nil).body["vocabulary"] == nil)
        #expect(await ask("x").status == 400)
    }

    @Test("A user can have 16 waits for a commit, and a further one is refused")
    func waits() async throws {
        let service = try await ServiceUnderTest()
        _ = await send(service, "awaitCommit", [:], as: .person)
        // The entry about this sign-in is a commit too.
        await service.signIn.oauth.audit.flush()
        let first = await send(service, "awaitCommit", [:], as: .person)
        let number = try #require(first.body["answer"])
        let statuses = Locked<[Int]>([])
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    let answer = await send(service, "awaitCommit", ["after": number], as: .person)
                    let refusals = statuses.withLock { statuses in
                        statuses.append(answer.status)
                        return statuses.count { $0 == 429 }
                    }
                    // Ends the waits that were let in.
                    if refusals == 4 { _ = try? await service.directory.unrestricted.users.create("ada") }
                }
            }
        }
        #expect(statuses.withLock { $0.sorted() } == Array(repeating: 200, count: 16) + Array(repeating: 429, count: 4))
    }

    @Test("An error tells its code, its attribute, its advice and its place")
    func errors() async throws {
        let service = try await ServiceUnderTest()
        let bad = await send(
            service, "modifyUser",
            [
                "user": ["named": ["_0": .string(ServiceUnderTest.engineer)]],
                "changes": [["set": ["_0": "nothingSuch", "_1": "x"]]],
            ])
        #expect(bad.status == 400)
        #expect(bad.body["code"]?.text == "invalid_attribute")
        #expect(bad.body["attribute"]?.text == "nothingSuch")
        #expect(bad.response.headers["Content-Type"] == "application/problem+json")
        let batch = await send(
            service, "perform",
            [
                "batch": [
                    "operations": [
                        ["createRole": ["_0": "r", "_1": [:]]], ["deleteRole": ["_0": ["named": ["_0": "x"]]]],
                    ]
                ]
            ])
        #expect(batch.body["place"]?["operation"] == .integer(2), "\(batch.text)")
        #expect(batch.body["code"]?.text == "not_found")
    }

    @Test("Operations have the rights of their caller, and nobody else's")
    func rights() async throws {
        let service = try await ServiceUnderTest()
        #expect(await send(service, "createUser", Self.create("ada"), as: .person).status == 403)
        for client in Client.notLetIn {
            let answer = await send(service, "countUsers", ["filter": ["everything": [:]]], as: client)
            #expect([401, 403].contains(answer.status), "\(client)")
        }
        #expect(await send(service, "countUsers", ["filter": ["everything": [:]]], as: .monitoring).status == 403)
    }

    @Test(
        "What is no operation is refused with a reason",
        arguments: [
            ("none", #"{}"#, 404), ("user", #"{"#, 400), ("user", #"[]"#, 400), ("user", #"{"user":1}"#, 400),
            ("countUsers", #"{"filter":"# + String(repeating: #"{"not":{"_0":"#, count: 5_000), 400),
            ("changes", #"{"since":1e30,"limit":1,"isForAdministrators":false}"#, 400),
            ("below", #"{"user":{"named":{"_0":"x"}},"attributes":{"usual":{}},"offset":-9223372036854775808}"#, 400),
        ])
    func malformed(operation: String, body: String, status: Int) async throws {
        let service = try await ServiceUnderTest()
        let answer = await service.send(
            "POST", "/directory/v1/\(operation)", service.authorization(.administrator), Array(body.utf8))
        #expect(answer.status == status, "\(answer.text)")
    }
}
