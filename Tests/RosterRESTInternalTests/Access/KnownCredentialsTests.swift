import Roster
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing

@testable import RosterREST

@Suite("The credentials by which a server on PostgreSQL knows callers before it signs them in")
struct KnownCredentialsTests {
    @Test("A cookie that is no session proves nothing, and each field with a credential counts")
    func proof() async throws {
        let context = try await ServiceUnderTest().service.context
        func proof(_ headers: HTTPHeaders) -> [String]? {
            context.proof(of: HTTPRequest("GET", "/scim/v2/Me", headers: headers, clientAddress: "192.0.2.1"))
        }
        #expect(proof(["Cookie": "lb=node1"]) == nil)
        #expect(proof([:]) == nil)
        #expect(proof(["Authorization": "Basic YTpi", "Cookie": "lb=node1"]) == ["basic", "YTpi"])
        #expect(proof(["X-IDAAS-REST-AUTHORIZATION": "Basic YTpi"]) == ["basic", "YTpi"])
        #expect(
            proof(["Authorization": "Basic YTpi", "Oracle-Mobile-Backend-ID": "app"]) == ["basic", "YTpi", "app"])
    }

    @Test("Credentials that are refused are forgotten")
    func forgets() {
        let known = KnownCredentials()
        let identity = Identity(.administrator("ada"), name: "ada")
        known.remember(["basic", "x"], of: .init(identity, isByName: true))
        #expect(known.holder(of: ["basic", "x"])?.accountName == "ada")
        #expect(known.holder(of: ["bearer", "x"]) == nil)
        known.forget(["basic", "x"])
        #expect(known.holder(of: ["basic", "x"]) == nil)
    }
}
