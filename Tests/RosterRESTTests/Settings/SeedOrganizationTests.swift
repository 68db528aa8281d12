import Roster
import RosterText
import ServiceTestSupport
import Testing

@Suite("The organization of a seed")
struct SeedOrganizationTests {
    private static let views: JSONValue = [["name": "Leads", "state": "q=lead&sort=-title"]]

    private func load(_ organization: JSONValue, _ service: ServiceUnderTest) async -> Answer {
        await service.request("POST", "/admin/seed", ["people": [["uid": "new"]], "organization": organization])
    }

    @Test("A seed sets name, colour and views; loaded again it changes nothing; what it leaves out stays")
    func loads() async throws {
        let service = try await ServiceUnderTest()
        let organization: JSONValue = ["name": "Example Ltd.", "color": "#9a3412", "views": Self.views]
        let loaded = await load(organization, service)
        #expect(loaded.status == 200, "\(loaded.text)")
        let branding = await service.request("GET", "/branding")
        #expect(branding["name"] == "Example Ltd." && branding["color"] == "#9a3412", "\(branding.text)")
        #expect(await service.request("GET", "/views", as: .person)["views"] == Self.views)
        let last = try await service.directory.unrestricted.changes.lastSequence()
        #expect(await load(organization, service).status == 200)
        #expect(try await service.directory.unrestricted.changes.lastSequence() == last)
        #expect(await load(["name": "Other Ltd."], service).status == 200)
        let other = await service.request("GET", "/branding")
        #expect(other["name"] == "Other Ltd." && other["color"] == "#9a3412")
    }

    @Test(
        "A mistake is told with its line and its member, and nothing of the seed is loaded",
        arguments: [
            ["name": ""], ["color": "red"], ["logo": "AAAA"], ["views": [["name": "a", "state": "#"]]], ["motto": "x"],
            ["name": "Fine", "color": 5], [], "Example Ltd.",
        ] as [JSONValue])
    func mistakes(organization: JSONValue) async throws {
        let service = try await ServiceUnderTest()
        let answer = await load(organization, service)
        #expect(answer.status == 400 && answer.text.contains("line 1"), "\(answer.text)")
        if let member = organization.members.last { #expect(answer.text.contains(member.name), "\(answer.text)") }
        #expect(try await !service.directory.unrestricted.users.exists("new"))
        #expect(await service.request("GET", "/branding")["name"] == .null)
    }

    @Test("Only administrators load a seed with an organization")
    func rights() async throws {
        let service = try await ServiceUnderTest()
        for client in [Client.person, .provisioning] {
            let body: JSONValue = ["organization": ["name": "Example Ltd."]]
            #expect(await service.request("POST", "/admin/seed", as: client, body).status == 403, "\(client)")
        }
    }
}
