import Roster
import RosterREST
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("SCIM: random requests")
struct SCIMRandomTests {
    /// Random requests from a small world, so that they meet.
    struct Requests {
        var numbers: SeededNumbers
        /// The ids that there are, or were.
        var users: [String]
        var groups: [String]

        static let names = ["ada", "bob", "ADA", "c d", "ä.ö", "x\"y", "a  b", ""]
        static let paths =
            SCIMEngineRandomTests.paths + [
                "members", "members[value eq \"x\"]", "displayName", "externalId", "active", "nickName",
                "\(SCIMServer.groupExtension):name",
            ]
        static let queries = [
            "", "?count=3", "?count=0", "?startIndex=5&count=2", "?sortBy=userName", "?cursor=&count=2",
            "?filter=userName+sw+%22a%22", "?filter=not+(title+pr)", "?attributes=userName,members", "?sortBy=nope",
            "?excludedAttributes=members,emails", "?filter=(", "?cursor=x", "?sortBy=meta.created&sortOrder=descending",
        ]

        mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &numbers) }
        mutating func pick(_ elements: [String]) -> String {
            elements.isEmpty ? "none" : elements[number(0..<elements.count)]
        }
        mutating func id() -> String { number(0..<3) > 0 ? pick(users) : pick(groups + ["x", "bulkId:1"]) }
        mutating func path() -> String {
            number(0..<2) == 0 ? "/Users/\(id())" : "/Groups/\(number(0..<4) > 0 ? pick(groups) : id())"
        }

        mutating func resource(_ isUser: Bool) -> JSONValue {
            var body: JSONValue = ["schemas": [.string(isUser ? SCIMServer.user : SCIMServer.group)]]
            if isUser {
                body["userName"] = (pick(Self.names) + (number(0..<2) == 0 ? "\(number(0..<40))" : "")).json
                if number(0..<2) == 0 { body[SCIMServer.enterprise] = ["manager": ["value": id().json]] }
                if number(0..<4) == 0 { body["emails"] = SCIMEngineRandomTests.value(&numbers) }
                if number(0..<4) == 0 { body["active"] = .boolean(number(0..<2) == 0) }
            } else {
                body["displayName"] = "g\(number(0..<12))".json
                body["members"] = .array((0..<number(0..<4)).map { _ in ["value": id().json] })
            }
            if number(0..<3) == 0 { body["externalId"] = pick(Self.names).json }
            return body
        }

        mutating func operation() -> JSONValue {
            var operation: JSONValue = ["op": pick(["add", "Replace", "remove"]).json]
            switch number(0..<5) {
            case 0: operation["value"] = SCIMEngineRandomTests.value(&numbers)
            case 1:
                operation["path"] = "members"
                operation["value"] = [["value": id().json], ["value": id().json]]
            case 2:
                operation["path"] = "members[value eq \"\(id())\"]".json
            case 3:
                operation["path"] = "\(SCIMServer.enterprise):manager".json
                operation["value"] = id().json
            default:
                operation["path"] = pick(Self.paths).json
                operation["value"] = SCIMEngineRandomTests.value(&numbers)
            }
            return operation
        }

        mutating func patch() -> JSONValue {
            [
                "schemas": [.string(SCIMPatch.schema)],
                "Operations": .array((0..<number(1..<4)).map { _ in operation() }),
            ]
        }

        mutating func request() -> (method: String, path: String, body: JSONValue?) {
            switch number(0..<12) {
            case 0, 1: return ("POST", "/Users", resource(true))
            case 2: return ("POST", "/Groups", resource(false))
            case 3: return ("GET", pick(["/Users", "/Groups", ""]) + pick(Self.queries), nil)
            case 4: return ("GET", path() + pick(Self.queries), nil)
            case 5:
                let path = path()
                return ("PUT", path, resource(path.hasPrefix("/Users")))
            case 6: return number(0..<3) == 0 ? ("DELETE", path(), nil) : ("GET", path(), nil)
            case 7:
                let operations = (0..<number(0..<4)).map { number -> JSONValue in
                    let (method, path, body) = request()
                    return [
                        "method": method.json, "path": path.json, "bulkId": "\(number)".json, "data": body ?? .null,
                    ]
                }
                return (
                    "POST", "/Bulk",
                    [
                        "schemas": ["urn:ietf:params:scim:api:messages:2.0:BulkRequest"],
                        "Operations": .array(operations),
                    ]
                )
            default: return ("PATCH", path() + (number(0..<4) == 0 ? "?attributes=id" : ""), patch())
            }
        }
    }

    @Test("Any sequence of requests leaves a sound directory and is answered below 500", arguments: 0..<2)
    func anySequence(round: Int) async throws {
        let seed = randomSeed()
        let server = try await SCIMServer()
        let names = ["kenji.sato", "haruka.ito", "yuki.tanaka", "tom.evans", "peter.ng"]
        var requests = Requests(
            numbers: SeededNumbers(seed: seed), users: try names.map { try server.id(of: $0) },
            groups: try ["sales", "platform", "everyone"].map { try server.id(ofGroup: $0) })
        var statuses: [Int: Int] = [:]
        for _ in 0..<300 {
            let (method, path, body) = requests.request()
            let target = path.replacing(" ", with: "%20").replacing("\"", with: "%22")
            let answer = try await server.ask(method, target, body)
            statuses[answer.status, default: 0] += 1
            #expect(answer.status < 500, "seed \(seed): \(method) \(path)")
            if answer.status == 201, let id = answer.body["id"]?.text {
                if path == "/Users" { requests.users.append(id) } else { requests.groups.append(id) }
            }
            // What was read can be put back, and nothing changes by it.
            if method == "GET", answer.status == 200, let id = answer.body["id"]?.text, !path.contains("?") {
                let resource = String(path.prefix { $0 != "?" })
                let again = try await server.put(resource, answer.body)
                #expect(again.status == 200, "seed \(seed): \(id) \(again.body)")
                #expect(again.body == answer.body, "seed \(seed): \(id)")
            }
        }
        #expect(statuses[200] ?? 0 > 40)
        #expect(statuses[201] ?? 0 > 5)
        let problems = try await server.directory.unrestricted.check()
        #expect(problems == [], "seed \(seed)")
    }

    @Test("Whatever somebody asks, they change nobody but themselves, and of themselves what is theirs")
    func anySequenceOfAPerson() async throws {
        let seed = randomSeed()
        let server = try await SCIMServer()
        let tom = try await server.called(byUser: "tom.evans")
        let users = try await server.get("/Users?count=500").resources
        let groups = try await server.get("/Groups?count=500").resources
        let me = try await server.get("/Users/\(try server.id(of: "tom.evans"))").body
        var requests = Requests(
            numbers: SeededNumbers(seed: seed), users: users.compactMap { $0["id"]?.text } + [me["id"]?.text ?? ""],
            groups: groups.compactMap { $0["id"]?.text })
        for _ in 0..<300 {
            var (method, path, body) = requests.request()
            if requests.number(0..<4) == 0, method == "PATCH" { path = "/Me" }
            // With another password the rest would be refused.
            let text = String(decoding: (body ?? .null).bytes, as: UTF8.self)
            if text.contains("password") || method == "DELETE" && path.hasSuffix(me["id"]?.text ?? "") { body = nil }
            let target = path.replacing(" ", with: "%20").replacing("\"", with: "%22")
            let answer = try await tom.ask(method, target, body)
            #expect(answer.status < 500 && answer.status != 401, "seed \(seed): \(method) \(path)")
        }
        var after = try await server.get("/Users?count=500").resources
        let mine = try #require(after.first { $0["id"] == me["id"] })
        after.removeAll { $0["id"] == me["id"] }
        // What others call them is theirs to change, and stands wherever somebody has to do with them.
        func unnamed(_ value: JSONValue) -> JSONValue {
            if case .array(let elements) = value { return .array(elements.map(unnamed)) }
            guard case .object(let members) = value else { return value }
            let isMe = value["value"] == me["id"]
            return .object(
                members.filter { !isMe || !["display", "displayName"].contains($0.name) }.map {
                    .init($0.name, unnamed($0.value))
                })
        }
        let others = users.filter { $0["id"] != me["id"] }
        #expect(after.map(unnamed) == others.map(unnamed), "seed \(seed)")
        let groupsAfter = try await server.get("/Groups?count=500").resources
        #expect(groupsAfter.map(unnamed) == groups.map(unnamed), "seed \(seed)")
        for name in ["userName", "active", "title", "emails", "externalId", "name", "groups", "roles"] {
            #expect(mine[name] == me[name], "seed \(seed)")
        }
        #expect(mine[SCIMServer.enterprise] == me[SCIMServer.enterprise], "seed \(seed)")
    }
}
