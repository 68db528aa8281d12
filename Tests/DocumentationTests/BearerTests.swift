import Foundation
import Roster
import RosterBearer
import RosterFixtures
import RosterServer
import RosterSignIn
import Testing

@Suite("The example of the landing page of RosterBearer")
struct BearerLandingTests {
    @Test("An API validates the access token of a request")
    func validates() async throws {
        let directory = try Fixtures.company(clock: { Date() })
        let server = try DirectoryServer(directory, configuration: .init(listen: "127.0.0.1:0"))
        let url = try server.start()
        let signIn = try #require(server.signIn)
        var app = BackendSettings()
        app.scopes = ["orders", .roles]
        app.audiences = ["https://orders.example.com"]
        let view = directory.unrestricted
        let secrets = try await signIn.createBackend(named: "shop", settings: app, in: view)
        try await view.roles.create("buyers")
        try await view.roles.add([.user("ren.watanabe")], to: "buyers")
        try await signIn.setPassword("correct horse battery", of: "ren.watanabe", in: view)
        let ren = try await signIn.person(named: "ren.watanabe", password: "correct horse battery")
        let accessToken = try await signIn.tokens(for: ren, clientID: secrets.clientID).accessToken
        let settings = BearerSettings(
            issuer: url, method: .keys(audience: "https://orders.example.com"), scopes: ["orders"])
        let validator = try BearerValidator(settings)
        do {
            let token = try await validator.validate(authorization: "Bearer \(accessToken)")
            try token.authorize(roles: ["buyers"])
            print(token.subject)
        } catch let refusal as BearerRefusal {
            print(refusal.status, refusal.challenge ?? "", refusal.reason)
        }
        // The example prints a refusal, so what it got is checked here once more.
        let valid = try await validator.validate(authorization: "Bearer \(accessToken)")
        try valid.authorize(roles: ["buyers"])
        #expect(valid.subject == ren.subject)
        let own = try await signIn.tokens(
            .clientCredentials(scopes: ["orders"]), clientID: secrets.clientID, secret: secrets.secret)
        let program = try await validator.validate(authorization: "Bearer \(own.accessToken)")
        #expect(throws: BearerRefusal.self) { try program.authorize(roles: ["buyers"]) }
        await #expect(throws: BearerRefusal.self) {
            _ = try await validator.validate(authorization: "Bearer \(accessToken)x")
        }
        await server.stop()
    }
}
