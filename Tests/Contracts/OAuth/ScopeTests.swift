import Foundation
import Roster
import RosterOpenID
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("What scopes tell and allow", .inBothForms)
struct ScopeTests {
    private static let all = "openid profile email phone address roles offline_access directory"

    private func engineer(_ service: ServiceUnderTest) async throws {
        try await service.directory.unrestricted.users.modify(
            .named(ServiceUnderTest.engineer),
            attributes: [
                "mail": "ren@nordwind.example", "telephoneNumber": "+81 3 1234", "street": "1 Chome", "country": "JP",
                "profileUrl": "https://ren.example", "preferredLanguage": "ja",
            ])
    }

    @Test("Each scope gives its claims, with the names and forms of OpenID Connect")
    func claims() async throws {
        let service = try await ServiceUnderTest()
        try await engineer(service)
        let app = try await App(service, ["scope": .string(Self.all)])
        func info(_ scope: String) async throws -> Answer {
            app.forgetCookies()
            return await service.send(
                "GET", "/oauth2/userinfo", "Bearer " + (try await app.tokens(["scope": scope]).access))
        }
        let bare = try await info("openid")
        #expect(bare["email"] == nil && bare["phone_number"] == nil && bare["address"] == nil && bare["name"] == nil)
        let mail = try await info("openid email")
        #expect(mail["email"]?.text == "ren@nordwind.example", "\(mail.text)")
        #expect(try await info("openid phone")["phone_number"]?.text == "+81 3 1234")
        let address = try await info("openid address")["address"]
        #expect(address?["street_address"]?.text == "1 Chome" && address?["country"]?.text == "JP")
        let profile = try await info("openid profile")
        #expect(profile["profile"]?.text == "https://ren.example" && profile["locale"]?.text == "ja", "\(profile.text)")
        #expect(profile["email"] == nil)
    }

