import Foundation
import Roster
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Attacks by having passwords hashed", .timeLimit(.minutes(2)))
struct HashingAttackTests {
    private static let patch: JSONValue = [
        "schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
        "Operations": [["op": "replace", "path": "password", "value": "another long password"]],
    ]

    /// A service in which no new password is hashed until the gate opens.
    private func blocked(_ body: (ServiceUnderTest, HashSlots) async throws -> Void) async throws {
        let service = try await ServiceUnderTest()
        let slots = service.signIn.passwords.slotsForNew
        let gate = Gate()
        let holder = Task { try await slots.run(for: HashSlots.Share("holder")) { gate.pass() } }
        while slots.load.running == 0 { await Task.yield() }
        try await body(service, slots)
        gate.open()
        try await holder.value
        while slots.load != (0, 0) { await Task.yield() }
    }

    @Test("Whoever may not set a password is refused before anything is hashed, by every interface")
    func rightsFirst() async throws {
        try await blocked { service, slots in
            let lead = try await service.directory.unrestricted.users.user(.named(ServiceUnderTest.lead)).id
            let root = try await service.directory.unrestricted.users.user(.named("root")).id
            let user: JSONValue = [
                "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": "eve",
                "password": "another long password",
            ]
            let bulk: JSONValue = [
                "schemas": ["urn:ietf:params:scim:api:messages:2.0:BulkRequest"],
                "Operations": [
                    ["method": "PATCH", "path": .string("/Users/\(lead)"), "data": Self.patch],
                    ["method": "POST", "path": "/Users", "bulkId": "a", "data": user],
                ],
            ]
            let profile: JSONValue = ["uid": "eve", "password": "another long password"]
            let asked: [(String, String, JSONValue, Client, Int)] = [
                ("POST", "/scim/v2/Users", user, .person, 403),
                ("PATCH", "/scim/v2/Users/\(lead)", Self.patch, .person, 403),
                ("PUT", "/scim/v2/Users/\(lead)", user, .person, 403), ("POST", "/scim/v2/Bulk", bulk, .person, 200),
                ("PATCH", "/scim/v2/Users/\(root)", Self.patch, .provisioning, 403),
                ("PATCH", "/scim/v2/Users/1234567890", Self.patch, .administrator, 404),
                ("POST", "people", profile, .person, 403),
                ("PUT", "people/\(ServiceUnderTest.lead)", ["password": "another long password"], .person, 403),
                // Their own password, with an attribute that is not theirs.
                (
                    "PUT", "people/\(ServiceUnderTest.engineer)",
                    ["password": "another long password", "title": "CEO"], .person, 403
                ),
            ]
            for (method, path, body, client, status) in asked {
                let answer = await service.request(method, path, as: client, body)
                #expect(answer.status == status, "\(method) \(path) \(client): \(answer.text)")
                if status == 200 { #expect(answer.text.ranges(of: "403").count >= 2, "\(answer.text)") }
                #expect(slots.load == (1, 0), "\(method) \(path) waits for a hash")
            }
        }
    }

    @Test("Eighty connections that set a password of their own do not stop an administrator's change")
    func eighty() async throws {
        let service = try await ServiceUnderTest()
        let slots = service.signIn.passwords.slotsForNew
        let gate = Gate()
        let holder = Task { try await slots.run(for: HashSlots.Share("holder")) { gate.pass() } }
        while slots.load.running == 0 { await Task.yield() }
        let flood = (0..<80).map { _ in
            Task {
                await service.request(
                    "PUT", "people/\(ServiceUnderTest.engineer)", as: .person, ["password": "another long password"])
            }
        }
        while slots.load.waiting < 64 { await Task.yield() }
        let change = Task {
            await service.request(
                "PUT", "people/\(ServiceUnderTest.lead)", as: .administrator, ["password": "another long password"])
        }
        while slots.load.waiting < 65 { await Task.yield() }
        gate.open()
        try await holder.value
        #expect(await change.value.status == 200)
        var statuses: [Int: Int] = [:]
        for task in flood {
            let answer = await task.value
            statuses[answer.status, default: 0] += 1
            if answer.status == 429 { #expect(answer.response.headers["Retry-After"] != nil) }
        }
        #expect((statuses[429] ?? 0) >= 1, "\(statuses)")
    }

    @Test("Twelve addresses that send passwords without end keep nobody else's right one out")
    func twelveAddresses() async throws {
        let service = try await ServiceUnderTest()
        let slots = service.signIn.passwords.slots
        let gate = Gate()
        let holders = (0..<slots.slots).map { _ in
            Task { try await slots.run(for: HashSlots.Share("holder")) { gate.pass() } }
        }
        while slots.load.running < slots.slots { await Task.yield() }
        var flood: [Task<Answer, Never>] = []
        for number in 0..<(12 * 40) {
            let name = "guess\(number)"
            flood.append(
                Task {
                    await service.send(
                        "GET", "/scim/v2/Me", ServiceUnderTest.basic(name), clientAddress: "127.0.0.\(1 + number % 12)")
                })
        }
        while slots.load.waiting < 256 { await Task.yield() }
        let friend = Task {
            await service.send(
                "GET", "/scim/v2/Me", ServiceUnderTest.basic(ServiceUnderTest.engineer), clientAddress: "192.0.2.77")
        }
        while slots.waiting("192.0.2.77") == 0 { await Task.yield() }
        gate.open()
        #expect(await friend.value.status == 200)
        for holder in holders { try await holder.value }
        var refused = 0
        for task in flood { refused += await task.value.status == 429 ? 1 : 0 }
        #expect(refused > 100, "who overdoes it is told to wait")
    }
}
