import Foundation
import Roster
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Floods of one ordinary person")
struct FloodTests {
    /// A service whose clock stands still, so that rates give nothing back unless a test says so.
    private func service(_ rates: DirectoryRates) async throws -> ServiceUnderTest {
        let service = try await ServiceUnderTest()
        service.directory.rates = rates
        return service
    }

    private static let doors = ["directory", "batch", "scim", "bulk", "profile", "form"]

    /// Changes the description of the sender, at one of the doors.
    private func change(_ service: ServiceUnderTest, _ door: String, _ text: String, as client: Client) async -> Answer
    {
        let value = JSONValue.string(text)
        let name = client == .person ? ServiceUnderTest.engineer : "root"
        let user: JSONValue = ["named": ["_0": .string(name)]]
        let changes: JSONValue = [["set": ["_0": "description", "_1": value]]]
        switch door {
        case "directory":
            return await service.request(
                "POST", "/directory/v1/modifyUser", as: client, ["user": user, "changes": changes])
        case "batch":
            return await service.request(
                "POST", "/directory/v1/perform", as: client,
                ["batch": ["operations": [["modifyUser": ["_0": user, "_1": changes]]]]])
        case "scim", "bulk":
            let patch: JSONValue = [
                "schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
                "Operations": [["op": "replace", "path": "nickName", "value": value]],
            ]
            if door == "scim" { return await service.request("PATCH", "/scim/v2/Me", as: client, patch) }
            let id = (try? await service.directory.unrestricted.users.user(.named(name)).id.description) ?? ""
            return await service.request(
                "POST", "/scim/v2/Bulk", as: client,
                [
                    "schemas": ["urn:ietf:params:scim:api:messages:2.0:BulkRequest"],
                    "Operations": [["method": "PATCH", "path": .string("/Users/\(id)"), "data": patch]],
                ])
        case "profile": return await service.request("PUT", "people/\(name)", as: client, ["description": value])
        default: return await service.request("PUT", "/forms/~", as: client, ["description": value])
        }
    }

    private func isRefused(_ answer: Answer) -> Bool {
        answer.status == 429 && answer.header("Retry-After").flatMap { Int($0) }.map { $0 > 0 } == true
            || answer.status == 200 && answer.body["Operations"]?.elements.first?["status"]?.text == "429"
    }

    @Test(
        "A person makes so many changes at once, over all doors together, then so many a second; nothing more is written"
    )
    func changes() async throws {
        let rate = try Rate(atOnce: 30, perSecond: 2)
        let service = try await service(DirectoryRates(changes: rate))
        var numbers = SeededNumbers(seed: randomSeed())
        for number in 0..<30 {
            let door = try #require(Self.doors.randomElement(using: &numbers))
            let answer = await change(service, door, "text \(number)", as: .person)
            #expect([200, 204].contains(answer.status) && !isRefused(answer), "\(number) \(door): \(answer.text)")
        }
        let last = try await service.lastChange()
        for door in Self.doors {
            let answer = await change(service, door, "too much", as: .person)
            #expect(isRefused(answer), "\(door): \(answer.status) \(answer.text)")
        }
        #expect(try await service.lastChange() == last, "nothing is written")
        service.clock.advance(by: 1)
        for number in 0..<3 {
            let answer = await change(service, "form", "later \(number)", as: .person)
            #expect(isRefused(answer) == (number == 2))
        }
        #expect(try await service.lastChange() == last + 2)
        for client in [Client.administrator, .tokenAdministrator] {
            for number in 0..<40 {
                let answer = await change(service, "directory", "\(client) \(number)", as: client)
                #expect(answer.status == 200, "administrators have no rate: \(answer.text)")
            }
        }
    }

