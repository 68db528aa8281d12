import RosterFixtures
import RosterREST
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("SCIM: order and pages", .inBothForms)
struct SCIMPagingTests {
    /// For tests that only read.
    private static let shared = Task { try await SCIMServer() }

    /// Expects a descending list to be the reverse of the ascending one, and returns the names in ascending order.
    private func namesInBothOrders(_ path: String, count: Int) async throws -> [String] {
        let server = try await Self.shared.value
        let up = try await server.get(path)
        #expect(up.status == 200, "\(up.body)")
        #expect(up.resources.count == count)
        #expect(try await up.names == server.get(path + "&sortOrder=descending").names.reversed())
        return up.names
    }

    @Test(
        "Users are sorted by any attribute with one value, up and down, those without one last and first",
        arguments: [
            "userName", "name.familyName", "name", "title", "displayName", "active", "meta.created",
            "meta.lastModified",
            "id", "emails", "emails.value", "urn:ietf:params:scim:schemas:core:2.0:User:nickName",
            "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department",
            "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager.value",
            "urn:roster:params:scim:schemas:extension:directory:2.0:User:badge", "addresses.country", "phoneNumbers",
        ])
    func sorted(attribute: String) async throws {
        _ = try await namesInBothOrders("/Users?count=500&sortBy=\(attribute)", count: 40)
    }

    @Test("Users are sorted by several attributes")
    func severalAttributes() async throws {
        let server = try await Self.shared.value
        let users = try await server.get("/Users?count=500&sortBy=title,userName").resources
        let titled = users.filter { $0["title"] != nil }
        let byName = Dictionary(grouping: titled) { $0["title"]?.text?.lowercased() ?? "" }
        #expect(byName.values.contains { $0.count > 1 })
        for same in byName.values {
            let names = same.compactMap { $0["userName"]?.text }
            #expect(names == names.sorted { $0.lowercased() < $1.lowercased() })
        }
        #expect(try await server.get("/Users?sortBy=title,").status == 400)
        #expect(try await server.get("/Users?sortBy=title,nothing").status == 400)
    }

    @Test(
        "What cannot be sorted by is refused",
        arguments: ["nothing", "password", "groups", "externalId", "emails[type eq \"work\"]"])
    func unsortable(attribute: String) async throws {
        let server = try await Self.shared.value
        let answer = try await server.get("/Users?sortBy=\(PercentEncoding.segment(attribute))")
        #expect(answer.status == 400, "\(answer.body)")
        #expect(try await server.get("/Users?sortBy=userName&sortOrder=sideways").refusal == "400 invalidValue")
    }

    @Test(
        "Groups are sorted by their attributes",
        arguments: [
            "displayName", "id", "meta.created", "meta.lastModified", SCIMServer.groupExtension + ":name",
            SCIMServer.groupExtension + ":description", SCIMServer.groupExtension + ":category",
        ])
    func sortedGroups(attribute: String) async throws {
        let server = try await Self.shared.value
        let names = try await namesInBothOrders("/Groups?excludedAttributes=members&sortBy=\(attribute)", count: 9)
        if attribute == "displayName" { #expect(names == names.sorted { $0.lowercased() < $1.lowercased() }) }
        for path in ["/Groups?sortBy=members", "?sortBy=members"] {
            #expect(try await server.get(path).refusal == "400 invalidValue", "\(path)")
        }
    }

    @Test("Pages by index begin where they are asked to, and totalResults is exact")
    func index() async throws {
        let server = try await SCIMServer()
        let all = try await server.get("/Users?count=500&sortBy=userName").names
        #expect(all == all.sorted())
        for (query, range) in [
            ("startIndex=1&count=7", 0..<7), ("startIndex=8&count=7", 7..<14), ("startIndex=0&count=1", 0..<1),
            ("startIndex=-5&count=1", 0..<1), ("startIndex=40&count=5", 39..<40), ("startIndex=41&count=5", 40..<40),
            ("startIndex=9999999999&count=5", 40..<40), ("count=0", 0..<0), ("count=-1", 0..<0),
            ("startIndex=39", 38..<40),
        ] {
            let page = try await server.get("/Users?sortBy=userName&\(query)")
            #expect(page.status == 200)
            #expect(page.names == Array(all[range]), "\(query)")
            #expect(page.total == 40)
            #expect(page.body["itemsPerPage"] == .integer(Int64(range.count)))
        }
        #expect(try await server.get("/Users?startIndex=0").body["startIndex"] == 1)
        #expect(try await server.get("/Users?count=x").refusal == "400 invalidCount")
        #expect(try await server.get("/Users?count=5&count=6").status == 400)
        #expect(try await server.find(#"userName sw "a""#).names.count == 3)
        let counted = try await server.get("/Users?count=0&filter=active+eq+false")
        #expect(counted.total == 2)
        #expect(counted.resources.isEmpty)
    }

    @Test(
        "Pages by cursor neither skip nor repeat while others write",
        arguments: ["", "&sortBy=name.familyName", "&sortBy=userName&sortOrder=descending"])
    func cursor(order: String) async throws {
        let server = try await SCIMServer()
        let before = Set(try await server.get("/Users?count=500").names)
        var seen: [String] = []
        var cursor = ""
        var pages = 0
        while true {
            let page = try await server.get("/Users?count=7&cursor=\(cursor)\(order)")
            #expect(page.status == 200, "\(page.body)")
            #expect(page.body["startIndex"] == nil)
            seen += page.names
            pages += 1
            // One comes at either end, and one who was seen goes.
            _ = try await server.create("aaa\(pages)", ("name", ["familyName": "Aaa"]))
            _ = try await server.create("zzz\(pages)", ("name", ["familyName": "Zzz"]))
            #expect(try await server.delete("/Users/\(try server.id(of: "zzz\(pages)"))").status == 204)
            guard let next = page.body["nextCursor"]?.text else { break }
            cursor = PercentEncoding.segment(next)
        }
        #expect(Set(seen).count == seen.count)
        #expect(before.isSubset(of: seen))
    }

    @Test("A cursor that was altered, or is another search's or caller's, is refused")
    func tampered() async throws {
        let server = try await SCIMServer()
        let cursor = try #require(try await server.get("/Users?count=3&cursor=").body["nextCursor"]?.text)
        for altered in [
            String(cursor.dropLast()), cursor + "A", "x" + cursor, "a.b.n", "nonsense", ".",
            cursor.replacing(".", with: ".i1.", maxReplacements: 1), String(cursor.reversed()),
        ] {
            let answer = try await server.get("/Users?count=3&cursor=\(PercentEncoding.segment(altered))")
            #expect(answer.refusal == "400 invalidCursor")
        }
        for query in ["&filter=active+eq+true", "&sortBy=userName"] {
            let answer = try await server.get("/Users?cursor=\(PercentEncoding.segment(cursor))\(query)")
            #expect(answer.refusal == "400 invalidCursor")
        }
        #expect(
            try await server.get("/Groups?cursor=\(PercentEncoding.segment(cursor))").refusal == "400 invalidCursor")
        let other = server.called(by: try await server.token("other"))
        #expect(try await other.get("/Users?cursor=\(PercentEncoding.segment(cursor))").refusal == "400 invalidCursor")
        #expect(try await server.get("/Users?cursor=\(PercentEncoding.segment(cursor))&startIndex=1").status == 400)
        #expect(try await server.get("/Users?count=3&cursor=\(PercentEncoding.segment(cursor))").status == 200)
    }