    @Test("Of several addresses and numbers the primary one is told, or else the one of work")
    func preferred() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service, ["scope": .string(Self.all)])
        let home: AttributeValue = .complex(["value": "+81 90", "type": "home"])
        let work: AttributeValue = .complex(["value": "+81 3", "type": "work"])
        let primary: AttributeValue = .complex(["value": "+81 70", "type": "mobile", "primary": true])
        for (numbers, expected) in [([home], "+81 90"), ([home, work], "+81 3"), ([home, work, primary], "+81 70")] {
            try await service.directory.unrestricted.users.modify(
                .named(ServiceUnderTest.engineer), attributes: ["phoneNumbers": .list(numbers)])
            app.forgetCookies()
            let token = try await app.tokens(["scope": "openid phone"]).access
            let info = await service.send("GET", "/oauth2/userinfo", "Bearer " + token)
            #expect(info["phone_number"]?.text == expected)
        }
    }

    @Test("A claim rule may name a view such as mail, and the manager, who is told by name")
    func rules() async throws {
        let service = try await ServiceUnderTest()
        try await engineer(service)
        let rule: JSONValue = ["name": "contact", "rules": [["attribute": "mail"]]]
        let manager: JSONValue = ["name": "boss", "rules": [["attribute": "manager"]]]
        let app = try await App(service, ["claims": ["claims": [rule, manager]]])
        let token = try await app.tokens(["scope": "openid"]).access
        let info = await service.send("GET", "/oauth2/userinfo", "Bearer " + token)
        #expect(info["contact"]?.text == "ren@nordwind.example")
        let users = service.directory.unrestricted.users
        let above = try #require(try await users.manager(of: .named(ServiceUnderTest.engineer)))
        #expect(info["boss"]?.text == above.uid)
        try await users.setManager(nil, of: .named(ServiceUnderTest.engineer))
        let later = await service.send("GET", "/oauth2/userinfo", "Bearer " + token)
        #expect(later.status == 200 && later["boss"] == nil, "nobody above, no claim")
    }

    @Test(
        "To read one's own profile takes 'profile', and what it tells goes by the scopes; to change it takes 'directory'"
    )
    func ownProfile() async throws {
        let service = try await ServiceUnderTest()
        try await engineer(service)
        let app = try await App(service, ["scope": .string(Self.all)])
        func ask(_ method: String, _ scope: String, _ path: String = "~", _ body: JSONValue? = nil) async throws
            -> Answer
        {
            app.forgetCookies()
            let token = try await app.tokens(["scope": scope]).access
            return await service.send(method, "/mobile/platform/users/" + path, "Bearer " + token, body?.bytes)
        }
        #expect(try await ask("GET", "openid").status == 403)
        for path in ["~", "me"] {
            let profile = try await ask("GET", "openid profile", path)
            #expect(profile.status == 200 && !profile.text.contains("ren@nordwind") && !profile.text.contains("+81"))
            let more = try await ask("GET", "openid profile email phone", path)
            #expect(more.text.contains("ren@nordwind") && more.text.contains("+81") && !more.text.contains("Chome"))
            #expect(try await ask("GET", "directory", path).text.contains("Chome"))
        }
        let change: JSONValue = ["nickName": "Hacked"]
        #expect(try await ask("PATCH", "openid profile email phone", "~", change).status == 403)
        #expect(try await ask("PATCH", "openid directory", "~", change).status == 200)
    }

    @Test(
        "Scopes that are not known, or that a backend may not have, are left out, and the answer lists what is left")
    func habits() async throws {
        let app = try await App(try await ServiceUnderTest(), ["scope": "openid profile"])
        let answer = await app.redeem(
            try await app.code(["scope": "openid profile email address phone offline_access"]))
        #expect(answer["scope"]?.text == "openid profile" && answer["refresh_token"] == nil)
        for (scope, granted) in [
            ("openid directory", "openid"), ("made-up openid", "openid"), ("profile email", "profile"),
            ("openid directory:manage", "openid"), ("openid \"profile\" profile", "openid profile"),
        ] {
            let answer = await app.redeem(try await app.code(["scope": scope]))
            #expect(answer["scope"]?.text == granted, "\(scope)")
            let token = try #require(answer["access_token"]?.text)
            #expect(await app.status("/scim/v2/Me", token) == 403, "\(scope)")
        }
        for scope in ["directory", "made-up", "*"] {
            let refused = await app.browse("GET", try app.authorizePath(["scope": scope]))
            #expect(App.sent(refused)["error"] == "invalid_scope", "nothing is left of \(scope)")
        }
    }

    @Test("The mobile cloud's scope lets an app that may not use the directory read the profile")
    func consumer() async throws {
        let app = try await App(try await ServiceUnderTest(), ["scope": "openid profile email"])
        let oracle = "https://id.example.com/urn:opc:resource:consumer::all"
        let token = try await app.tokens(["scope": oracle]).access
        #expect(await app.status("/mobile/platform/users/~", token) == 200)
        #expect(await app.status("/scim/v2/Me", token) == 403)
    }

    @Test("User info says what is wrong with a token, and to who brings none only what to bring (RFC 6750)")
    func bearer() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let token = try await app.tokens(["scope": "openid"]).access
        let none = await service.send("GET", "/oauth2/userinfo", nil)
        #expect(none.status == 401 && none.header("WWW-Authenticate")?.contains("error") == false)
        let wrong = await service.send("GET", "/oauth2/userinfo", "Bearer x")
        #expect(wrong.status == 401 && wrong.header("WWW-Authenticate")?.contains("invalid_token") == true)
        let twice = await app.post("/oauth2/userinfo", [("access_token", token)], authorization: "Bearer " + token)
        #expect(twice.status == 400 && twice["error"]?.text == "invalid_request")
        #expect(await app.post("/oauth2/userinfo", [("access_token", token)], authorization: .some(nil)).status == 200)
    }

    @Test("A body that is no form is none of user info's business")
    func otherBody() async throws {
        let app = try await App(try await ServiceUnderTest())
        let token = try await app.tokens(["scope": "openid"]).access
        let answer = await app.service.send("POST", "/oauth2/userinfo", "Bearer " + token, Array("{}".utf8))
        #expect(answer.status == 200)
    }

    @Test("What 'profile' does not tell is not told: roles, departments, managers, attributes of one's own")
    func allowList() async throws {
        let service = try await ServiceUnderTest()
        try await engineer(service)
        let app = try await App(service, ["scope": .string(Self.all)])
        let token = try await app.tokens(["scope": "openid profile"]).access
        for path in ["~", "me"] {
            let answer = await service.send("GET", "/mobile/platform/users/" + path, "Bearer " + token)
            for word in ["department", "groups", "manager", "Engineering", "employeeNumber", "ims"] {
                #expect(!answer.text.contains(word), "\(word) in \(answer.text)")
            }
        }
        app.forgetCookies()
        let roles = try await app.tokens(["scope": "openid profile roles"]).access
        #expect(await service.send("GET", "/mobile/platform/users/me", "Bearer " + roles).text.contains("Engineering"))
    }

    @Test("Settings that were stored when more was allowed stay readable")
    func stored() throws {
        let old: JSONValue = ["public": true, "id_token_signed_response_alg": "HS256"]
        #expect(try BackendSettings(stored: old.written).isPublic)
    }

    @Test("A public client cannot have id tokens that its secret signs: it has none")
    func publicSecret() throws {
        #expect(throws: DirectoryError.self) {
            try BackendSettings(["public": true, "id_token_signed_response_alg": "HS256"])
        }
    }

    @Test("The description says how clients prove themselves, and what there is to know of people")
    func description() async throws {
        let answer = await (try await ServiceUnderTest()).send("GET", "/.well-known/openid-configuration", nil)
        for name in ["token", "introspection", "revocation"] {
            let algorithms = answer["\(name)_endpoint_auth_signing_alg_values_supported"]?.elements ?? []
            #expect(algorithms.contains("ES256") && algorithms.contains("PS256") && !algorithms.contains("HS256"))
        }
        #expect(answer["introspection_endpoint_auth_methods_supported"]?.elements.contains("none") == false)
        #expect(answer["scopes_supported"]?.elements.contains("address") == true)
    }
}

