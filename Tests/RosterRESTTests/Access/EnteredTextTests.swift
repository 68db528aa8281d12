import Foundation
import Roster
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("What people enter to sign in")
struct EnteredTextTests {
    private static let (composed, decomposed) = ("p\u{E4}ss\u{A0}Horse-9", "pa\u{308}ss Horse-9")

    /// The statuses of signing in with a name and a password at each interface that takes them.
    private func statuses(_ name: String, _ password: String, at service: ServiceUnderTest) async throws -> [Int] {
        let basic = await service.send("GET", "/scim/v2/Me", ServiceUnderTest.basic(name, password))
        let body: JSONValue = ["name": .string(name), "password": .string(password)]
        let session = await service.send("POST", "/db/_session", nil, body.bytes)
        let app = try await App(service, named: "app \(UUID())")
        let page = await app.browse("GET", "/oauth2/sign-in")
        let answer = try await app.bring(page, to: "/oauth2/sign-in", [("username", name), ("password", password)])
        return [basic.status, session.status, answer.status]
    }

    @Test(
        "A name with white space around it is the name, at every interface",
        arguments: [" ", "\u{A0}", "\u{3000}", "  ", "\t"])
    func spaces(space: String) async throws {
        let service = try await ServiceUnderTest()
        for name in [
            ServiceUnderTest.engineer + space, space + ServiceUnderTest.engineer,
            "ren.watanabe@nordwind.example" + space,
        ] {
            #expect(try await statuses(name, ServiceUnderTest.password, at: service) == [200, 200, 303])
        }
        let unknown = try await statuses("ren. watanabe", ServiceUnderTest.password, at: service)
        #expect(unknown == [401, 401, 401], "a space inside counts")
    }

    @Test("Guesses with and without a space count together")
    func throttled() async throws {
        let service = try await ServiceUnderTest()
        for index in 0..<12 {
            let name = ServiceUnderTest.engineer + String(repeating: " ", count: index % 3)
            _ = await service.send("GET", "/scim/v2/Me", ServiceUnderTest.basic(name, "guess \(index)"))
        }
        #expect(await service.send("GET", "/scim/v2/Me", ServiceUnderTest.basic("ren.watanabe")).status == 429)
    }

    @Test("A password is the same in both forms, however it was set and wherever it is entered")
    func forms() async throws {
        for (set, other) in [(Self.composed, Self.decomposed), (Self.decomposed, Self.composed)] {
            let service = try await ServiceUnderTest()
            let id = try await service.directory.unrestricted.users.user("ren.watanabe").id
            let patch: JSONValue = [
                "schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
                "Operations": [["op": "replace", "path": "password", "value": .string(set)]],
            ]
            #expect(await service.request("PATCH", "/scim/v2/Users/\(id)", patch).status < 300)
            for password in [set, other] {
                #expect(try await statuses("ren.watanabe", password, at: service) == [200, 200, 303])
            }
        }
    }

    @Test("A new password with a forbidden character is refused with the reason, and the old one stays")
    func forbidden() async throws {
        let service = try await ServiceUnderTest()
        let id = try await service.directory.unrestricted.users.user("ren.watanabe").id
        let bodies: [(String, String, JSONValue)] = [
            (
                "PATCH", "/scim/v2/Users/\(id)",
                [
                    "schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
                    "Operations": [["op": "replace", "path": "password", "value": "correct\u{7}horse"]],
                ]
            ),
            ("PUT", "\(ServiceUnderTest.base)/people/\(id)", ["password": "correct\u{7}horse"]),
        ]
        for (method, path, body) in bodies {
            let answer = await service.request(method, path, body)
            #expect(answer.status == 400 && answer.text.contains("a control character"), "\(answer.text)")
        }
        let answer = await service.send("GET", "/scim/v2/Me", ServiceUnderTest.basic("ren.watanabe"))
        #expect(answer.status == 200)
    }
}
