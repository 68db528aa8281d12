import RosterText
import ServiceTestSupport
import Testing

@Suite("Views of the people that are saved for everybody")
struct SavedViewTests {
    private func names(_ service: ServiceUnderTest, as client: Client = .person) async -> [String] {
        await service.request("GET", "/views", as: client)["views"]?.elements.compactMap { $0["name"]?.text } ?? []
    }

    @Test("An administrator saves, replaces, renames and deletes a view; everybody who may read people lists it")
    func life() async throws {
        let service = try await ServiceUnderTest()
        let state: JSONValue = ["state": "q=lead&f=not%20(manager%20pr)&sort=-title"]
        #expect(await service.request("PUT", "/admin/views/Leads", state).status == 201)
        #expect(await service.request("PUT", "/admin/views/Leads", ["state": "q=head"]).status == 200)
        #expect(await service.request("PUT", "/admin/views/Alle%20Berliner", ["state": "q=berlin"]).status == 201)
        #expect(await names(service) == ["Alle Berliner", "Leads"])
        let renamed = await service.request("PUT", "/admin/views/Heads", ["state": "q=head", "former": "Leads"])
        #expect(renamed.status == 201, "\(renamed.text)")
        #expect(await names(service) == ["Alle Berliner", "Heads"])
        for client in [Client.person, .manager, .provisioning, .monitoring] {
            #expect(await service.request("PUT", "/admin/views/Leads", as: client, state).status == 403)
            #expect(await service.request("DELETE", "/admin/views/Heads", as: client).status == 403)
        }
        let taken: JSONValue = ["state": "q=head", "former": "Heads"]
        #expect(await service.request("PUT", "/admin/views/Alle%20Berliner", taken).status == 409)
        #expect(await names(service) == ["Alle Berliner", "Heads"], "a renamed view replaces no other one")
        #expect(await service.request("DELETE", "/admin/views/Heads").status == 204)
        #expect(await service.request("DELETE", "/admin/views/Heads").status == 404)
        #expect(await names(service) == ["Alle Berliner"])
    }

    @Test("A name that is no name, a state that is no address, and more than fifty views are refused")
    func limits() async throws {
        let service = try await ServiceUnderTest()
        let wrong: [JSONValue] = [
            ["state": "<b>"], ["state": "a b"], ["state": "q=#x"],
            ["state": .string(String(repeating: "a", count: 8_193))],
            ["state": 7], [:], ["state": "q=a", "other": 1],
        ]
        for body in wrong {
            #expect(
                await service.request("PUT", "/admin/views/Leads", body).status == 400, "\(body.written.prefix(40))")
        }
        let dots: JSONValue = ["people_views": [["name": "..", "state": "q=a"]]]
        #expect(await service.request("PUT", "/admin/policies", dots).status == 400)
        #expect(await service.request("PUT", "/admin/views/A%0AB", ["state": "q=a"]).status == 400)
        #expect(await service.request("PUT", "/admin/views/B", ["state": "q=a", "former": "none"]).status == 404)
        for number in 0..<50 {
            #expect(await service.request("PUT", "/admin/views/view\(number)", ["state": "q=a"]).status == 201)
        }
        #expect(await service.request("PUT", "/admin/views/more", ["state": "q=a"]).status >= 400)
        #expect(await names(service).count == 50)
    }
}
