import Roster
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing

@testable import RosterREST

@Suite("The credentials by which a server on PostgreSQL knows callers before it signs them in")
struct KnownCredentialsTests {
    @Test("A cookie that is no session is no credential, and each field with a credential is one")
    func texts() async throws {
        let context = try await ServiceUnderTest().service.context
        func texts(_ headers: HTTPHeaders) -> [String]? {
            context.credentialTexts(of: HTTPRequest("GET", "/scim/v2/Me", headers: headers, clientAddress: "192.0.2.1"))
        }
        #expect(texts(["Cookie": "lb=node1"]) == nil)
        #expect(texts([:]) == nil)
        #expect(texts(["Authorization": "Basic YTpi", "Cookie": "lb=node1"]) == ["basic", "YTpi"])
        #expect(texts(["X-IDAAS-REST-AUTHORIZATION": "Basic YTpi"]) == ["basic", "YTpi"])
        #expect(
            texts(["Authorization": "Basic YTpi", "Oracle-Mobile-Backend-ID": "app"]) == ["basic", "YTpi", "app"])
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
