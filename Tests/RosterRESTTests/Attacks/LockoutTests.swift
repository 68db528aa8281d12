import Foundation
import Roster
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Attacks by guessing, and by making others wait", .timeLimit(.minutes(2)))
struct LockoutTests {
    private static let home = "198.51.100.7"

    private func password(
        _ app: App, _ name: String, _ password: String, from clientAddress: String, _ more: [(String, String)] = []
    ) async -> Answer {
        await app.post(
            "/oauth2/token", [("grant_type", "password"), ("username", name), ("password", password)] + more,
            clientAddress: clientAddress)
    }

    /// Guesses at a name from many addresses, through each door in turn. Returns the statuses.
    private func guess(_ app: App, _ name: String, _ attempts: Int, from network: String = "203.0") async throws
        -> [Int]
    {
        let service = app.service
        var statuses: [Int] = []
        for attempt in 0..<attempts {
            let clientAddress = "\(network).\(attempt / 250).\(attempt % 250)"
            let wrong = "guess number \(attempt)"
            switch attempt % 4 {
            case 0: statuses.append(await password(app, name, wrong, from: clientAddress).status)
            case 1:
                let basic = ServiceUnderTest.basic(name, wrong)
                statuses.append(await service.send("GET", "/scim/v2/Me", basic, clientAddress: clientAddress).status)
            case 2:
                let body: JSONValue = ["name": .string(name), "password": .string(wrong)]
                statuses.append(
                    await service.request("POST", "/db/_session", as: .nobody, body, clientAddress: clientAddress)
                        .status)
            default:
                let body: JSONValue = [
                    "X-Idaas-Rest-Subject-Type": "USERCREDENTIAL", "X-Idaas-Rest-Subject-Username": .string(name),
                    "X-Idaas-Rest-Subject-Password": .string(wrong),
                ]
                let proof = ServiceUnderTest.basic(app.clientID, app.secret ?? "")
                statuses.append(
                    await service.send(
                        "POST", "/oic_rest/rest/jwtauthentication/authenticate", proof, body.bytes,
                        clientAddress: clientAddress
                    ).status)
            }
        }
        return statuses
    }

    @Test("All doors count together: whoever goes from one to the next, and from address to address, has to wait")
    func doors() async throws {
        for name in [ServiceUnderTest.engineer, "nobody.of.that.name"] {
            let app = try await App(try await ServiceUnderTest())
            let statuses = try await guess(app, name, 16)
            #expect(!statuses[..<5].contains(429), "\(statuses)")
            #expect(statuses[5...].allSatisfy { $0 == 429 }, "\(name): \(statuses)")
        }
    }

