import RosterREST
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("SCIM: bulk", .inBothForms)
struct SCIMBulkTests {
    private static func user(_ name: String, bulkID: String, manager: String? = nil) -> JSONValue {
        var data: JSONValue = ["schemas": [.string(SCIMServer.user)], "userName": name.json]
        if let manager { data[SCIMServer.enterprise] = ["manager": ["value": manager.json]] }
        return ["method": "POST", "path": "/Users", "bulkId": bulkID.json, "data": data]
    }

    private static func group(_ name: String, bulkID: String, members: [String]) -> JSONValue {
        [
            "method": "POST", "path": "/Groups", "bulkId": bulkID.json,
            "data": [
                "schemas": [.string(SCIMServer.group)], "displayName": name.json,
                "members": .array(members.map { ["value": $0.json] }),
            ],
        ]
    }

    private static func statuses(_ answer: SCIMServer.Answer) -> [String?] {
        (answer.body["Operations"]?.elements ?? []).map { $0["status"]?.text }
    }

    @Test("Operations refer to what others create, in any order, and answer in the order of the request")
    func anyOrder() async throws {
        let server = try await SCIMServer()
        let answer = try await server.bulk([
            Self.group("Outer", bulkID: "g1", members: ["bulkId:g2", "bulkId:u1"]),
            Self.group("Inner", bulkID: "g2", members: ["bulkId:u2"]),
            [
                "method": "PATCH", "path": "/Users/bulkId:u1",
                "data": [
                    "schemas": [.string(SCIMPatch.schema)],
                    "Operations": [["op": "add", "path": "title", "value": "Patched"]],
                ],
            ],
            Self.user("u.one", bulkID: "u1", manager: "bulkId:u2"), Self.user("u.two", bulkID: "u2"),
        ])
        #expect(answer.status == 200)
        #expect(answer.body["schemas"] == ["urn:ietf:params:scim:api:messages:2.0:BulkResponse"])
        #expect(Self.statuses(answer) == ["201", "201", "200", "201", "201"])
        let operations = answer.body["Operations"]?.elements ?? []
        #expect(operations.map { $0["bulkId"]?.text } == ["g1", "g2", nil, "u1", "u2"])
        #expect(operations.allSatisfy { $0["version"] != nil && $0["location"]?.text?.hasPrefix("https://") == true })
        let one = try await server.get("/Users/\(try server.id(of: "u.one"))").body
        #expect(one["title"] == "Patched")
        #expect(one["active"] == true)
        #expect(one.at(SCIMServer.enterprise, "manager", "displayName") == "u.two")
        #expect(try await server.members(try server.id(ofGroup: "Outer")).count == 2)
    }

    @Test("References in a circle, and to what is not created, are conflicts; the others are carried out")
    func circles() async throws {
        let server = try await SCIMServer()
        let answer = try await server.bulk([
            Self.user("c.one", bulkID: "a", manager: "bulkId:b"), Self.user("c.two", bulkID: "b", manager: "bulkId:a"),
            Self.user("c.three", bulkID: "c"), Self.user("c.four", bulkID: "d", manager: "bulkId:missing"),
        ])
        #expect(Self.statuses(answer) == ["409", "409", "201", "409"])
        let response = answer.body["Operations"]?.elements.first?["response"]
        #expect(response?["schemas"] == ["urn:ietf:params:scim:api:messages:2.0:Error"])
        #expect(response?["status"] == "409")
    }

    @Test("failOnErrors ends the work after so many failures")
    func failOnErrors() async throws {
        let server = try await SCIMServer()
        let operations = [
            Self.user("f.one", bulkID: "1"), Self.user("kenji.sato", bulkID: "2"), Self.user("f.two", bulkID: "3"),
            Self.user("a  b", bulkID: "4"), Self.user("f.three", bulkID: "5"),
        ]
        #expect(Self.statuses(try await server.bulk(operations, failOnErrors: 2)) == ["201", "409", "201", "400"])
        #expect(try await server.find(#"userName sw "f.""#).names.sorted() == ["f.one", "f.two"])
        let all = Self.statuses(try await server.bulk(operations))
        #expect(all == ["409", "409", "409", "400", "201"])
        for wrong: JSONValue in [0, -1, "1"] {
            #expect(try await server.bulk(operations, failOnErrors: wrong).refusal == "400 invalidValue")
        }
    }

    @Test(
        "Too many operations, and too many bytes, are refused as too large",
        .inProcess("The server refuses so large a body itself."))
    func limits() async throws {
        let server = try await SCIMServer()
        let delete: JSONValue = ["method": "DELETE", "path": "/Users/x"]
        #expect(try await server.bulk(Array(repeating: delete, count: 1_000)).status == 200)
        #expect(try await server.bulk(Array(repeating: delete, count: 1_001)).status == 413)
        let long = Self.user(String(repeating: "x", count: 1_048_576), bulkID: "1")
        #expect(try await server.bulk([long]).status == 413)
        #expect(try await server.bulk([]).status == 200)
    }

    @Test("What is no operation is refused as a whole; what cannot be done is told in its place")
    func malformed() async throws {
        let server = try await SCIMServer()
        for wrong: JSONValue in [
            [:], ["method": "GET", "path": "/Users"], ["method": "POST", "path": "/Users", "data": [:]],
            ["method": "PUT", "path": "/Users/x"], ["method": "DELETE", "path": "Users/x"], ["method": "DELETE"], 1,
        ] { #expect(try await server.bulk([wrong]).status == 400) }
        #expect(
            try await server.bulk([Self.user("x", bulkID: "1"), Self.user("y", bulkID: "1")]).refusal
                == "400 invalidValue")
        #expect(try await server.post("/Bulk", ["Operations": []]).refusal == "400 invalidSyntax")
        let version = try await server.get("/Users/\(try server.id(of: "tom.evans"))").headers["ETag"] ?? ""
        let path = "/Users/\(try server.id(of: "tom.evans"))".json
        let answer = try await server.bulk([
            ["method": "DELETE", "path": "/Me"], ["method": "DELETE", "path": "/Users"],
            ["method": "POST", "path": "/Users/x", "bulkId": "1", "data": [:]],
            ["method": "DELETE", "path": "/Users/x/y"],
            ["method": "delete", "path": path, "version": "W/\"99\""],
            ["method": "DELETE", "path": path, "version": version.json],
            ["method": "DELETE", "path": path],
        ])
        #expect(Self.statuses(answer) == ["404", "405", "405", "405", "412", "204", "404"])
    }
}
