import Roster
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Signing in by mail address")
struct MailSignInTests {
    private static let address = "ren.watanabe@nordwind.example"

    private func signIn(_ name: String, at service: ServiceUnderTest) async -> Answer {
        await service.send("GET", "/scim/v2/Me", ServiceUnderTest.basic(name))
    }

    @Test("A mail address that one user alone has signs that user in, in any case, at every interface")
    func address() async throws {
        let service = try await ServiceUnderTest()
        for text in [Self.address, Self.address.uppercased()] {
            #expect(await signIn(text, at: service).body["userName"]?.text == ServiceUnderTest.engineer)
        }
        let body: JSONValue = ["name": .string(Self.address), "password": .string(ServiceUnderTest.password)]
        let session = await service.send("POST", "/db/_session", nil, body.bytes)
        #expect(session.body["userCtx"]?["name"]?.text == ServiceUnderTest.engineer, "\(session.text)")
        let app = try await App(service)
        let page = await app.browse("GET", "/oauth2/sign-in")
        let answer = try await app.bring(
            page, to: "/oauth2/sign-in", [("username", Self.address), ("password", ServiceUnderTest.password)])
        #expect(answer.status == 303)
    }

    @Test("An address of two users signs neither of them in, and is refused as an unknown one is")
    func shared() async throws {
        let service = try await ServiceUnderTest()
        try await service.directory.unrestricted.users.modify(
            "tom.evans", [.add(.emails, [["value": .string(Self.address), "type": "other"]])])
        let refused = await signIn(Self.address, at: service)
        let unknown = await signIn("nobody@nordwind.example", at: service)
        #expect(refused.status == 401 && unknown.status == 401)
        #expect(refused.body == unknown.body)
        #expect(await signIn(ServiceUnderTest.engineer, at: service).status == 200)
    }

    @Test("A name wins over an address, and a disabled account stays disabled")
    func names() async throws {
        let service = try await ServiceUnderTest()
        let hash = try PasswordHash.make("a password of its own", .forTests).text
        let users = service.directory.unrestricted.users
        // A name that is somebody's address is refused, so that the address has to come later.
        try await users.modify(.named(ServiceUnderTest.engineer), [.clear("emails")])
        try await users.create(Self.address, attributes: ["password": .string(hash)])
        try await users.modify(.named(ServiceUnderTest.engineer), attributes: ["mail": .string(Self.address)])
        #expect(await signIn(Self.address, at: service).status == 401)
        let own = await service.send(
            "GET", "/scim/v2/Me", ServiceUnderTest.basic(Self.address, "a password of its own"))
        #expect(own.body["userName"]?.text == Self.address)
        #expect(await signIn("matthias.schmidt@nordwind.example", at: service).status == 401)
    }

    @Test("Guesses by name and by address count together")
    func throttled() async throws {
        let service = try await ServiceUnderTest()
        var statuses: [Int] = []
        for index in 0..<12 {
            let name = index % 2 == 0 ? Self.address : ServiceUnderTest.engineer
            statuses.append(
                await service.send("GET", "/scim/v2/Me", ServiceUnderTest.basic(name, "guess \(index)")).status)
        }
        #expect(statuses.contains(429), "\(statuses)")
        #expect(await signIn(Self.address, at: service).status == 429)
        #expect(await signIn(ServiceUnderTest.engineer, at: service).status == 429)
    }
}
