import Foundation
import Roster
import RosterSignIn
import RosterText
import ServiceTestSupport
import TestSupport
import Testing

@Suite("The last use of a program's token", .inBothForms)
struct TokenUseTests {
    private static func used(_ name: String, in service: ServiceUnderTest) async throws -> JSONValue {
        await service.signIn.flush()
        let tokens = await service.request("GET", "/admin/tokens")["tokens"]?.elements
        let token = try #require(tokens?.first { $0["name"]?.text == name })
        return try #require(token["used"])
    }

    @Test(
        "A used token of every role shows the time, and an unused or refused one shows none",
        arguments: [
            (Client.provisioning, "hr", "/scim/v2/Users?count=1"), (.tokenAdministrator, "ops", "/admin/keys"),
            (.monitoring, "watch", "/metrics"), (.reading, "wiki", "/scim/v2/Users?count=1"),
        ])
    func shown(client: Client, name: String, path: String) async throws {
        let service = try await ServiceUnderTest()
        let networks: JSONValue = ["name": "far", "role": "monitoring", "networks": ["198.51.100.0/24"]]
        let far = try #require(await service.request("POST", "/admin/tokens", networks)["token"]?.text)
        #expect(await service.send("GET", "/metrics", "Bearer " + far).status == 401)
        #expect(try await Self.used(name, in: service) == .null)
        #expect(await service.request("GET", path, as: client).status == 200)
        #expect(try await Self.used(name, in: service) == .time(service.clock.now))
        for other in ["far", "hr", "ops", "watch", "wiki"] where other != name {
            #expect(try await Self.used(other, in: service) == .null, "\(other)")
        }
    }

    @Test("A second use within an hour writes nothing, and a later one is stored")
    func rarely() async throws {
        let service = try await ServiceUnderTest()
        func use() async {
            #expect(await service.request("GET", "/metrics", as: .monitoring).status == 200)
            await service.signIn.flush()
        }
        await use()
        let first = service.clock.now
        let commits = service.directory.commitCount
        service.clock.advance(by: 3_599)
        for _ in 0..<3 { await use() }
        #expect(service.directory.commitCount == commits)
        #expect(try await Self.used("watch", in: service) == .time(first))
        service.clock.advance(by: 1)
        await use()
        #expect(service.directory.commitCount != commits)
        #expect(try await Self.used("watch", in: service) == .time(service.clock.now))
    }
}
