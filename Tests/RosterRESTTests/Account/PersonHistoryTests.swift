import Foundation
import Roster
import RosterREST
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("The roles in a user's history, and the users of an app")
struct PersonHistoryTests {
    private let path = "/admin/users/\(ServiceUnderTest.engineer)/role-changes"

    @Test("A page of the changes of roles leads to the next one, for administrators and the user")
    func roleChanges() async throws {
        let service = try await ServiceUnderTest()
        let view = service.directory.unrestricted
        try await view.roles.create("crew", attributes: ["displayName": "The crew"])
        try await view.roles.create("gone")
        for role in ["crew", "gone"] {
            try await view.roles.add([.user(.named(ServiceUnderTest.engineer))], to: .named(role))
        }
        try await view.roles.delete("gone")
        let first = await service.request("GET", path + "?count=2")
        let changes = first["elements"]?.elements ?? []
        #expect(changes.map { $0["kind"]?.text } == ["removed", "added"], "\(first.text)")
        #expect(changes.allSatisfy { $0["role_name"] == "gone" && $0["role_exists"] == false })
        #expect(changes.map { $0["role_deleted"] } == [true, false])
        let next = try #require(first["next"]?.text)
        let second = await service.request("GET", "\(path)?count=2&before=\(next)")
        let crew = try #require(second["elements"]?.elements.first, "\(second.text)")
        #expect(crew["role_display"] == "The crew" && crew["relation"] == "member" && crew["role_exists"] == true)
        let own = await service.request("GET", path, as: .person)
        #expect(own.status == 200 && !own.text.contains("gone") && own.text.contains("The crew"), "\(own.text)")
        #expect(await service.request("GET", path, as: .manager).status == 403)
        for query in ["count=0", "count=201", "before=x", "before=1", "before=1.2.3"] {
            #expect(await service.request("GET", "\(path)?\(query)").status == 400, "\(query)")
        }
    }

    @Test("The users of an app come in pages, without those whose tokens were ended")
    func users() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let backends = await service.request("GET", "/admin/backends")["backends"]?.elements ?? []
        let id = try #require(backends.first { $0["client_id"]?.text == app.clientID }?["id"]?.text)
        let users = "/admin/backends/\(id)/users"
        #expect(await service.request("GET", users).body == ["users": []])
        let tokens = try await app.tokens()
        let answer = await service.request("GET", users + "?count=1")
        let one = try #require(answer["users"]?.elements.first, "\(answer.text)")
        let user = try await service.directory.unrestricted.users.user(.named(ServiceUnderTest.engineer))
        #expect(one["id"]?.text == user.id.description && one["name"]?.text == user.label && one["tokens"] == true)
        let next = try #require(answer["next"]?.text)
        #expect(await service.request("GET", "\(users)?count=1&after=\(next)").body == ["users": []])
        #expect(await service.request("GET", users, as: .person).status == 403)
        for query in ["count=0", "count=201", "after=x", "after=1.x"] {
            #expect(await service.request("GET", "\(users)?\(query)").status == 400, "\(query)")
        }
        #expect(await service.request("GET", users.replacing(id, with: "none")).status == 404)
        let signedOut = await service.request("DELETE", "/db/_user/\(ServiceUnderTest.engineer)/_session")
        #expect(signedOut.status == 200 && !tokens.access.isEmpty)
        let left = await service.request("GET", users)
        #expect(left["users"] == [], "\(left.text)")
    }
}