@Suite("Tokens for some of a backend's audiences (RFC 8707)", .inBothForms)
struct ResourceTests {
    private static let one = "https://one.example.com", two = "https://two.example.com/"

    private func audience(_ answer: Answer) throws -> JSONValue? {
        try answer["access_token"]?.text.flatMap { try JSONWebToken($0).claims["aud"] }
    }

    @Test("A code is for the resources that were named, and each of its tokens for these or some of them")
    func codes() async throws {
        let app = try await App(try await ServiceUnderTest(), ["audience": [.string(Self.one), .string(Self.two)]])
        let all = await app.redeem(try await app.code())
        #expect(try audience(all) == [.string(Self.one), .string(Self.two)])
        let narrow = await app.redeem(try await app.code(["resource": Self.one]))
        #expect(try audience(narrow) == .string(Self.one))
        let refresh = try #require(narrow["refresh_token"]?.text)
        #expect(await app.refresh(refresh, ("resource", Self.two))["error"]?.text == "invalid_target")
        let wide = try #require(all["refresh_token"]?.text)
        let some = await app.refresh(wide, ("resource", Self.two))
        #expect(try audience(some) == .string(Self.two))
        let rest = await app.refresh(try #require(some["refresh_token"]?.text))
        #expect(try audience(rest) == [.string(Self.one), .string(Self.two)], "the grant is for both still")
        let both = try app.authorizePath(["resource": Self.one]) + "&resource=" + PercentEncoding.segment(Self.two)
        let code = try #require(App.sent(await app.browse("GET", both))["code"])
        let redeemed = await app.post(
            "/oauth2/token",
            [
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", App.redirect),
                ("code_verifier", App.verifier), ("resource", Self.two),
            ])
        #expect(try audience(redeemed) == .string(Self.two))
    }

    @Test("Several resources survive the sign-in page, and none is named twice in a token")
    func pages() async throws {
        let app = try await App(
            try await ServiceUnderTest(), ["audience": [.string(Self.one), .string(Self.two)], "consent": true])
        let both = try app.authorizePath(["resource": Self.one]) + "&resource=" + PercentEncoding.segment(Self.two)
        let consent = try await app.signIn(on: await app.browse("GET", both))
        let done = await app.browse(
            "POST", "/oauth2/authorize", form: [("request", try App.sealed(consent)), ("decision", "allow")])
        let given = await app.redeem(try #require(App.sent(done)["code"], "\(done.text)"))
        #expect(try audience(given) == [.string(Self.one), .string(Self.two)])
        let twice = await app.token(
            ("grant_type", "client_credentials"), ("resource", Self.one), ("resource", Self.one))
        #expect(try audience(twice) == .string(Self.one))
    }

    @Test("A device's token is for the resources that it named; one taken from a backend is not given at refresh")
    func devicesAndRefresh() async throws {
        let app = try await App(try await ServiceUnderTest(), ["audience": [.string(Self.one), .string(Self.two)]])
        let wrong = await app.post("/oauth2/device_authorization", [("resource", "https://evil.example")])
        #expect(wrong["error"]?.text == "invalid_target")
        _ = try await app.code()
        let begun = await app.post("/oauth2/device_authorization", [("scope", "openid"), ("resource", Self.two)])
        let page = await app.browse("GET", "/oauth2/device?user_code=" + (begun["user_code"]?.text ?? ""))
        _ = await app.browse(
            "POST", "/oauth2/device", form: [("request", try App.sealed(page)), ("decision", "allow")])
        let token = await app.token(
            ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
            ("device_code", begun["device_code"]?.text ?? ""))
        #expect(try audience(token) == .string(Self.two), "\(token.text)")

        let refresh = try #require(try await app.tokens().refresh)
        var settings = app.record.settings
        settings.audiences = [Self.two]
        try await app.change { $0 = settings }
        let fewer = await app.refresh(refresh)
        #expect(try audience(fewer) == .string(Self.two))
        settings.audiences = ["https://third.example.com"]
        try await app.change { $0 = settings }
        #expect(await app.refresh(fewer["refresh_token"]?.text ?? "")["error"]?.text == "invalid_grant")
    }

    @Test("A resource that is not the backend's is an invalid target, for a code and for a program's own token")
    func refused() async throws {
        let app = try await App(try await ServiceUnderTest(), ["audience": [.string(Self.one)]])
        for resource in ["https://zz.example.com", "not an address", Self.one + "/", Self.one + "#x"] {
            let answer = await app.browse("GET", try app.authorizePath(["resource": resource]))
            #expect(App.sent(answer)["error"] == "invalid_target", "\(resource)")
            let own = await app.token(("grant_type", "client_credentials"), ("resource", resource))
            #expect(own["error"]?.text == "invalid_target", "\(resource)")
        }
        let own = await app.token(("grant_type", "client_credentials"), ("resource", Self.one))
        #expect(try audience(own) == .string(Self.one))
        let plain = try await App(app.service, named: "plain")
        let ours = await plain.token(("grant_type", "client_credentials"), ("resource", "https://id.example.com"))
        #expect(try audience(ours) == "https://id.example.com")
    }
}
