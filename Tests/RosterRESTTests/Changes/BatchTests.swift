import Roster
import RosterREST
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Batches over HTTP", .timeLimit(.minutes(5)))
struct HTTPBatchTests {
    private func begin(_ service: ServiceUnderTest, as client: Client = .administrator) async throws -> String {
        let answer = await service.request("POST", "/admin/batches", as: client)
        #expect(answer.status == 201)
        guard case .integer(let number)? = answer["batch"] else { throw TestFailure("no number: \(answer)") }
        return String(number)
    }

    private struct TestFailure: Error {
        let text: String
        init(_ text: String) { self.text = text }
    }

    @Test("Requests of every interface join a batch by a header field, and the batch is shown, previewed and undone")
    func undo() async throws {
        let service = try await ServiceUnderTest()
        let view = service.directory.unrestricted
        let batch = try await begin(service)
        let field = [("Roster-Batch", batch)]
        let tom = try await view.users.user("tom.evans")
        let patch: JSONValue = [
            "schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
            "Operations": [["op": "replace", "path": "title", "value": "Lead"]],
        ]
        #expect(
            await service.request("PUT", "people/ren.watanabe", ["title": "Lead"], headers: field).status == 200)
        #expect(
            await service.request("PATCH", "/scim/v2/Users/\(tom.id)", patch, headers: field).status == 200)
        #expect(
            await service.request("PUT", "/forms/haruka.ito", ["active": false], headers: field).status == 200)
        #expect(
            await service.request("PUT", "people/haruka.ito", ["title": "Chief"]).status == 200)
        let log = await service.request("GET", "/admin/changes?batch=\(batch)")
        #expect(log.elements.compactMap { $0["name"] } == ["haruka.ito", "tom.evans", "ren.watanabe"])
        #expect(log.elements.allSatisfy { $0["batch"] == .integer(Int64(batch) ?? 0) })

        _ = try await view.users.modify(.id(tom.id), [.set("title", "President")])
        let preview = await service.request("POST", "/admin/batches/\(batch)/undo?preview=true")
        #expect(preview.status == 200 && preview["undone"] == 2 && preview["batch"] == nil)
        let tried = try await view.users.user("haruka.ito")
        #expect(!tried.isActive, "a preview keeps nothing")
        let undone = await service.request("POST", "/admin/batches/\(batch)/undo")
        #expect(undone["undone"] == 2 && undone["left_out_count"] == 1 && undone["batch"] != nil)
        let left = undone["left_out"]?.elements.first
        #expect(left?["name"] == "tom.evans" && left?["reason"] == "was changed since: 'title'")
        let (haruka, ren) = (try await view.users.user("haruka.ito"), try await view.users.user("ren.watanabe"))
        #expect(haruka.isActive && ren["title"] == "Engineer")
    }

    @Test("A wrong number is refused, and the change of the request is not made")
    func refusals() async throws {
        let service = try await ServiceUnderTest()
        let own = try await begin(service)
        for (field, client, status) in [
            ("x", Client.administrator, 400), ("-1", .administrator, 400), ("999999999", .administrator, 404),
            (own, .provisioning, 404),
        ] {
            let answer = await service.request(
                "PUT", "people/ren.watanabe", as: client, ["title": "Lead"], headers: [("Roster-Batch", field)])
            #expect(answer.status == status, "\(field)")
        }
        let ren = try await service.directory.unrestricted.users.user("ren.watanabe")
        #expect(ren["title"] == "Engineer")
        #expect(await service.request("POST", "/admin/batches/\(own)/undo", as: .person).status == 404)
        #expect(await service.request("POST", "/admin/batches/x/undo").status == 404)
        #expect(await service.request("POST", "/admin/batches/\(own)/undo?preview=maybe").status == 400)
        #expect(await service.request("GET", "/admin/changes?batch=x").status == 400)
    }

    @Test("The description has the header field for each request that changes the directory")
    func description() async throws {
        let service = try await ServiceUnderTest()
        let document = await service.request("GET", "/openapi.json")
        func names(_ path: String, _ method: String) -> [String] {
            document["paths"]?[path]?[method]?["parameters"]?.elements.compactMap { $0["name"]?.text } ?? []
        }
        #expect(names("/forms/{user}", "put").contains("Roster-Batch"))
        #expect(names("/scim/v2/Groups/{id}", "patch").contains("Roster-Batch"))
        #expect(!names("/scim/v2/Users", "get").contains("Roster-Batch"))
        #expect(names("/admin/batches/{batch}/undo", "post").contains("preview"))
        #expect(names("/admin/changes", "get").contains("batch"))
    }
}
