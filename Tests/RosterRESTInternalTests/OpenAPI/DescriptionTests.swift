import Roster
import RosterDialects
import RosterText
import ServiceTestSupport
import RosterSignIn
import Testing
import TestSupport

@testable import RosterREST

/// What `/openapi.json` says, held against the table of routes.
@Suite struct DescriptionTests {
    private let service: ServiceUnderTest
    private let document: JSONValue
    private let routes = RESTService.servedRoutes

    init() async throws {
        service = try await ServiceUnderTest()
        let answer = await service.request("GET", "/openapi.json", as: .nobody)
        #expect(answer.status == 200 && answer.header("Content-Type") == "application/json")
        document = answer.body
    }

    private func described(_ route: Route) -> JSONValue? {
        document["paths"]?[route.template]?[route.method.lowercased()]
    }

    /// No route can be missing: the table that answers requests is compared with the document.
    @Test func listsExactlyTheRoutes() throws {
        #expect(document["openapi"] == "3.1.0")
        let listed = try #require(document["paths"]).members.flatMap { path in
            path.value.members.map { "\($0.name.uppercased()) \(path.name)" }
        }
        #expect(listed.sorted() == routes.map { "\($0.method) \($0.template)" }.sorted())
        #expect(listed.count > 140)
    }

    @Test("The routes of dialects are marked, and a service without them neither has nor describes them")
    func dialects() async throws {
        for interface in [ServiceInterface].dialects {
            for route in interface.routes { #expect(described(route)?["tags"] == [.string(interface.name)]) }
        }
        for route in RESTService.routes { #expect(described(route)?["tags"] == nil, "\(route.template)") }
        let plain = try RESTService(serving: try Directory.inMemory(), at: "https://id.example.com")
        let answer = await plain.respond(to: HTTPRequest("GET", "/openapi.json"))
        guard case .bytes(let bytes) = answer.body else { throw RequestError(.failed, "no body") }
        let paths = Set(try #require(JSONValue(parsing: bytes)["paths"]).members.map(\.name))
        #expect(paths == Set(RESTService.routes.map(\.template)))
        for route in [ServiceInterface].dialects.flatMap(\.routes) {
            let path = route.path.map { if case .fixed(let text) = $0 { text } else { "nobody" } }
            let answer = await plain.respond(to: HTTPRequest(route.method, "/" + path.joined(separator: "/")))
            #expect(answer.status == 404, "\(route.method) \(route.template)")
        }
        for path in ["/profile/v1/people", "/account", "/changes"] {
            #expect(await plain.respond(to: HTTPRequest("GET", path)).status == 401, "\(path)")
        }
    }

    @Test(
        "A service without dialects accepts no credential that only their clients send, and allows pages none of their fields"
    )
    func credentialsOfDialects() async throws {
        let plain = RESTService(
            try ServiceContext(
                directory: service.directory, baseURL: SocketDoor.publicURL, signIn: service.signIn,
                crossOrigin: CrossOriginPolicy("https://app.example.com")))
        let session = await service.request("POST", "/db/_session", ["name": .string(ServiceUnderTest.engineer)])
        let cookie = "SyncGatewaySession=\(try #require(session["session_id"]?.text, "\(session.text)"))"
        let basic = try #require(service.authorization(.person))
        let text = basic.dropFirst("Basic ".count)
        for (name, value) in [
            ("Cookie", cookie), ("X-IDAAS-REST-AUTHORIZATION", basic),
            ("Authorization", "UIDPASSWORD cred=\"\(text)\""),
        ] {
            var request = HTTPRequest("GET", "/account", headers: [name: value])
            request.isConfidential = true
            #expect(await plain.respond(to: request).status == 401, "\(name)")
            #expect(await service.service.respond(to: request).status == 200, "\(name)")
        }
        let preflight = HTTPRequest(
            "OPTIONS", "/account",
            headers: ["Origin": "https://app.example.com", "Access-Control-Request-Method": "GET"])
        let fields = await plain.respond(to: preflight).headers["Access-Control-Allow-Headers"] ?? ""
        #expect(
            fields.contains("Authorization") && !fields.contains("Oracle") && !fields.contains("IDAAS"), "\(fields)")
    }

    @Test func namesOperationsOnce() {
        let names = routes.compactMap { described($0)?["operationId"]?.text }
        #expect(names.count == routes.count && Set(names).count == names.count)
    }

    @Test func tellsEveryOutcome() throws {
        for route in routes {
            let operation = try #require(described(route), "\(route.template)")
            let responses = try #require(operation["responses"])
            let success = try #require(
                responses[String(route.endpoint.answer.status)], "\(route.method) \(route.template)")
            #expect((success["content"] != nil) == (route.endpoint.answer.schema != nil))
            var errors = [400, 421, 500, 503]
            if route.access != .everyone { errors += [401, 403, 429] }
            if route.path.contains(where: { if case .parameter = $0 { true } else { false } }) { errors.append(404) }
            if route.endpoint.body != nil { errors += [413, 415] }
            let mediaType = route.style.mediaType
            for error in errors where !route.endpoint.answer.others.contains(error) {
                let content = responses[String(error)]?["content"]
                #expect(content?[mediaType] != nil, "\(error) of \(route.method) \(route.template)")
            }
            #expect(responses["405"] == nil, "a method that is described is not refused")
        }
    }

    /// Whoever is not signed in gets through to these endpoints only. The ones below `/oauth2`, of token services and of
    /// sessions ask for a proof of their own.
    @Test func asksForCredentialsEverywhereElse() throws {
        let open = [
            "/healthz", "/readyz", "/openapi.json", "/branding", "/branding/style.css", "/branding/logo",
            "/mobile/platform/sso/exchange-token",
            "/mobile/platform/auth/token", "/oic_rest/rest/AppProfiles/{app}", "/oic_rest/mobilesso",
        ]
        let openFolders = [
            "/oauth2/", "/.well-known/", "/oic_rest/rest/{service}/", "/{db}/_oidc", "/db/_oidc_testing/",
        ]
        for route in routes {
            let security = try #require(described(route)?["security"])
            let begins = route.template == "/{db}/_session" && route.method != "GET"
            let isOpen =
                begins || open.contains(route.template) || openFolders.contains { route.template.hasPrefix($0) }
            #expect(security.elements.isEmpty == isOpen, "\(route.method) \(route.template)")
            #expect((route.access == .everyone) == isOpen, "\(route.method) \(route.template)")
        }
        #expect(document["components"]?["securitySchemes"]?.members.map(\.name) == ["password", "token"])
    }

    /// The rules of backends hold for every interface of the directory: each of its routes names one.
    @Test func everyInterfaceOfTheDirectoryIsHeldToTheRulesOfBackends() {
        let apis: [String: APIName] = [
            "ProfileError": .userProfile, "SCIMError": .scim, "MobileError": .mobile, "Problem": .directory,
        ]
        for route in routes where route.access != .everyone {
            let isProfile = route.template.hasPrefix("/profile/")
            // The routes of one's own account and of sessions ask for no API of the directory.
            let isOwn = route.access == .ownAccount || route.access == .ownAccountInPerson || route.access == .signedIn
            guard !isOwn, let api = isProfile ? .userProfile : apis[route.style.name] else {
                #expect(isOwn, "\(route.method) \(route.template)")
                continue
            }
            guard case .api(let name, _) = route.access else {
                Issue.record("\(route.method) \(route.template) asks for no API")
                continue
            }
            #expect(name == api, "\(route.method) \(route.template)")
        }
    }

    @Test("The table of routes guards one's own account, and a change of a second factor takes the user's presence")
    func ownAccounts() {
        let own = routes.filter { $0.template.contains("/~/") || $0.path.first == .fixed("account") }
        #expect(own.count == 40)
        for route in own {
            let changesFactors =
                route.method != "GET" && ["totp", "challenge-questions"].contains { route.template.contains($0) }
            #expect(
                route.access == (changesFactors ? .ownAccountInPerson : .ownAccount),
                "\(route.method) \(route.template)")
        }
    }

    @Test func everyReferenceLeadsSomewhere() {
        let schemas = Set(document["components"]?["schemas"]?.members.map(\.name) ?? [])
        func references(_ value: JSONValue) -> [String] {
            switch value {
            case .array(let elements): elements.flatMap(references)
            case .object(let members):
                members.flatMap { member in
                    member.name == "$ref" ? [member.value.text].compactMap { $0 } : references(member.value)
                }
            default: []
            }
        }
        let all = references(document)
        #expect(!all.isEmpty)
        for reference in all { #expect(schemas.contains { reference == "#/components/schemas/\($0)" }, "\(reference)") }
    }

    @Test func describesEachPartOfAPath() throws {
        for route in routes {
            let parts = (described(route)?["parameters"]?.elements ?? []).filter { $0["in"] == "path" }
            let names = route.path.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
            #expect(parts.compactMap { $0["name"]?.text } == names)
            #expect(parts.allSatisfy { $0["required"] == true })
        }
    }

    /// Whoever is not signed in learns no names of attributes that the company declared.
    @Test func keepsDeclaredAttributesToItself() async {
        let text = await service.request("GET", "/openapi.json", as: .nobody).text
        #expect(!text.contains("badge"))
        #expect(await service.request("GET", "/scim/v2/Schemas").text.contains("badge"))
    }

    @Test(arguments: ["Person", "NewPerson", "ProfileGroup", "NewProfileGroup", "OwnProfile", "User", "Group"])
    func takesNothingElse(_ name: String) {
        #expect(document["components"]?["schemas"]?[name]?["additionalProperties"] == false)
    }

    // MARK: What is described is what is taken

    @Test(
        arguments: [
            ("POST", "people", ["uid": "x1", "nonsense": "a"]), ("POST", "people", ["uid": ["a", "b"]]),
            ("POST", "people", ["uid": "x1", "manager": 5]), ("POST", "people", ["uid": "x1", "password": [["a"]]]),
            ("POST", "people", ["uid": "x1", "password": ""]), ("POST", "people", ["uid": "x1", "active": ["a"]]),
            ("POST", "people", ["uid": "x1", "password": "seven77"]), ("POST", "groups", ["commonname": ["a", "b"]]),
            ("POST", "groups/everyone/members", ["person-uri": "people/ilse.brandt", "group-uri": 5]),
            ("POST", "/scim/v2/Users", ["userName": ""]),
            ("POST", "/scim/v2/Users", ["userName": "x", "nonsense": "a"]),
        ] as [(String, String, JSONValue)])
    func refuses(_ method: String, _ path: String, _ body: JSONValue) async {
        let answer = await service.request(method, path, body)
        // Empty text takes away what there was, and a person who is new has nothing: no password, that is.
        let isCleared = body["password"] == ""
        #expect(answer.status == (isCleared ? 201 : 400), "\(body): \(answer.text)")
    }

    @Test(
        arguments: [
            ("POST", "people", ["uid": ["x1"], "title": 5, "active": [true]]), ("POST", "people", ["uid": 5]),
            ("POST", "people", ["uid": "x1", "title": ["Engineer"], "mail": []]),
            ("POST", "/scim/v2/Users", ["userName": ["x1"], "active": "TRUE", "urn:foreign:User": [:]]),
        ] as [(String, String, JSONValue)])
    func takes(_ method: String, _ path: String, _ body: JSONValue) async {
        let answer = await service.request(method, path, body)
        #expect(answer.status == 201, "\(body): \(answer.text)")
    }

    @Test func countsWhatIsNamedTwiceOnce() async {
        let answer = await service.request(
            "GET", "people/\(ServiceUnderTest.engineer)?attrsToFetch=uid,uid,title&prefetch=manager,manager")
        #expect(answer.body.names == ["uid", "title", "uri", "manager"])
    }

    @Test(arguments: [("-1", 400), ("x", 400), ("5", 200)])
    func readsTheLastEventInAnyCase(_ last: String, _ status: Int) async {
        let answer = await service.request("GET", "changes", headers: [("Last-Event-ID", last)])
        #expect(answer.status == status)
    }

    @Test func knowsWholeNumbersWithAPoint() async {
        let body: JSONValue = [
            "schemas": ["urn:ietf:params:scim:api:messages:2.0:SearchRequest"], "startIndex": .decimal(2),
            "count": .decimal(1e30),
        ]
        let answer = await service.request("POST", "/scim/v2/Users/.search", body)
        #expect(answer.status == 200 && answer["startIndex"] == 2)
    }
}
