import Roster
import RosterFixtures
import RosterServer
import RosterTransport
import Testing

@Suite("The example of the landing page of RosterTransport")
struct TransportLandingTests {
    @Test("A request is sent and answered")
    func first() async throws {
        let server = try DirectoryServer(try Fixtures.company(), configuration: .init(listen: "127.0.0.1:0"))
        let url = try server.start()
        let transport = Transport()
        let response = try await transport.send(TransportRequest("GET", "\(url)/healthz"))
        print(response.status)
        await server.stop()
        #expect(response.status == 200)
    }
}
