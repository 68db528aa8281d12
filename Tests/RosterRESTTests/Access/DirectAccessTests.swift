import Foundation
import Roster
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Calls that come by way of no backend", .timeLimit(.minutes(2)))
struct DirectAccessTests {
    private static let person = ServiceUnderTest.basic(ServiceUnderTest.engineer)

    private func rules(_ document: JSONValue, allowsBasic: Bool = true) throws -> SignIn.DirectAccess {
        try SignIn.DirectAccess(allowsBasic: allowsBasic, document: document.bytes)
    }

    private func role(_ service: ServiceUnderTest) throws -> String {
        try #require(
            try service.directory.unrestricted.read { session in
                try session.roles.memberships(of: session.users.id(of: .named(ServiceUnderTest.engineer))).first?.role
                    .name
            })
    }

    @Test("HTTP Basic without a backend can be turned off; then a backend's 'http_basic' decides")
    func bareBasic() async throws {
        let service = try await ServiceUnderTest(direct: SignIn.DirectAccess(allowsBasic: false))
        let keys = service.signIn.oauth.keys
        for (isOn, status) in [(true, 200), (false, 401)] {
            let (backend, secrets) = try await Backend.create(
                .init(name: "\(isOn)", settings: BackendSettings(["http_basic": .boolean(isOn)])), keys: keys,
                in: service.directory.unrestricted)
            for credentials in [Self.person, "Basic " + secrets.anonymousKey] {
                let headers = [("Oracle-Mobile-Backend-ID", backend.backendID)]
                let path = "/mobile/platform/users/~"
                #expect(await service.send("GET", path, credentials, headers: headers).status == status)
            }
        }
        for path in ["/scim/v2/Me", "/mobile/platform/users/~", "people/ren.watanabe", "/db/_session"] {
            let answer = await service.send("GET", path, Self.person)
            #expect(answer.status == 401 && answer.text.contains("names its backend"), "\(path) \(answer.text)")
        }
        let encoded = Self.person.dropFirst("Basic ".count)
        for spelled in ["UIDPASSWORD cred=\"\(encoded)\"", "bAsIc \(encoded)"] {
            #expect(await service.send("GET", "/scim/v2/Me", spelled).status == 401)
        }
        #expect(await service.send("POST", "/db/_session", Self.person).status == 401, "nor does it become a session")
        #expect(await service.request("GET", "/scim/v2/Users?count=1", as: .provisioning).status == 200)
        let body: JSONValue = [
            "name": .string(ServiceUnderTest.engineer), "password": .string(ServiceUnderTest.password),
        ]
        #expect(await service.request("POST", "/db/_session", as: .nobody, body).status == 200, "the page signs in so")
        let app = try await App(service)
        #expect(await app.token(("grant_type", "client_credentials")).status == 200, "a client's Basic is not a user's")
        let plain = try await ServiceUnderTest()
        #expect(await plain.send("GET", "/scim/v2/Me", Self.person).status == 200, "on where nothing is said")
    }

    @Test("The server's 'apis' hold for passwords, sessions and programs' tokens; a backend's calls follow its own")
    func serverRules() async throws {
        let names = try role(try await ServiceUnderTest())
        let document: JSONValue = [
            "apis": ["scim": ["roles": [.string(names)]], "mobile": [:], "userprofile": ["roles": ["nobody has this"]]]
        ]
        let service = try await ServiceUnderTest(direct: try rules(document))
        let session = await service.request("POST", "/db/_session", as: .person)
        let cookie = [("Cookie", String(try #require(session.header("Set-Cookie")).prefix { $0 != ";" }))]
        for (path, status) in [
            ("/scim/v2/Me", 200), ("/mobile/platform/users/~", 200), ("people/ren.watanabe", 403), ("/admin/keys", 403),
        ] {
            #expect(await service.send("GET", path, Self.person).status == status, "\(path)")
            #expect(await service.send("GET", path, nil, headers: cookie).status == status, "\(path) with a session")
        }
        #expect(await service.request("GET", "/scim/v2/Users", as: .administrator).status == 403, "without the role")
        #expect(
            await service.request("GET", "/scim/v2/Users", as: .provisioning).status == 403, "a program has no role")
        #expect(await service.request("GET", "/metrics", as: .monitoring).status == 403, "what is not listed is closed")
        let app = try await App(service, ["apis": ["userprofile": [:]]])
        let token = try await app.tokens(["scope": "openid directory"]).access
        #expect(await app.status("/oic_rest/rest/userprofile/people/ren.watanabe", token) == 200)
        #expect(await app.status("/scim/v2/Me", token) == 403)
        let open = try await ServiceUnderTest(direct: try rules(["scim": [:]]))
        #expect(
            await open.request("GET", "/scim/v2/Users?count=1", as: .provisioning).status == 200, "it has signed in")
    }

    @Test(
        "A document of server-wide rules that cannot do what it says is refused with the field's name",
        arguments: [
            (["apis": ["scim": ["login_required": false]]], "apis.scim.login_required"),
            (["apis": ["mobile": ["login_required": false]]], "apis.mobile.login_required"),
            (["apis": ["skim": [:]]], "apis.skim"), (["apis": ["scim": ["colour": 1]]], "apis.scim.colour"),
            (["apis": []], "apis"),
        ] as [(JSONValue, String)])
    func badDocuments(document: JSONValue, told: String) {
        #expect {
            try SignIn.DirectAccess(document: document.bytes)
        } throws: { "\($0)".contains(told) }
    }

    @Test(
        "login_required false is refused for an API of ours in which nobody may do anything",
        arguments: ["userprofile", "scim", "directory"])
    func anonymous(api: String) async throws {
        let service = try await ServiceUnderTest()
        let apis: JSONValue = .object([.init(api, ["login_required": false])])
        let made = await service.request("POST", "/admin/backends", ["name": "open", "apis": apis])
        #expect(made.status == 400 && made.text.contains("apis.\(api).login_required"), "\(made.text)")
        let plain = await service.request("POST", "/admin/backends", ["name": "plain"])
        let id = try #require(plain["id"]?.text)
        let changed = await service.request("PUT", "/admin/backends/\(id)", ["name": "plain", "apis": apis])
        #expect(changed.status == 400 && changed.text.contains("apis.\(api).login_required"))
        let program: JSONValue = ["name": "program", "apis": apis, "directory_role": "provisioning"]
        #expect(await service.request("POST", "/admin/backends", program).status == 201, "for its own tokens")
        let mobile: JSONValue = [
            "name": "mobile", "apis": ["mobile": ["login_required": false], "ours": ["login_required": false]],
        ]
        let open = await service.request("POST", "/admin/backends", mobile)
        let headers = [("Oracle-Mobile-Backend-ID", try #require(open["backend_id"]?.text))]
        let key = "Basic " + (try #require(open["anonymous_key"]?.text))
        #expect(await service.send("GET", "/mobile/platform/users/~", key, headers: headers).status == 200)
    }
}
