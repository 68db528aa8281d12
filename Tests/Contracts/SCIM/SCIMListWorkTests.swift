import Foundation
import Roster
import RosterREST
import RosterSignIn
import RosterStore
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("The work of SCIM's lists", .timeLimit(.minutes(5)))
struct SCIMListWorkTests {
    /// A service with 240 people more, who have managers, roles and identifiers of the client, and with 240 groups that have members.
    private func service() async throws -> ServiceUnderTest {
        let service = try await ServiceUnderTest()
        let view = service.directory.unrestricted
        try await view.users.load(
            (0..<240).map { NewUser("p\($0)", manager: $0 == 0 ? nil : .named("p\(($0 - 1) / 3)")) })
        for number in 0..<240 {
            try await view.roles.create("g\(number)", attributes: ["displayName": .string("Group \(number)")])
            try await view.roles.add(
                [.user(.named("p\(number)")), .user(.named("p\((number * 7) % 240)"))], to: .named("g\(number)"))
        }
        try await view.roles.add([.role("g1"), .user("p9")], to: "g0")
        // The first use of a token is stored a moment later, which is work, too.
        _ = await service.request("GET", "/scim/v2/Users?count=1", as: .tokenAdministrator)
        await service.signIn.flush()
        return service
    }

    private func ask(_ path: String, _ service: ServiceUnderTest) async throws -> JSONValue {
        let answer = await service.request("GET", "/scim/v2/\(path)", as: .tokenAdministrator)
        #expect(answer.status == 200, "\(answer.text)")
        return answer.body
    }

    @Test("A server is sent as many statements for a list of 200 as for one of 20")
    func statements() async throws {
        let service = try await service()
        guard service.directory.isOnServer else { return }
        for list in ["Users?startIndex=41", "Groups?startIndex=5", "Users?filter=userName%20sw%20%22p%22"] {
            var found: [StatementWork] = []
            for count in [20, 200] {
                _ = try await ask("\(list)&count=\(count)", service)
                found.append(
                    try await work(on: service.directory) {
                        let answer = try await ask("\(list)&count=\(count)", service)
                        #expect(answer["Resources"]?.elements.count == count)
                    })
            }
            #expect(found[0].statements > 0 && found[1].statements == found[0].statements, "\(list): \(found)")
            #expect(found[1].trips == found[0].trips, "\(list): \(found)")
        }
    }

    @Test("A resource in a list is the same as the resource alone")
    func isTheSame() async throws {
        let service = try await service()
        for (list, kind) in [("Users?startIndex=41&count=60", "Users"), ("Groups?startIndex=4&count=60", "Groups")] {
            let resources = try await ask(list, service)["Resources"]?.elements ?? []
            #expect(resources.count == 60)
            for resource in resources {
                let id = try #require(resource["id"]?.text)
                #expect(try await ask("\(kind)/\(id)", service) == resource)
            }
        }
    }
}
