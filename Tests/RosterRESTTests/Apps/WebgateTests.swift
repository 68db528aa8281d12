import Foundation
import Roster
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("The challenge of a Webgate")
struct WebgateTests {
    private static let prefix = "X-Idaas-Rest-"
    private static let path = "/scim/v2/Me"

    private func app(
        _ settings: JSONValue = [
            "webgate": ["name": "gate", "level": 3],
            "grant_types": ["authorization_code", "refresh_token", "password"],
        ]
    ) async throws -> App {
        try await App(try await ServiceUnderTest(), settings)
    }

    private func ask(
        _ app: App, _ path: String = Self.path, _ authorization: String? = nil, _ more: [(String, String)] = []
    ) async -> Answer {
        await app.service.send(
            "GET", path, authorization, headers: [("Oracle-Mobile-Backend-ID", app.record.backendID)] + more)
    }

    private func context(_ answer: Answer) throws -> String {
        let field = try #require(answer.header("WWW-Authenticate"))
        return String(try #require(field.firstMatch(of: /request-ctx="([^"]+)"$/), "\(field)").1)
    }

    private func access(_ app: App, _ body: JSONValue) async throws -> Answer {
        let credentials = Data("\(app.clientID):\(app.secret ?? "")".utf8).base64EncodedString()
        let (token, _) = try await app.tokens(["scope": "openid directory"])
        var all: JSONValue = ["X-Idaas-Rest-Subject-Type": "TOKEN", "X-Idaas-Rest-Subject-Value": .string(token)]
        for member in body.members { all[Self.prefix + member.name] = member.value }
        return await app.service.request(
            "POST", "/oic_rest/rest/mobileoamauthentication/access", as: .nobody, all,
            headers: [("X-IDAAS-REST-AUTHORIZATION", "UIDPASSWORD cred=\"\(credentials)\"")])
    }

    @Test("A caller without a token is asked for one, gets it for the context, and repeats the request")
    func goesThrough() async throws {
        let app = try await app()
        let asked = await ask(app, Self.path + "?secret=1")
        #expect(asked.status == 401)
        let field = try #require(asked.header("WWW-Authenticate"))
        #expect(field.hasPrefix("OAM-Auth realm=\"gate:3 /scim/v2/Me\", request-ctx=\""), "\(field)")
        #expect(!field.contains("secret") && !field.contains(app.clientID))
        let context = try context(asked)
        for resource in [nil, "/scim/v2/Me", "https://id.example.com/scim/v2/Me?secret=1"] as [String?] {
            var body: JSONValue = ["Application-Context": .string(context)]
            if let resource { body["Application-Resource"] = .string(resource) }
            let answer = try await access(app, body)
            let token = try #require(answer["X-Idaas-Rest-Token-Value"]?.text, "\(answer.text)")
            #expect(await ask(app, Self.path, "OAM-Auth " + token).status == 200)
        }
    }

    @Test("A context is good for its client, its resource and five minutes")
    func contextIsBound() async throws {
        let app = try await app()
        let other = try await App(app.service, named: "other")
        let context = try context(await ask(app))
        func status(_ app: App, _ context: String, _ resource: String? = nil) async throws -> Int {
            var body: JSONValue = ["Application-Context": .string(context)]
            if let resource { body["Application-Resource"] = .string(resource) }
            return try await access(app, body).status
        }
        #expect(try await status(app, context) == 200)
        #expect(try await status(other, context) == 400)
        #expect(try await status(app, context, "/scim/v2/Users") == 400)
        #expect(try await status(app, context, "https://elsewhere.example.com/scim/v2/Me") == 400)
        for altered in ["", "x", context + "x", "A" + context, String(repeating: "x", count: 100_000)] {
            #expect(try await status(app, altered) == 400, "\(altered.prefix(20))")
        }
        app.service.clock.advance(by: 299)
        #expect(try await status(app, context) == 200)
        app.service.clock.advance(by: 2)
        #expect(try await status(app, context) == 400)
        app.service.clock.advance(by: -900)
        #expect(try await status(app, context) == 400, "a clock that is set back revives nothing")
    }

    @Test("Everybody else gets the challenges that they had")
    func others() async throws {
        let app = try await app()
        let plain = try await App(app.service, named: "plain")
        let off = try await App(app.service, named: "off", ["enabled": false, "webgate": ["name": "gate"]])
        let bearer = "Bearer realm=\"Roster\""
        #expect(await app.service.request("GET", Self.path, as: .nobody).header("WWW-Authenticate") == bearer)
        for app in [plain, off] { #expect(await ask(app).header("WWW-Authenticate") == bearer) }
        let twice = await ask(app, Self.path, nil, [("Oracle-Mobile-Backend-ID", app.record.backendID)])
        #expect(twice.header("WWW-Authenticate") == bearer)
        let bad = await ask(app, Self.path, "Bearer x")
        #expect(bad.header("WWW-Authenticate")?.contains("invalid_token") == true)
        #expect(await ask(app, Self.path, "OAM-Auth x").header("WWW-Authenticate") == bad.header("WWW-Authenticate"))
        let basic = ServiceUnderTest.basic(ServiceUnderTest.engineer, "wrong password")
        #expect(await ask(app, Self.path, basic).header("WWW-Authenticate") == bearer)
        let long = "/scim/v2/Users/" + String(repeating: "x", count: 1_100)
        #expect(await ask(app, long).header("WWW-Authenticate") == bearer)
    }

    @Test("Nothing in a path ends the realm")
    func realm() async throws {
        let app = try await app()
        let answer = await ask(app, "/scim/v2/Users/a\"b\\c")
        #expect(
            answer.header("WWW-Authenticate")?.hasPrefix(
                "OAM-Auth realm=\"gate:3 /scim/v2/Users/a%22b%5Cc\", request-ctx=") == true)
    }
}
