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
        let directory = try Fixtures.company()
        let server = try DirectoryServer(directory, configuration: .init(listen: "127.0.0.1:0"))
        let url = try server.start()
        let signIn = try #require(server.signIn)
        var app = BackendSettings()
        app.scopes = ["orders"]
        app.audiences = ["https://orders.example.com"]
        let secrets = try await signIn.createBackend(named: "shop", settings: app, in: directory.unrestricted)
        let accessToken = try await signIn.tokens(
            .clientCredentials(scopes: ["orders"]), clientID: secrets.clientID, secret: secrets.secret
        ).accessToken
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
        await server.stop()
    }
}
