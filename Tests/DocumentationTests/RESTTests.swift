import Roster
import RosterDialects
import RosterFixtures
import RosterREST
import RosterSignIn
import Testing

@Suite("The example of the landing page of RosterREST")
struct RESTLandingTests {
    let directory: Directory

    init() throws { directory = try Fixtures.company() }

    @Test("A request is answered")
    func first() async throws {
        let service = try RESTService(serving: directory, at: "https://id.example.com")
        let response = await service.respond(to: HTTPRequest("GET", "/healthz"))
        print(response.status)
        #expect(response.status == 200)
    }
}

@Suite("Mounting the service")
struct MountingTests {
    let directory: Directory

    init() throws { directory = try Fixtures.company() }

    @Test("Requests are answered at once or later")
    func mounting() async throws {
        let signIn = try SignIn(directory, issuer: "https://id.example.com")
        let service = try RESTService(serving: directory, at: "https://id.example.com", signIn: signIn)

        let request = HTTPRequest("GET", "/scim/v2/ServiceProviderConfig", headers: ["Accept": "application/json"])
        let response = await service.respond(to: request)
        print(response.status, response.headers["Content-Type"] ?? "-")

        switch service.answer(to: HTTPRequest("GET", "/healthz")) {
        case .now(let response): print(response.status)
        case .later(let work): print(await work().status)
        }
        #expect(response.status == 401)

        let known = try RESTService(
            serving: directory, at: "https://id.example.com", signIn: signIn, interfaces: .dialects)
        print(await known.respond(to: HTTPRequest("GET", "/oic_rest/rest/userprofile/people")).status)
    }
}