    @Test("A batch above the rate is refused as a whole, and counts nothing; a failed change counts nothing")
    func batches() async throws {
        let service = try await service(DirectoryRates(changes: try Rate(atOnce: 10, perSecond: 2)))
        let user: JSONValue = ["named": ["_0": .string(ServiceUnderTest.engineer)]]
        func batch(_ count: Int) -> JSONValue {
            let operations = (0..<count).map { number -> JSONValue in
                [
                    "modifyUser": [
                        "_0": user, "_1": [["set": ["_0": "description", "_1": .string("\(count) \(number)")]]],
                    ]
                ]
            }
            return ["batch": ["operations": .array(operations)]]
        }
        let last = try await service.lastChange()
        let answer = await service.request("POST", "/directory/v1/perform", as: .person, batch(11))
        #expect(isRefused(answer), "\(answer.text)")
        #expect(try await service.lastChange() == last)
        #expect(await service.request("POST", "/directory/v1/perform", as: .person, batch(10)).status == 200)
        #expect(try await service.lastChange() == last + 10)
        #expect(isRefused(await change(service, "form", "more", as: .person)))
    }

    @Test("The rates of administrators and programs can be set")
    func trusted() async throws {
        let rate = try Rate(atOnce: 5, perSecond: 1)
        let service = try await service(DirectoryRates(trustedChanges: rate))
        for number in 0..<6 {
            let answer = await change(service, "form", "text \(number)", as: .administrator)
            #expect(isRefused(answer) == (number == 5))
            let created = await service.request(
                "POST", "/directory/v1/createUser", as: .provisioning,
                ["user": ["uid": .string("new\(number)"), "attributes": [:], "isActive": true]])
            #expect(isRefused(created) == (number == 5), "\(created.text)")
            #expect(await change(service, "form", "text \(number)", as: .person).status == 200)
        }
    }

    private func sessions(_ service: ServiceUnderTest, _ name: String, _ count: Int) async -> [Answer] {
        var answers: [Answer] = []
        let body: JSONValue = ["name": .string(name), "password": .string(ServiceUnderTest.password)]
        for _ in 0..<count { answers.append(await service.request("POST", "/db/_session", as: .nobody, body)) }
        return answers
    }

    @Test("An account signs in so often at once, then once a second; a refused sign-in writes nothing")
    func signIns() async throws {
        let service = try await service(.served)
        let app = try await App(service)
        let first = await sessions(service, ServiceUnderTest.engineer, 60)
        #expect(first.allSatisfy { $0.status == 200 })
        await service.signIn.flush()
        let before = try await service.directory.unrestricted.changes.since(0, limit: 10_000)
        for answer in await sessions(service, ServiceUnderTest.engineer, 5) {
            #expect(answer.status == 429 && answer.header("Retry-After") == "1", "\(answer.text)")
        }
        let token = await app.token(
            ("grant_type", "password"), ("username", ServiceUnderTest.engineer), ("password", ServiceUnderTest.password)
        )
        #expect(token.status == 429 && token.header("Retry-After") == "1", "\(token.text)")
        await service.signIn.flush()
        #expect(try await service.directory.unrestricted.changes.since(0, limit: 10_000) == before)
        service.clock.advance(by: 1)
        #expect(await sessions(service, ServiceUnderTest.engineer, 2).map(\.status) == [200, 429])
        #expect(await sessions(service, ServiceUnderTest.lead, 1).map(\.status) == [200], "others are not counted")
        #expect(await sessions(service, "root", 100).allSatisfy { $0.status == 200 }, "administrators have no rate")
    }

    @Test("A session begins as often from a password in the request, and tokens are renewed as often")
    func otherWays() async throws {
        let service = try await service(DirectoryRates(signIns: try Rate(atOnce: 5, perSecond: 1)))
        var statuses: [Int] = []
        for _ in 0..<7 { statuses.append(await service.request("POST", "/db/_session", as: .person, [:]).status) }
        #expect(statuses == [200, 200, 200, 200, 200, 429, 429])
        let app = try await App(service)
        var answer = await app.token(
            ("grant_type", "password"), ("username", ServiceUnderTest.lead), ("password", ServiceUnderTest.password),
            ("scope", "openid offline_access"))
        for _ in 0..<4 {
            let token = try #require(answer.body["refresh_token"]?.text, "\(answer.text)")
            answer = await app.token(("grant_type", "refresh_token"), ("refresh_token", token))
        }
        let token = try #require(answer.body["refresh_token"]?.text, "\(answer.text)")
        let refused = await app.token(("grant_type", "refresh_token"), ("refresh_token", token))
        #expect(refused.status == 429)
        service.clock.advance(by: 1)
        let later = await app.token(("grant_type", "refresh_token"), ("refresh_token", token))
        #expect(later.status == 200, "a refused renewal uses no token up")
    }

