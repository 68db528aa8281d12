import Roster
import RosterAdministration
import RosterSignIn
import RosterText
import ServiceTestSupport
import TestSupport
import Testing

@testable import RosterREST

@Suite("Who may run each operation of the administration", .timeLimit(.minutes(10)))
struct AdministrationRuleTests {
    /// For each operation, a body that an administrator may send about `tom.evans`, and the status of the answer.
    private static let requests: [String: (body: JSONValue, status: Int)] = {
        let backend: JSONValue = ["backend": "{backend}"]
        let user: JSONValue = ["user": ["named": ["_0": "tom.evans"]]]
        let idp = #"{"issuerName": "idp", "certificateSubjectNames": ["CN=idp"]}"#
        func with(_ value: JSONValue, _ others: JSONValue) -> JSONValue { .object(value.members + others.members) }
        return [
            "tokens": ([:], 200),
            "makeToken": (["program": "new", "role": "monitoring", "networks": []], 200),
            "setTokenSource": (["token": "ops", "source": "entra"], 200), "endToken": (["token": "watch"], 200),
            "appPasswords": (user, 200),
            "makeAppPassword": (with(user, ["program": "mail", "use": "ldap", "networks": []]), 200),
            "endAppPassword": (with(user, ["password": "1"]), 404),
            "backends": ([:], 200), "backend": (backend, 200),
            "makeBackend": (["description": #"{"name": "new"}"#], 200),
            "changeBackend": (with(backend, ["description": #"{"name": "other"}"#]), 200),
            "deleteBackend": (backend, 200), "renewBackendSecrets": (backend, 200), "formerSecrets": (backend, 200),
            "endFormerSecrets": (backend, 200), "signOutNotices": (backend, 200),
            "backendUsers": (with(backend, ["count": 10]), 200),
            "signingKeys": ([:], 200), "makeSigningKey": (["algorithm": "ES256"], 200),
            "removeSigningKey": (["key": "{key}"], 200),
            "secondFactors": (user, 200), "removeSecondFactors": (with(user, ["kind": "questions"]), 200),
            "setPassword": (with(user, ["password": "a long new password"]), 200),
            "makePasswordLink": (with(user, ["kind": "reset", "isMailed": false]), 200),
            "sessions": (user, 200), "endSession": (with(user, ["session": "1"]), 404), "signOut": (user, 200),
            "devices": (user, 200), "endDevice": (with(user, ["device": "1"]), 404),
            "latestChanges": (["limit": 10], 200),
            "roleChanges": (with(user, ["count": 10]), 200),
            "remainingAccess": (["maker": "tom.evans"], 200), "endRemainingAccess": (["maker": "tom.evans"], 200),
            "settings": (["collection": "policies"], 200),
            "setSetting": (
                ["collection": "policies", "setting": "allow_bare_basic", "entry": #"{"value": true}"#], 200
            ),
            "deleteSetting": (["collection": "policies", "setting": "token_settings"], 404),
            "setPolicies": (["values": #"{"allow_private_addresses": null}"#], 200),
            "testSetting": (["collection": "issuers", "type": "saml", "entry": .string(idp)], 200),
            "branding": ([:], 200), "setBranding": (["branding": #"{"name": "Example"}"#], 200),
            "views": ([:], 200), "setView": (["view": "Leads", "state": "q=lead"], 200),
            "deleteView": (["view": "none"], 404),
        ]
    }()

    private static func permitted(_ right: AdministrationRight) -> Set<Asker> {
        switch right {
        case .administrators: []
        case .helpers: [.helpDesk]
        case .passwordSetters: [.helpDesk, .provisioning]
        case .readers: [.user, .owner, .helpDesk, .editor, .provisioning]
        }
    }

    private static let route = RESTService.routes.first { $0.template == "/directory/v1/{operation}" }

    private static func request(_ name: String) throws -> RouteRule.Request {
        let (body, status) = try #require(requests[name], "\(name)")
        return RouteRule.Request(path: "/directory/v1/" + name, body: body, status: status)
    }

    @Test("The table has each operation, and no name is one of the directory's operations")
    func everyOperationHasARequest() {
        let names = HandledOperations.all.map { $0.name }
        #expect(Set(names).count == names.count && Set(names) == Set(Self.requests.keys))
        #expect(
            names.allSatisfy { ServedOperations.readsByName[$0] == nil && ServedOperations.changesByName[$0] == nil })
    }

    @Test(
        "Each operation is refused to everyone whom its right does not name, and changes nothing then", arguments: 0..<4
    )
    func refused(part: Int) async throws {
        let route = try #require(Self.route)
        for (index, operation) in HandledOperations.all.enumerated() where index % 4 == part {
            let request = try Self.request(operation.name)
            let stage = try await RouteCallerTests.Stage()
            let before = try await stage.service.lastChange()
            for asker in Asker.allCases where !Self.permitted(operation.right).contains(asker) {
                let answer = await stage.send(route, request, as: asker)
                let expected = [.nobody, .disabled].contains(asker) ? 401 : 403
                #expect(answer.status == expected, "\(operation.name) by \(asker): \(answer.text)")
                #expect(try await stage.service.lastChange() == before, "\(operation.name) by \(asker)")
            }
            // What the others were refused is still there to be done.
            let answer = await stage.send(route, request, stage.service.authorization(.administrator))
            #expect(answer.status == request.status, "\(operation.name): \(answer.text)")
        }
    }

    @Test("Each operation is granted to everyone whom its right names", arguments: 0..<4)
    func granted(part: Int) async throws {
        let route = try #require(Self.route)
        for (index, operation) in HandledOperations.all.enumerated() where index % 4 == part {
            let request = try Self.request(operation.name)
            for asker in Self.permitted(operation.right) {
                let stage = try await RouteCallerTests.Stage()
                let answer = await stage.send(route, request, as: asker)
                #expect(answer.status == request.status, "\(operation.name) by \(asker): \(answer.text)")
            }
        }
    }

    @Test("What an operation does not know is refused, and nothing is made")
    func strictness() async throws {
        let service = try await ServiceUnderTest()
        let token: JSONValue = ["program": "new", "role": "monitoring", "networks": []]
        let wrong: [(String, JSONValue)] = [
            ("makeToken", .object(token.members + [.init("expiry", 1)])),
            ("makeToken", .object(token.members + [.init("expires", 0)])),
            ("makeToken", .object(token.members + [.init("expires", .decimal(1e300))])),
            ("makeToken", .object(token.members + [.init("createsOnReplace", true)])),
            ("makeToken", .object(token.members + [.init("program", "twice")])),
            ("removeSecondFactors", ["user": ["named": ["_0": "kid"]], "kinds": "app"]),
            ("renewBackendSecrets", ["backend": "1", "keep_old_seconds": 60]),
            ("setPolicies", ["values": "[]"]), ("setBranding", ["branding": "5"]),
            (
                "setSetting",
                [
                    "collection": "providers", "type": "oidc", "setting": "idp",
                    "entry": #"{"issuer": "https://idp.example.com", "client_id": "roster", "validation_key": 5}"#,
                ]
            ),
            ("setSetting", ["collection": "providers", "setting": "idp", "entry": "{}"]),
        ]
        for (name, body) in wrong {
            let answer = await service.request("POST", "/directory/v1/" + name, body)
            #expect([400, 404].contains(answer.status), "\(name) \(body.written): \(answer.text)")
        }
        #expect(await service.request("GET", "/admin/providers")["providers"]?.elements.isEmpty == true)
        let tokens = await service.request("GET", "/admin/tokens")["tokens"]?.elements ?? []
        #expect(!tokens.isEmpty && tokens.allSatisfy { $0["name"]?.text != "new" })
    }

    @Test("An operation whose answer can have a secret takes no key with which it would be sent again")
    func noKey() async throws {
        let service = try await ServiceUnderTest()
        let answer = await service.request(
            "POST", "/directory/v1/makeToken", ["program": "new", "role": "monitoring", "networks": []],
            headers: [("Idempotency-Key", "0123456789abcdef")])
        #expect(answer.status == 400 && answer.text.contains("Idempotency-Key"))
        #expect(await service.request("POST", "/directory/v1/endToken", ["token": "new"]).status == 404)
    }
}