    @Test("A search at the root finds users and groups, and counts both")
    func root() async throws {
        let server = try await SCIMServer()
        func search(_ more: (String, JSONValue)...) async throws -> SCIMServer.Answer {
            var body: JSONValue = ["schemas": [.string(SCIMServer.searchRequest)]]
            for (key, value) in more { body[key] = value }
            return try await server.post("/.search", body)
        }
        #expect(try await search(("count", 0)).total == 49)
        let both = try await search(("startIndex", 39), ("count", 4))
        #expect(
            both.resources.compactMap { $0.at("meta", "resourceType")?.text } == ["User", "User", "Group", "Group"])
        #expect(both.total == 49)
        #expect(try await search(("filter", #"displayName co "sales""#)).names.contains("Sales"))
        #expect(try await search(("filter", #"userName eq "kenji.sato""#)).total == 1)
        #expect(try await search(("filter", #"meta.resourceType eq "Group""#), ("count", 100)).resources.count == 9)
        #expect(try await search(("sortBy", "displayName"), ("count", 100)).resources.count == 49)
        #expect(try await server.get("?filter=userName+eq+%22kenji.sato%22").total == 1)
        #expect(try await server.post("/.search", ["filter": "id pr"]).refusal == "400 invalidSyntax")
        #expect(try await search(("count", "x")).refusal == "400 invalidSyntax")
    }

    @Test("A large directory is paged to its end, each exactly once")
    func large() async throws {
        let server = try await SCIMServer(try Fixtures.organization(people: 1_500, seedNumber: 4))
        var seen: Set<String> = []
        var cursor = ""
        while true {
            let page = try await server.get("/Users?count=1000&attributes=id&cursor=\(cursor)")
            #expect(page.total == 1_500)
            seen.formUnion(page.resources.compactMap { $0["id"]?.text })
            guard let next = page.body["nextCursor"]?.text else { break }
            cursor = PercentEncoding.segment(next)
        }
        #expect(seen.count == 1_500)
        #expect(try await server.get("/Users?count=100000").resources.count == 1_000)
    }

    @Test("Pages by cursor are whole while others write without a pause")
    func concurrent() async throws {
        let server = try await SCIMServer()
        let before = Set(try await server.get("/Users?count=500").names)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<3 {
                group.addTask {
                    for number in 0..<30 {
                        let id = try await server.create("w\(writer).\(number)")
                        #expect(
                            try await server.patch("/Users/\(id)", ["op": "add", "path": "title", "value": "T"]).status
                                == 200)
                        if number.isMultiple(of: 2) { #expect(try await server.delete("/Users/\(id)").status == 204) }
                    }
                }
            }
            for order in ["", "&sortBy=displayName", "&sortBy=userName&sortOrder=descending"] {
                group.addTask {
                    var seen: [String] = []
                    var cursor: String? = ""
                    while let place = cursor {
                        let page = try await server.get(
                            "/Users?count=5&cursor=\(PercentEncoding.segment(place))\(order)")
                        seen += page.names
                        cursor = page.body["nextCursor"]?.text
                    }
                    #expect(Set(seen).count == seen.count)
                    #expect(before.isSubset(of: seen))
                }
            }
            try await group.waitForAll()
        }
        #expect(try await server.get("/Users?count=0").total == 85)
    }
}
