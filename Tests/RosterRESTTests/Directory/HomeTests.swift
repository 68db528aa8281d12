import Foundation
import Roster
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("What somebody sees first, over HTTP", .timeLimit(.minutes(5)))
struct HomeTests {
    @Test("News are told with names, and only of values that may be read")
    func news() async throws {
        let service = try await ServiceUnderTest()
        let view = service.directory.unrestricted
        service.clock.advance(by: 7_200)
        try await view.users.create("new", attributes: ["displayName": "Nora New", "title": "Engineer"])
        try await view.users.setManager("tom.evans", of: "ren.watanabe")
        let answer = await service.request("GET", "/news?limit=2", as: .person)
        #expect(answer.status == 200 && answer.elements.count == 2)
        let moved = answer.elements[0]
        let ren = try await view.users.user("ren.watanabe").label
        let tom = try await view.users.user("tom.evans").label
        #expect(moved["kind"] == "moved" && moved["name"] == .string(ren))
        #expect(moved["after"]?["manager"]?["name"] == .string(tom))
        #expect(answer.elements[1]["kind"] == "new" && answer.elements[1]["name"] == "Nora New")
        #expect(answer.elements[1]["after"] == ["title": "Engineer"])
        #expect(await service.request("GET", "/news?limit=51", as: .person).status == 400)
    }

    @Test("What needs a hand is counted, and the filters select exactly those people")
    func attention() async throws {
        let service = try await ServiceUnderTest()
        let view = service.directory.unrestricted
        try await view.users.create("nobody.at.all")
        try await view.users.modify("tom.evans", [.set("active", false)])
        try await view.users.setManager("tom.evans", of: "ren.watanabe")
        let answer = await service.request("GET", "/admin/attention")
        #expect(answer.status == 200 && answer["version"] == .string(programVersion))
        let elements = answer.elements
        #expect(elements.count == 9)
        for element in elements {
            guard let filter = element["filter"]?.text, case .integer(let count)? = element["count"] else { continue }
            let found = await service.request(
                "GET", "/scim/v2/Users?count=0&filter=\(PercentEncoding.segment(filter))")
            #expect(found["totalResults"] == .integer(count), "\(element)")
        }
        func count(_ name: String) -> JSONValue? { elements.first { $0["name"]?.text == name }?["count"] }
        #expect(count("disabled_managers") == 2, "with the one of the seed")
        #expect(count("refused_sign_ins") != nil && count("unused_apps") != nil && count("keys") == 0)
        #expect(await service.request("GET", "/admin/attention", as: .person).status == 403)
    }

    @Test("A token needs a hand once no program has used it for 30 days, until it has ended")
    func unusedTokens() async throws {
        let service = try await ServiceUnderTest()
        func unused() async -> [String] {
            await service.signIn.flush()
            let answer = await service.request("GET", "/admin/attention", as: .tokenAdministrator)
            let element = answer.elements.first { $0["name"] == "unused_tokens" }
            return (element?["subjects"]?.texts ?? []).filter { ["probe", "idle"].contains($0) }
        }
        var texts: [String] = []
        for (name, days) in [("probe", 365), ("idle", 40)] {
            let token: JSONValue = ["name": .string(name), "role": "monitoring", "days": .integer(Int64(days))]
            texts.append(try #require(await service.request("POST", "/admin/tokens", token)["token"]?.text))
        }
        #expect(await unused() == [])
        service.clock.advance(by: 31 * 86_400)
        #expect(await unused() == ["probe", "idle"])
        #expect(await service.send("GET", "/metrics", "Bearer " + texts[0]).status == 200)
        #expect(await unused() == ["idle"])
        service.clock.advance(by: 10 * 86_400)
        #expect(await unused() == [], "the other token has ended")
    }
}
