import Foundation
import Roster
import RosterREST
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

    @Test("Kept answers go after ten minutes, and with an erasure")
    func forgotten() async throws {
        let service = try await ServiceUnderTest()
        let view = service.directory.unrestricted
        _ = await send(service, "createUser", Self.create("ada"), key: Self.key)
        try await view.users.delete("ada", erasing: true)
        #expect(await send(service, "createUser", Self.create("ada"), key: Self.key).status == 200)
        #expect(try await view.users.exists("ada"), "the answer was not kept")
        try await view.users.delete("ada")
        service.clock.advance(by: 601)
        try await view.changes.prune()
        #expect(await send(service, "createUser", Self.create("ada"), key: Self.key).status == 200)
        #expect(try await view.users.exists("ada"))
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
