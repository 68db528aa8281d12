import Foundation
@testable import Roster
import RosterFixtures
@testable import RosterREST
import RosterStore
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("One caller's worst does not stop the others", .timeLimit(.minutes(5)))
struct WorstCallerTests {
    /// A service over a file, and a person who may ask it.
    private static func withServer(
        _ body: (SCIMServer, _ person: SCIMServer, _ id: String) async throws -> Void
    ) async throws {
        try await withDirectory(.file) { (directory: Directory) async throws in
            let server = try await SCIMServer(directory)
            let id = try await server.create("ada")
            try await body(server, try await server.called(byUser: "ada"), id)
        }
    }

    /// Runs the body while so many readers are held, of searches or of all.
    private static func holding(
        _ count: Int, areSearches: Bool, in directory: Directory, _ body: () async throws -> Void
    ) async throws {
        let (gate, begun) = (Gate(), Gate())
        begun.open()
        let holders = (0..<count).map { _ in
            Task {
                try await directory.core.store.awaitRead(for: areSearches ? .search(nil) : .lookUp) { _ in
                    begun.pass()
                    gate.pass()
                }
            }
        }
        _ = try await onThread { begun.waitForArrivals(count) }
        let result: (any Error)?
        do {
            try await body()
            result = nil
        } catch {
            result = error
        }
        gate.open()
        for holder in holders { try await holder.value }
        if let result { throw result }
    }

    private static func request(_ server: SCIMServer, _ target: String) -> HTTPRequest {
        HTTPRequest("GET", target, headers: ["Authorization": server.authorization])
    }

    private static func isNow(_ answer: HTTPAnswer) -> Bool {
        if case .now(let response) = answer { return response.status == 200 }
        return false
    }

    private static let search = "/scim/v2/Users?filter=locale%20ew%20%22x%22"

    @Test("A large request is read in its caller's turn, also in memory, where there is one connection")
    func largeInMemory() async throws {
        let service = try await ServiceUnderTest()
        let filler = String(repeating: "x", count: 5_000)
        for path in ["/mobile/platform/users/~?filler=", "/admin/tokens?filler=", "/scim/v2/Me?filler="] {
            let headers: HTTPHeaders = ["Authorization": ServiceUnderTest.basic("root")]
            let answer = await service.service.respond(to: HTTPRequest("GET", path + filler, headers: headers))
            #expect(answer.status < 500, "\(path)")
        }
    }