    @Test("Guesses that come at once are no more than those that come one by one: passwords, and answers to questions")
    func bursts() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let name = ServiceUnderTest.engineer
        // Each thread that hashes may be at one already when the last free one fails.
        let most = 5 + ProcessInfo.processInfo.activeProcessorCount
        func evaluated(_ attempt: @escaping @Sendable (Int) async -> Int) async -> Int {
            await withTaskGroup(of: Int.self) { group in
                for number in 0..<48 { group.addTask { await attempt(number) } }
                return await group.reduce(0) { $0 + ($1 == 429 ? 0 : 1) }
            }
        }
        let passwords = await evaluated { number in
            await password(app, name, "guess number \(number)", from: "203.0.113.\(number)").status
        }
        #expect((5...most).contains(passwords), "\(passwords) passwords were tried")
        let questions: JSONValue = [
            "questions": [
                ["question": "Where?", "answer": "Rue de la Paix"],
                ["question": "Who taught you?", "answer": "Aunt Zoë"],
            ]
        ]
        let lead = ServiceUnderTest.basic(ServiceUnderTest.lead, ServiceUnderTest.password)
        let path = "/mobile/platform/users/~/challenge-questions"
        #expect(await service.send("PUT", path, lead, questions.bytes).status == 204)
        let answers = await evaluated { number in
            let guess = #"{"Where?":"\#(number)","Who taught you?":"my aunt"}"#
            return await password(
                app, ServiceUnderTest.lead, ServiceUnderTest.password, from: Self.home, [("kba_answers", guess)]
            ).status
        }
        #expect((5...most).contains(answers), "\(answers) answers were tried")
    }

    @Test("Whoever is attacked goes on: at a known place, with tokens, a session and a code, and every other user too")
    func denialOfService() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let name = ServiceUnderTest.engineer
        #expect(await password(app, name, ServiceUnderTest.password, from: Self.home).status == 200)
        let (access, refresh) = try await app.tokens()
        let code = try await app.code()
        _ = try await guess(app, name, 80)
        #expect(await password(app, name, ServiceUnderTest.password, from: Self.home).status == 200)
        #expect(await app.status("/mobile/platform/users/~", access) == 200)
        #expect(await app.refresh(refresh ?? "").status == 200)
        #expect(await app.redeem(code).status == 200)
        #expect(await app.browse("GET", try app.authorizePath()).status == 303, "the browser's session goes on")
        #expect(await password(app, ServiceUnderTest.lead, ServiceUnderTest.password, from: Self.home).status == 200)
        let user = try await service.directory.unrestricted.users.user(.named(name))
        #expect(user.isActive, "nothing is locked that an administrator would have to open")
    }

    @Test("The right password while it must wait gets the same answer as a wrong one")
    func sameWhileWaiting() async throws {
        let app = try await App(try await ServiceUnderTest())
        _ = try await guess(app, ServiceUnderTest.engineer, 8)
        let right = await password(app, ServiceUnderTest.engineer, ServiceUnderTest.password, from: "203.0.113.1")
        let wrong = await password(app, ServiceUnderTest.engineer, "wrong", from: "203.0.113.1")
        #expect(right.status == 429 && wrong.status == 429)
        #expect(right["error"] == wrong["error"] && right["error_description"] == wrong["error_description"])
        #expect(right.header("Retry-After").flatMap(Int.init).map((1...60).contains) == true)
    }

    @Test("The sign-in page says how long to wait, with the same words for a name that nobody has")
    func page() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        var texts: [String] = []
        for name in [ServiceUnderTest.engineer, "nobody.of.that.name"] {
            _ = try await guess(app, name, 8, from: "203.\(texts.count)")
            let page = await app.browse("GET", try app.authorizePath())
            let answer = try await app.signIn(on: page, as: name)
            #expect(
                answer.status == 429 && answer.header("Retry-After") != nil
                    && app.cookie("__Host-roster_session") == nil)
            texts.append(
                answer.text.replacing(name, with: "").replacing(#/value="[^"]*"/#, with: "")
                    .replacing(#/in \d+ seconds/#, with: ""))
        }
        #expect(texts[0] == texts[1])
    }

    @Test("Who tries one password on many names from one address has to wait as well, and their known users do not")
    func stuffing() async throws {
        let app = try await App(try await ServiceUnderTest())
        #expect(
            await password(app, ServiceUnderTest.engineer, ServiceUnderTest.password, from: Self.home).status == 200)
        var statuses: [Int] = []
        for number in 0..<80 {
            statuses.append(await password(app, "user\(number)", "Summer2026!", from: Self.home).status)
        }
        #expect(statuses.filter { $0 == 429 }.count >= 25, "\(statuses)")
        #expect(
            await password(app, ServiceUnderTest.engineer, ServiceUnderTest.password, from: Self.home).status == 200)
        #expect(await password(app, ServiceUnderTest.lead, "wrong", from: "198.51.100.8").status == 400)
    }

    @Test("A client's secret is not guessed at through its user, nor a user's password through the client's door")
    func secrets() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        var texts: Set<String> = []
        for (id, secret) in [
            (app.clientID, "wrong"), (app.clientID, ""), ("nobody", app.secret ?? ""), (app.clientID, app.clientID),
            (app.record.backendID, app.secret ?? ""), (app.clientID, (app.secret ?? "").uppercased()),
            (app.clientID, (app.secret ?? "") + "\u{0}"), (app.clientID + "\u{301}", app.secret ?? ""),
            (app.clientID.uppercased() + " ", app.secret ?? ""), (app.clientID, app.record.secretDigest ?? ""),
        ] {
            let answer = await app.post(
                "/oauth2/token", [("grant_type", "client_credentials")],
                authorization: ServiceUnderTest.basic(id, secret))
            #expect(answer.status == 401 && answer.givesNothing, "\(id) \(secret)")
            texts.insert(answer.text)
        }
        #expect(texts.count == 1, "which of the two was wrong is not told")
        #expect(
            await app.post(
                "/oauth2/token", [("grant_type", "client_credentials")],
                authorization: ServiceUnderTest.basic(ServiceUnderTest.engineer)
            ).status == 401)
        let user = ServiceUnderTest.basic(app.clientID, app.secret ?? "")
        #expect(await service.send("GET", "/scim/v2/Me", user).status == 401)
    }
}