    @Test("Sign-ins that are alike are one entry, and a failure never is one with a success")
    func records() async throws {
        let service = try await service(.none)
        let before = try await service.directory.unrestricted.changes.lastSequence()
        #expect(await sessions(service, ServiceUnderTest.engineer, 150).allSatisfy { $0.status == 200 })
        let wrong: JSONValue = ["name": .string(ServiceUnderTest.engineer), "password": "wrong"]
        for _ in 0..<4 { _ = await service.request("POST", "/db/_session", as: .nobody, wrong) }
        let body: JSONValue = [
            "name": .string(ServiceUnderTest.engineer), "password": .string(ServiceUnderTest.password),
        ]
        _ = await service.request("POST", "/db/_session", as: .nobody, body, headers: [("User-Agent", "Firefox")])
        await service.signIn.flush()
        let new = try await service.directory.unrestricted.changes.since(before)
        #expect(new.map(\.kind) == [.signedIn, .refused, .signedIn])
        #expect(new.map(\.count) == [150, 4, 1])
        #expect(new.last?.after["browser"]?.text == "Firefox")
        let account = await service.request("GET", "/mobile/platform/users/~/account", as: .person)
        let counts = account.body["sign_ins"]?.elements.map { $0["count"] }
        #expect(counts?.contains(150) == true, "\(account.text)")
        let log = await service.request("GET", "/admin/changes?kind=signedIn")
        #expect(log.body["elements"]?.elements.contains { $0["count"] == 150 } == true, "\(log.text)")
    }

    @Test("First steps of one person throw nobody else's begun sign-in out")
    func firstSteps() async throws {
        let service = try await service(.none)
        let oauth = service.signIn.oauth
        var begun: [String] = []
        for name in [ServiceUnderTest.lead, ServiceUnderTest.engineer] {
            let id = try await service.directory.unrestricted.users.user(.named(name)).id
            try await oauth.secondFactors.setQuestions(
                [("First pet?", "Rex the dog"), ("First car?", "A red Mini")], for: id)
        }
        func begin(_ name: String) async throws -> String {
            let login = Login(name: name, password: ServiceUnderTest.password, proof: SecondFactorProof())
            guard
                case .needsSecondFactor(let code, _, _) = try await oauth.signingIn.begin(
                    login, at: .page, from: "192.0.2.1")
            else {
                return ""
            }
            return code
        }
        let victim = try await begin(ServiceUnderTest.lead)
        for _ in 0..<400 { begun.append(try await begin(ServiceUnderTest.engineer)) }
        #expect(try oauth.signingIn.questions(ofBegun: victim)?.count == 2)
        #expect(try begun.count { try oauth.signingIn.questions(ofBegun: $0) != nil } == CodeOwner.mostOfPerson)
        let person = try await oauth.signingIn.finish(
            victim, SecondFactorProof(answers: ["First pet?": "rex the dog", "First car?": "a red mini"]), at: .page,
            from: "192.0.2.1")
        #expect(person.name == ServiceUnderTest.lead)
    }

    @Test("An import, and a program's changes, meet no rate")
    func imports() async throws {
        let service = try await service(.served)
        let rows = "uid,givenName\n" + (0..<2_000).map { "imported\($0),Ada" }.joined(separator: "\n")
        let report = try await service.directory.acting(as: .provisioning("hr")).awaitWrite { transaction in
            for row in rows.split(separator: "\n").dropFirst() {
                _ = try transaction.asEditor(to: "test").users.create(NewUser(String(row.split(separator: ",")[0])))
            }
            return 2_000
        }
        #expect(report == 2_000)
    }
}
