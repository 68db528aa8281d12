import Foundation
import Roster
import RosterFixtures
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Settings that administrators change while the service runs")
struct SettingsTests {
    private static let google: JSONValue = [
        "issuer": "https://accounts.example.com", "client_id": "roster", "validation_key": "of the provider",
    ]

    /// The service of a directory, as an administrator asks it.
    private struct Running {
        let service: RESTService
        let signIn: SignIn

        init(_ directory: Directory, trust: SignIn.Trust = SignIn.Trust(), crossOrigin: CrossOriginPolicy? = nil) throws {
            signIn = try SignIn(
                directory, issuer: TrustingService.base, trust: trust, passwordCost: PasswordParameters.forTests)
            service = RESTService(
                try ServiceContext(
                    directory: directory, baseURL: TrustingService.base, allowsPlainCredentials: true, signIn: signIn,
                    crossOrigin: crossOrigin))
        }

        func ask(_ method: String, _ path: String, _ body: JSONValue? = nil) async -> Answer {
            var headers: HTTPHeaders = ["Authorization": ServiceUnderTest.basic("root")]
            if body != nil { headers.add("Content-Type", "application/json") }
            return Answer(
                await service.respond(
                    to: HTTPRequest(method, "/admin/" + path, headers: headers, body: body?.bytes ?? [])))
        }

        /// The element of a list with a name.
        func listed(_ name: String, in collection: String) async -> JSONValue? {
            await ask("GET", collection)[collection]?.elements.first { $0["name"]?.text == name }
        }

        func mayRead(from origin: String) async -> Bool {
            let answer = await service.respond(to: HTTPRequest("GET", "/healthz", headers: ["Origin": origin]))
            return answer.headers["Access-Control-Allow-Origin"] == origin
        }
    }

    private static func directory() async throws -> Directory {
        let directory = try Fixtures.company()
        let view = directory.unrestricted
        try await view.users.create(["uid": "root", "commonName": "Root", "password": .string(ServiceUnderTest.password)])
        try await view.roles.add(.user("root"), to: "administrators")
        return directory
    }

    @Test("A stored issuer and its certificate are trusted at once, and no more when they are deleted")
    func issuer() async throws {
        try await TrustingService.running(issuers: []) { trusting in
            let party = try Party.second.get()
            let running = Running(trusting)
            try await trusting.directory.unrestricted.users.create([
                "uid": "root", "commonName": "Root", "password": .string(ServiceUnderTest.password),
            ])
            let role = try await trusting.directory.unrestricted.access.administrators()
            _ = role
            #expect(await trusting.bring(try party.token()).status == 400)
            _ = running
        }
    }
}
