import Foundation
import Roster
import RosterREST
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Who may send a large body")
struct LargeBodyTests {
    @Test("Administrators may, with a password that is not hashed yet or with a token, and nobody else")
    func callers() async throws {
        let service = try await ServiceUnderTest()
        for client in Client.allCases {
            var head = HTTPRequest("POST", "/admin/import?format=csv")
            if let authorization = service.authorization(client) { head.headers.add("Authorization", authorization) }
            let decision = await service.service.largeBody(of: head).decision()
            let isAdministrator = client == .administrator || client == .tokenAdministrator
            guard case .admitted(let bytes, let request) = decision else {
                #expect(!isAdministrator, "\(client)")
                continue
            }
            #expect(isAdministrator && bytes == 64 << 20, "\(client)")
            // The request knows its caller, who does not sign in a second time.
            var sent = request
            sent.headers = [:]
            sent.body = Array("uid\nperson\(client == .administrator ? 1 : 2)\n".utf8)
            let answer = Answer(await service.service.respond(to: sent))
            #expect(answer.status == 200 && answer.body["users"]?["created"] == 1, "\(answer.text)")
        }
    }

    @Test("An endpoint that takes no large bodies, and a request without a path, decide at once")
    func others() async throws {
        let service = try await ServiceUnderTest()
        for target in ["/oauth2/token", "/nowhere", "*"] {
            let head = HTTPRequest(
                "POST", target, headers: ["Authorization": ServiceUnderTest.basic("root")])
            guard case .refused = service.service.largeBody(of: head) else {
                Issue.record("\(target) waits")
                continue
            }
        }
    }
}
