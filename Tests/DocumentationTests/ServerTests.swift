import Roster
import RosterFixtures
import RosterServer
import Testing

@Suite("The example of the landing page of RosterServer")
struct ServerLandingTests {
    let directory: Directory

    init() throws { directory = try Fixtures.company() }

    @Test("A server starts and stops")
    func first() async throws {
        let server = try DirectoryServer(directory, configuration: .init(listen: "127.0.0.1:0"))
        let url = try server.start()
        print("The directory is at \(url).")
        await server.stop()
        #expect(url.hasPrefix("http://127.0.0.1:"))
    }
}

@Suite("Serving a directory")
struct ServingTests {
    let directory: Directory

    init() throws { directory = try Fixtures.company() }

    @Test("A server has a sign-in")
    func serving() async throws {
        let server = try DirectoryServer(
            directory, configuration: .init(listen: "127.0.0.1:0", log: { line in print(line.count) }))
        let url = try server.start()
        let signIn = server.signIn
        print(url, signIn != nil)
        await server.stop()
        #expect(signIn != nil)
    }
}