    @Test("A thread that takes requests never waits for a reader, and /healthz answers whatever happens")
    func neverWaits() async throws {
        try await Self.withServer { server, person, id in
            let all = Store.searchCount + Store.lookUpCount
            let waiting = Gathered<Task<HTTPResponse, Never>>()
            // Look-ups may use every reader.
            try await Self.holding(all, areSearches: false, in: server.directory) {
                #expect(Self.isNow(server.service.answer(to: HTTPRequest("GET", "/healthz"))))
                for target in ["/scim/v2/Users/\(id)", "/readyz", "/oic_rest/rest/userprofile/people/ada", Self.search]
                {
                    guard case .later(let work) = server.service.answer(to: Self.request(person, target)) else {
                        Issue.record("\(target) was answered at once")
                        continue
                    }
                    waiting.append(Task { await work() })
                }
            }
            for task in waiting.all { #expect(await task.value.status == 200) }
        }
    }

    @Test("While every reader for searches is taken, look-ups are answered at once")
    func lookUpsGoOn() async throws {
        try await Self.withServer { server, person, id in
            try await Self.holding(Store.searchCount, areSearches: true, in: server.directory) {
                // The first look-up opens a reader.
                _ = try await person.get("/Users/\(id)")
                // The first question whether the server is ready asks the disk.
                _ = await server.service.respond(to: Self.request(person, "/readyz"))
                let paths = [
                    "/scim/v2/Users/\(id)", "/scim/v2/Me", "/oic_rest/rest/userprofile/people/ada", "/readyz",
                    "/healthz",
                    "/scim/v2/Users?filter=userName%20eq%20%22ada%22",
                ]
                for path in paths {
                    #expect(Self.isNow(server.service.answer(to: Self.request(person, path))), "\(path)")
                }
                let change = try await server.patch("/Users/\(id)", ["op": "replace", "path": "title", "value": "x"])
                #expect(change.status == 200)
            }
        }
    }

    @Test(
        "Whoever has too many searches under way is answered 429 in the form of the interface, and when to come again")
    func refusesTooMany() async throws {
        try await Self.withServer { server, person, _ in
            let limit = DirectoryLimits.maximumSearchesOfUser + DirectoryLimits.maximumWaitingSearchesOfUser
            let other = try await server.create("bob")
            let bob = try await server.called(byUser: "bob")
            let answers = Gathered<Int>()
            try await Self.holding(Store.searchCount, areSearches: true, in: server.directory) {
                let group = (0..<(limit + 20)).map { _ in
                    Task { answers.append(await server.service.respond(to: Self.request(person, Self.search)).status) }
                }
                // Without a free reader all searches wait, up to the limit of those that may.
                let refused = limit + 20 - DirectoryLimits.maximumWaitingSearchesOfUser
                let first = try await onThread { answers.wait(for: refused) }
                #expect(first == Array(repeating: 429, count: refused))
                let scim = await server.service.respond(to: Self.request(person, Self.search))
                #expect(scim.status == 429 && scim.headers["Retry-After"] == "1")
                #expect(scim.headers["Content-Type"] == "application/scim+json")
                let profile = await server.service.respond(
                    to: Self.request(person, "/oic_rest/rest/userprofile/people?searchparam.locale=*x"))
                #expect(profile.status == 429 && profile.headers["Retry-After"] == "1")
                #expect(Answer(profile)["oicErrorCode"] == "IDAAS-62429")
                let large = await server.service.respond(
                    to: HTTPRequest(
                        "PATCH", "/scim/v2/Me",
                        headers: ["Authorization": person.authorization, "Content-Type": "application/json"],
                        body: Array(repeating: UInt8(ascii: " "), count: 100_000)))
                #expect(large.status == 429, "a large request is not even read")
                // The limit is each caller's own.
                _ = try await bob.get("/Users/\(other)")
                let others = Task { await server.service.respond(to: Self.request(bob, Self.search)).status }
                #expect(Self.isNow(server.service.answer(to: Self.request(bob, "/scim/v2/Users/\(other)"))))
                Task {
                    answers.append(await others.value)
                    for task in group { await task.value }
                }
            }
            let all = try await onThread { answers.wait(for: limit + 21) }
            #expect(all.allSatisfy { $0 == 200 || $0 == 429 } && all.contains(200))
        }
        let problem = ErrorAnswer(DirectoryError(.overloaded, "")).response(in: .problem, path: "", requestID: "")
        #expect(problem.status == 429 && problem.headers["Retry-After"] == "1")
    }

    @Test("A page of a group's members is a search, whichever way it is asked for")
    func bigGroups() async throws {
        try await Self.withServer { server, person, id in
            let group = try await server.createGroup("everyone", members: [id])
            let name = "urn:roster:params:scim:schemas:extension:directory:2.0:Group:name"
            _ = try await person.get("/Groups/\(group)")
            let filter = PercentEncoding.segment("\(name) eq \"everyone\"")
            for path in [
                "/scim/v2/Groups/\(group)", "/scim/v2/Groups?filter=\(filter)",
                "/oic_rest/rest/userprofile/people/ada?prefetch=memberOf",
            ] {
                guard case .later(let work) = server.service.answer(to: Self.request(person, path)) else {
                    Issue.record("\(path) was answered at once")
                    continue
                }
                let response = await work()
                #expect(response.status == 200, "\(path) \(response)")
            }
        }
    }

    // MARK: PATCH

    @discardableResult
    private static func setPhones(_ count: Int, of person: SCIMServer) async throws -> SCIMServer.Answer {
        let phones = (0..<count).map { number -> JSONValue in
            ["type": "work", "value": .string("+49 \(number) " + String(repeating: "7", count: 200))]
        }
        let answer = try await person.patch("/Me", ["op": "replace", "path": "phoneNumbers", "value": .array(phones)])
        #expect(answer.status == 200)
        return answer
    }

    @Test("A large change is worked out while others write, and written only to the version that it was worked out for")
    func patchesOutsideTheWriter() async throws {
        try await Self.withServer { server, person, id in
            try await Self.setPhones(200, of: person)
            let before = try await server.directory.unrestricted.users.user(.named("ada")).version
            let change = Gathered<Task<SCIMServer.Answer, any Error>>()
            try await Self.holding(Store.searchCount, areSearches: true, in: server.directory) {
                change.append(
                    Task {
                        try await person.patch(
                            "/Me", ["op": "add", "path": "phoneNumbers", "value": [["value": "new"]]])
                    })
                // The change waits for a reader, and nobody waits for the change.
                for number in 0..<5 {
                    _ = try await server.directory.unrestricted.users.modify(
                        .named("ada"), [.set("title", .string("\(number)"))])
                }
            }
            for task in change.all { #expect(try await task.value.status == 200) }
            let user = try await server.directory.unrestricted.users.user(.named("ada"))
            #expect(user.version == before + 6)
            #expect(user["title"] == "4" && user["phoneNumbers"]?.elements.count == 201)
        }
    }

    @Test("Changes of one large record at the same time are all kept, or refused to be sent again")
    func losesNothing() async throws {
        try await Self.withServer { server, person, _ in
            try await Self.setPhones(100, of: person)
            let statuses = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
                for number in 0..<12 {
                    group.addTask {
                        let operation: JSONValue = [
                            "op": "add", "path": "phoneNumbers", "value": [["value": .string("new \(number)")]],
                        ]
                        return (number, try await person.patch("/Me", operation).status)
                    }
                }
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            let kept = try await server.directory.unrestricted.users.user(.named("ada"))["phoneNumbers"]?.elements
                .compactMap(\.text)
            for (number, status) in statuses {
                #expect([200, 429].contains(status))
                #expect(kept?.contains("new \(number)") == (status == 200), "\(number) \(status)")
            }
            #expect(statuses.values.contains(200))
        }
    }

    @Test("A condition on the version holds for large changes as for small ones")
    func keepsConditions() async throws {
        try await Self.withServer { server, person, id in
            let first = try await Self.setPhones(100, of: person)
            let tag = try #require(first.headers["ETag"])
            let operation: JSONValue = ["op": "add", "path": "phoneNumbers", "value": [["value": "new"]]]
            #expect(try await person.patch("/Me", operation, headers: [("If-Match", tag)]).status == 200)
            #expect(try await person.patch("/Me", operation, headers: [("If-Match", tag)]).status == 412)
        }
    }

    @Test("Operations times elements times comparisons are limited")
    func limitsComparisons() async throws {
        try await Self.withServer { _, person, _ in
            try await Self.setPhones(1_000, of: person)
            let operations = (0..<1_000).map { number -> JSONValue in
                [
                    "op": "replace", "path": .string("phoneNumbers[value ew \"\(number)\" or type pr].type"),
                    "value": "home",
                ]
            }
            let answer = try await person.ask(
                "PATCH", "/Me",
                ["schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], "Operations": .array(operations)])
            #expect(answer.refusal == "400 tooMany", "\(answer.body)")
        }
    }

    @Test("A large record is read in the caller's turn among the searches")
    func readsLargeRecords() async throws {
        try await Self.withServer { server, person, id in
            let paths = [
                "/scim/v2/Me", "/scim/v2/Users/\(id)", "/oic_rest/rest/userprofile/people/ada",
                "/mobile/platform/users/~",
            ]
            // The first request has the password hashed.
            _ = try await person.get("/Me")
            for path in paths { #expect(Self.isNow(server.service.answer(to: Self.request(person, path))), "\(path)") }
            try await Self.setPhones(200, of: person)
            for path in paths {
                guard case .later(let work) = server.service.answer(to: Self.request(person, path)) else {
                    Issue.record("\(path) was answered at once")
                    continue
                }
                #expect(await work().status == 200)
            }
        }
    }

    @Test("A user keeps at most so much in all, an administrator more")
    func limitsOwnRecords() async throws {
        try await Self.withServer { server, person, id in
            func phones(_ start: Int) -> JSONValue {
                .array((0..<6).map { ["value": .string("\(start + $0)" + String(repeating: "7", count: 50_000))] })
            }
            func add(_ start: Int) -> JSONValue { ["op": "add", "path": "phoneNumbers", "value": phones(start)] }
            let first = try await person.patch("/Me", add(0))
            #expect(first.status == 200)
            let tooMuch = try await person.patch("/Me", add(10))
            #expect(tooMuch.refusal == "400 tooMany")
            let others = try await server.patch("/Users/\(id)", add(10))
            #expect(others.status == 200)
            let more = try await person.patch("/Me", ["op": "replace", "path": "locale", "value": "de-DE"])
            #expect(more.refusal == "400 tooMany")
            let less = try await person.patch("/Me", ["op": "remove", "path": "phoneNumbers"])
            #expect(less.status == 200)
        }
    }
}
