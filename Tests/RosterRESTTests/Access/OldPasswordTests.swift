import Foundation
import Roster
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Whoever changes their own password gives the old one")
struct OldPasswordTests {
    private static let patch: JSONValue = [
        "schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
        "Operations": [["op": "replace", "path": "password", "value": "a staple of horses"]],
    ]
    /// The ways in which people set their own passwords.
    struct Way: Sendable, CustomTestStringConvertible {
        let method: String
        let path: String
        let body: JSONValue
        var testDescription: String { "\(method) \(path)" }
    }

    static let ways = [
        Way(method: "PATCH", path: "/scim/v2/Me", body: patch),
        Way(method: "PUT", path: "/scim/v2/Me", body: ["password": "a staple of horses"]),
        Way(method: "PATCH", path: "/scim/v2/Users/ID", body: patch),
        Way(method: "PUT", path: "people/\(ServiceUnderTest.engineer)", body: ["password": "a staple of horses"]),
    ]

    private func set(_ way: Way, _ visitor: Visitor, old: JSONValue?) async throws -> Answer {
        let id = try await visitor.service.directory.unrestricted.users.user(.named(ServiceUnderTest.engineer)).id
        var body = way.body
        if way.path == "/scim/v2/Me", way.method == "PUT" {
            body = .object(await visitor.request("GET", way.path).body.members + body.members)
        }
        if let old { body["oldPassword"] = old }
        return await visitor.request(way.method, way.path.replacing("ID", with: id.description), body)
    }

    private func signsIn(_ service: ServiceUnderTest, _ password: String) async -> Bool {
        let authorization = ServiceUnderTest.basic(ServiceUnderTest.engineer, password)
        return await service.send("GET", "/scim/v2/Me", authorization, clientAddress: "192.0.2.77").status == 200
    }

    @Test("In a session it stands in the request as 'oldPassword', and the new password is set", arguments: ways)
    func session(way: Way) async throws {
        let service = try await ServiceUnderTest()
        let visitor = try await Visitor(service, ServiceUnderTest.engineer)
        let missing = try await set(way, visitor, old: nil)
        #expect(missing.status == 400 && missing.text.contains("oldPassword"), "\(missing.text)")
        #expect(try await set(way, visitor, old: "something else").status == 403)
        #expect(await !signsIn(service, "a staple of horses"))
        let answer = try await set(way, visitor, old: .string(ServiceUnderTest.password))
        #expect(answer.status == 200, "\(answer.text)")
        #expect(!answer.text.contains("oldPassword"))
        #expect(await signsIn(service, "a staple of horses"))
        #expect(await visitor.request("GET", "/db/_session").status == 401, "what was signed in ends")
    }

    @Test("Wrong ones count as attempts to sign in")
    func throttled() async throws {
        let service = try await ServiceUnderTest()
        let visitor = try await Visitor(service, ServiceUnderTest.engineer)
        var statuses: Set<Int> = []
        for _ in 0..<30 { statuses.insert(try await set(Self.ways[0], visitor, old: "something else").status) }
        #expect(statuses == [403, 429])
    }

    @Test("HTTP Basic brings it with the request, and a wrong one beside it is refused all the same")
    func basic() async throws {
        let service = try await ServiceUnderTest()
        var body = Self.patch
        body["oldPassword"] = "something else"
        #expect(await service.request("PATCH", "/scim/v2/Me", as: .person, body).status == 403)
        #expect(await service.request("PATCH", "/scim/v2/Me", as: .person, Self.patch).status == 200)
        #expect(await signsIn(service, "a staple of horses"))
    }

    @Test("An administrator who sets somebody else's password needs none, and for their own does")
    func administrators() async throws {
        let service = try await ServiceUnderTest()
        let visitor = try await Visitor(service)
        let new: JSONValue = ["password": "a staple of horses"]
        #expect(await visitor.request("PUT", "people/\(ServiceUnderTest.engineer)", new).status == 200)
        #expect(await visitor.request("PUT", "people/root", new).status == 400)
        // Two changes in one request: the second one's old password is the new one.
        let bulk: JSONValue = [
            "schemas": ["urn:ietf:params:scim:api:messages:2.0:BulkRequest"],
            "Operations": [
                ["method": "PATCH", "path": .string("/Users/" + id("root", service)), "data": Self.patch]
            ],
        ]
        let answer = await visitor.request("POST", "/scim/v2/Bulk", bulk)
        #expect(answer["Operations"]?.elements.first?["status"] == "400", "\(answer.text)")
    }

    private func id(_ name: String, _ service: ServiceUnderTest) -> String {
        (try? service.directory.unrestricted.users.user(.named(name)).id.description) ?? ""
    }

    @Test("A password is cleared by nobody who does not know it")
    func clearing() async throws {
        let service = try await ServiceUnderTest()
        let visitor = try await Visitor(service, ServiceUnderTest.engineer)
        let path = "people/\(ServiceUnderTest.engineer)"
        #expect(await visitor.request("PUT", path, ["password": .null]).status == 400)
        #expect(await signsIn(service, ServiceUnderTest.password))
    }

    @Test("A change that may not be made costs no hash and no attempt")
    func rightsFirst() async throws {
        let service = try await ServiceUnderTest()
        let visitor = try await Visitor(service, ServiceUnderTest.engineer)
        for _ in 0..<30 {
            let answer = await visitor.request(
                "PUT", "people/root", ["password": "a staple of horses", "oldPassword": "wrong"])
            #expect(answer.status == 403)
        }
        #expect(await service.request("GET", "/scim/v2/Me").status == 200, "nobody slowed the administrator down")
    }
}
