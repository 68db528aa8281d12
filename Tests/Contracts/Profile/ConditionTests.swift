import Roster
import RosterREST
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Conditions on versions in the profile service", .inBothForms)
struct ProfileConditionTests {
    static let entities = ["people/tom.evans", "groups/sales"]

    @Test("Who has the version already is told so, and nothing more", arguments: entities)
    func notModified(path: String) async throws {
        let service = try await ServiceUnderTest()
        let tag = try #require(await service.request("GET", path).header("ETag"))
        let again = await service.request("GET", path, headers: [("If-None-Match", tag)])
        #expect(again.status == 304 && again.bytes.isEmpty && again.header("ETag") == tag)
        #expect(await service.request("GET", path, headers: [("If-None-Match", "W/\"0\", \(tag)")]).status == 304)
        #expect(await service.request("GET", path, headers: [("If-None-Match", "W/\"0\"")]).status == 200)
        _ = await service.request("PUT", path, ["description": "new"])
        #expect(await service.request("GET", path, headers: [("If-None-Match", tag)]).status == 200)
    }

    @Test("What comes along has versions of its own, so that it is sent anew")
    func prefetchIsNotDated() async throws {
        let service = try await ServiceUnderTest()
        let path = "people/haruka.ito?prefetch=reports"
        let first = await service.request("GET", path)
        _ = await service.request("PUT", "people/ren.watanabe", ["title": "Other"])
        let second = await service.request(
            "GET", path, headers: [("If-None-Match", first.header("ETag") ?? "")])
        #expect(second.status == 200)
        #expect(second["reports"] != first["reports"])
    }

    @Test("A change of another version than the client has seen is refused with 412", arguments: entities)
    func staleWrites(path: String) async throws {
        let service = try await ServiceUnderTest()
        let old = await service.request("GET", path)
        let tag = try #require(old.header("ETag"))
        let first = await service.request("PUT", path, ["description": "one"], headers: [("If-Match", tag)])
        #expect(first.status == 200)
        for stale in [tag, "\"77\"", "", "nonsense", "W/\"\(tag)\""] {
            let second = await service.request("PUT", path, ["description": "two"], headers: [("If-Match", stale)])
            #expect(second.status == 412 && second.isProfileError, "\(stale)")
            #expect(await service.request("DELETE", path, headers: [("If-Match", stale)]).status == 412)
        }
        #expect(await service.request("GET", path)["description"] == "one")
        let new = try #require(first.header("ETag"))
        #expect(
            await service.request("PUT", path, ["description": "3"], headers: [("If-Match", "W/\"0\", \(new)")])
                .status == 200)
        #expect(await service.request("PUT", path, ["description": "4"], headers: [("If-Match", "*")]).status == 200)
        #expect(
            await service.request("PUT", path, ["description": "5"], headers: [("If-None-Match", "*")]).status == 412)
        #expect(
            await service.request("PUT", path + "-gone", ["description": "4"], headers: [("If-Match", "*")]).status
                == 404)
    }

    @Test("Of two who change the same version one is refused, however often they try")
    func lostUpdates() async throws {
        let service = try await ServiceUnderTest()
        for round in 0..<20 {
            let tag = try #require(await service.request("GET", "people/tom.evans").header("ETag"))
            let statuses = await withTaskGroup(of: Int.self) { group in
                for writer in 0..<8 {
                    group.addTask {
                        await service.request(
                            "PUT", "people/tom.evans", ["title": .string("\(round)-\(writer)")],
                            headers: [("If-Match", tag)]
                        ).status
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 200 } == 1 && statuses.count { $0 == 412 } == 7)
        }
    }

    @Test("Of many who create one name at once, in several spellings, one does")
    func racingCreations() async throws {
        let service = try await ServiceUnderTest()
        let statuses = await withTaskGroup(of: Int.self) { group in
            for number in 0..<60 {
                let name = ["new.person", "NEW.person", "ｎew.person"][number % 3]
                group.addTask { await service.request("POST", "people", ["uid": .string(name)]).status }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.count { $0 == 201 } == 1 && statuses.count { $0 == 409 } == 59)
    }
}
