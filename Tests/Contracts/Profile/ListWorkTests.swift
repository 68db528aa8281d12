import Foundation
import Roster
import RosterREST
import RosterSignIn
import RosterStore
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("The work of lists over REST", .timeLimit(.minutes(5)))
struct ListWorkTests {
    /// A service with 240 people more, most of whom report to one of them and are members of one role, each of whom has changed themselves.
    private func service() async throws -> ServiceUnderTest {
        let service = try await ServiceUnderTest()
        let view = service.directory.unrestricted
        try await view.users.load((0..<240).map { NewUser("p\($0)", manager: $0 == 0 ? nil : .named("p0")) })
        for number in 0..<240 { try await view.roles.create("g\(number)") }
        try await view.roles.add((0..<240).map { .user(.named("p\($0)")) }, to: "g0")
        for number in 0..<240 {
            if number > 0 {
                try await view.roles.add([.user("p1"), .role(.named("g\(number - 1)"))], to: .named("g\(number)"))
            }
            let own = try await view.users.user(.named("p\(number)"))
            try await service.directory.acting(as: .user(own.id)).users.modify(
                .id(own.id), attributes: ["nickName": .string("n\(number)")])
        }
        // The first use of a token is stored a moment later, which is work, too.
        _ = await service.request("GET", "/scim/v2/Users?count=1", as: .tokenAdministrator)
        await service.signIn.flush()
        return service
    }

    @Test(
        "A list of 200 takes as many statements as one of 20",
        arguments: [
            "/people?pagesize=N", "/people?searchparam.uid=p*&pagesize=N", "/groups?pagesize=N",
            "/people/p0/reports?pagesize=N", "/people/p0/reports?scope=all&pagesize=N",
            "/people/p1/memberOf?pagesize=N",
            "/groups/g0/members?pagesize=N", "/changes?since=500&limit=N", "/admin/changes?entity=user&limit=N",
        ])
    func statements(list: String) async throws {
        let service = try await service()
        var found: [StatementWork] = []
        for count in [20, 200] {
            let path = list.replacing("N", with: "\(count)")
            let target = path.hasPrefix("/admin") ? path : ServiceUnderTest.base + path
            func ask() async throws {
                let answer = await service.request("GET", target, as: .tokenAdministrator)
                #expect(answer.status == 200, "\(answer.text)")
                #expect(answer.body["elements"]?.elements.count == count)
            }
            try await ask()
            found.append(try await work(on: service.directory) { try await ask() })
        }
        #expect(found[1].statements == found[0].statements && found[1].trips == found[0].trips, "\(found)")
    }
}
