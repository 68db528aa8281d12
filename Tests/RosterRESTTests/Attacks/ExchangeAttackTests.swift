import Foundation
import Roster
import RosterCrypto
import RosterOpenID
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Attacks on the exchange of tokens", .timeLimit(.minutes(2)))
struct ExchangeAttackTests {
    /// One issuer whose users are virtual, and one whose users are the directory's.
    private static func issuers() throws -> JSONValue {
        [
            TrustingService.issuer(
                try Party.first.get(),
                ["virtualUserEnabled": true, "roleAttributes": ["groups"], "issuerRoles": ["outside"]]),
            TrustingService.issuer(try Party.second.get(), ["virtualUserEnabled": false]),
        ]
    }

    @Test("A token of nobody who is trusted, or that is not as it was signed, gets nothing by any way")
    func untrusted() async throws {
        let (one, two) = (try Party.first.get(), try Party.second.get())
        try await TrustingService.running(issuers: try Self.issuers()) { service in
            #expect(await service.bring(try one.token()).status == 200, "a good one is taken")
            let good = try one.token().split(separator: ".").map(String.init)
            let claims = #"{"iss":"\#(one.issuer)","sub":"mira","aud":"\#(TrustingService.base)","exp":99999999999}"#
            let payload = Base64URL.text(Array(claims.utf8))
            func forged(_ header: String, _ signature: String) -> String {
                Base64URL.text(Array(header.utf8)) + "." + payload + "." + signature
            }
            let publicKey = one.certificate
            let head = Base64URL.text(Array(#"{"alg":"HS256"}"#.utf8)) + "." + payload
            let confused = Base64URL.text(try HMACSHA256.code(for: Array(head.utf8), key: Array(publicKey)))
            let fresh = try SigningKey(generating: .es256)
            let known: JSONValue = fresh.publicKey
            let embedded = String(decoding: known.bytes, as: UTF8.self)
            for (token, why) in [
                (try one.token(["iss": .string(two.issuer)]), "one signs for two"),
                (try two.token(["iss": .string(one.issuer)]), "two signs for one"),
                (try one.token(["iss": "https://evil.example"]), "nobody knows the issuer"),
                (try one.token(["iss": .string(one.issuer + "/")]), "nearly an issuer"),
                (try one.token(["iss": .string(one.issuer.uppercased())]), "nearly an issuer"),
                (try one.token(["iss": [.string(one.issuer)]]), "a list of issuers"),
                (try one.token(without: ["iss"]), "no issuer"),
                (try one.token(["iss": .string(TrustingService.base)]), "our own name"),
                (try one.token(["aud": "https://other.example.com"]), "for somebody else"),
                (try one.token(["aud": .string(TrustingService.base + ".evil.example")]), "nearly for us"),
                (try one.token(["aud": [:]]), "an audience of another kind"),
                (try one.token(["exp": 1]), "ended"), (try one.token(without: ["exp"]), "never ends"),
                (try one.token(["exp": "99999999999"]), "an end in a text"),
                (try one.token(["exp": .integer(.max)]), "an end that is no date"),
                (try one.token(["exp": .decimal(1e300)]), "an end that is no date"),
                (try one.token(["nbf": .integer(99_999_999_999)]), "not begun"),
                (try one.token(["iat": .integer(99_999_999_999)]), "from the future"),
                (try one.token(["sub": ""]), "nobody's"), (try one.token(["sub": 5]), "a number's"),
                (try one.token(without: ["sub"]), "nobody's"), (forged(#"{"alg":"none"}"#, ""), "not signed"),
                (forged(#"{"alg":"none"}"#, "AAAA"), "not signed"), (forged(#"{"alg":"nOnE"}"#, "AAAA"), "not signed"),
                (head + "." + confused, "signed with the certificate as a secret"),
                (forged(#"{"alg":"ES256","jwk":\#(embedded)}"#, good[2]), "brings its key"),
                (forged(#"{"alg":"RS256","jku":"https://evil.example/jwks"}"#, good[2]), "says where its key is"),
                (forged(#"{"alg":"RS256"}"#, good[2]), "another one's signature"),
                (good[0] + "." + good[1] + ".", "the signature is gone"), (good[0] + "." + good[1], "two parts"),
                (good.joined(separator: ".") + ".AA.AA", "five parts, as what is encrypted has"),
                (try fresh.sign([.init("iss", .string(one.issuer))], type: "JWT"), "an unknown key"),
                (try one.token(["sub": .string(String(repeating: "a", count: 60_000))]), "too long"),
            ] {
                let given = await service.everyWay(token)
                #expect(given.isEmpty, "\(why): \(given)")
            }
            let people = try await service.directory.unrestricted.users.count()
            #expect(people == 40, "and nobody was made by it: \(people)")
        }
    }

    @Test("A virtual user reads their own profile, by ~ and by their own name, and nobody else's")
    func ownProfile() async throws {
        let one = try Party.first.get()
        try await TrustingService.running(issuers: try Self.issuers()) { service in
            for name in ["mira", "Mira Okafor", ServiceUnderTest.engineer] {
                let answer = await service.bring(try one.token(["sub": .string(name)]), ("scope", "profile"))
                let text = try #require(answer["access_token"]?.text)
                func get(_ name: String) async -> Answer {
                    await service.send(
                        "GET", "/mobile/platform/users/" + PercentEncoding.segment(name), "Bearer " + text)
                }
                let own = await get("~")
                #expect(own["username"]?.text == name)
                let named = await get(name)
                #expect(named.status == 200 && named.body == own.body, "\(named.text)")
                for other in ["tom.evans", "nobody.there"] { #expect(await get(other).status == 403) }
            }
        }
    }

    @Test("A virtual user who has a user's name or identifier is not that user, and can do nothing as them")
    func virtualUsers() async throws {
        let one = try Party.first.get()
        try await TrustingService.running(issuers: try Self.issuers()) { service in
            let users = service.directory.unrestricted.users
            let engineer = try await users.user(.named(ServiceUnderTest.engineer))
            let names = [
                ServiceUnderTest.engineer, ServiceUnderTest.engineer.uppercased(), engineer.id.description,
                "administrator", "root", "1", "0", "-1", "uid=ren.watanabe,cn=users", "ren.watanabe\u{0}",
                "ren.watan\u{430}be",
            ]
            var subjects: Set<String> = []
            for name in names {
                let claims: [String: JSONValue] = ["sub": .string(name), "groups": ["administrators", "admins"]]
                let answer = await service.bring(try one.token(claims), ("scope", "profile roles directory"))
                guard answer.status == 200 else { continue }
                let text = try #require(answer["access_token"]?.text)
                let token = try JSONWebToken(text)
                let subject = try #require(token.claims["sub"]?.text)
                #expect(subject != engineer.id.description && subjects.insert(subject).inserted, "\(name)")
                #expect(token.claims["origin"]?["iss"]?.text == one.issuer)
                let path = ServiceUnderTest.base + "/people/" + ServiceUnderTest.engineer
                for (method, path) in [
                    ("PUT", path), ("DELETE", path), ("POST", ServiceUnderTest.base + "/people"),
                    ("DELETE", "/scim/v2/Users/" + engineer.id.description), ("POST", "/scim/v2/Users"),
                    ("GET", "/admin/backends"), ("POST", "/admin/backends"),
                    ("DELETE", "/db/_user/\(ServiceUnderTest.engineer)/_session"), ("POST", "/db/_session"),
                ] {
                    let answer = await service.send(method, path, "Bearer " + text)
                    #expect(answer.status >= 400, "\(method) \(path) as the virtual \(name)")
                }
                #expect(await service.send("GET", "/scim/v2/Me", "Bearer " + text).status >= 400, "\(name)")
            }
            #expect(subjects.count > 5)
            #expect(try await users.user(.named(ServiceUnderTest.engineer)) == engineer)
            #expect(try await users.count() == 40)
        }
    }

    @Test("The same subject of two issuers is two people, and each only its own issuer's")
    func twoIssuers() async throws {
        let (one, two) = (try Party.first.get(), try Party.second.get())
        let issuers: JSONValue = [
            TrustingService.issuer(one, ["virtualUserEnabled": true, "roleAttributes": ["groups"]]),
            TrustingService.issuer(two, ["virtualUserEnabled": true]),
        ]
        try await TrustingService.running(issuers: issuers) { service in
            try await service.directory.unrestricted.roles.create("boss")
            func claims(_ party: Party, _ more: [String: JSONValue] = [:]) async throws -> JSONValue {
                let answer = await service.bring(try party.token(more), ("scope", "roles"))
                return try JSONWebToken(try #require(answer["access_token"]?.text, "\(answer.text)")).claims
            }
            let first = try await claims(one, ["groups": ["boss"]])
            let second = try await claims(two, ["groups": ["boss"], "roles": ["boss"], "origin": ["iss": "x"]])
            #expect(first["sub"] != second["sub"])
            #expect(first["roles"] == ["boss"] && second["roles"] == [], "only a claim that the issuer's rules name")
            #expect(second["origin"]?["iss"]?.text == two.issuer)
            let again = try await claims(one)
            #expect(again["sub"] == first["sub"] && again["roles"] == [], "roles are the last token's")
        }
    }

    @Test("A local user is who the issuer names, is there and is active; nobody is made, and no mail names two")
    func localUsers() async throws {
        let (one, two) = (try Party.first.get(), try Party.second.get())
        let issuers: JSONValue = [
            TrustingService.issuer(
                one,
                [
                    "userMappingAttribute": "mail", "usernameAttribute": "email", "emailVerificationWaived": true,
                ]),
            TrustingService.issuer(two),
        ]
        try await TrustingService.running(issuers: issuers) { service in
            let users = service.directory.unrestricted.users
            let mail = "ren@example.com"
            try await users.modify(.named(ServiceUnderTest.engineer), [.set("mail", .string(mail))])
            let engineer = try await users.user(.named(ServiceUnderTest.engineer))
            func subject(_ answer: Answer) throws -> String? {
                try answer["access_token"]?.text.map { try JSONWebToken($0).claims["sub"]?.text ?? "" }
            }
            #expect(
                try subject(await service.bring(try two.token(["sub": .string(ServiceUnderTest.engineer)])))
                    == engineer.id.description)
            #expect(
                try subject(await service.bring(try one.token(["email": .string(mail)]))) == engineer.id.description)
            for name in ["nobody", ServiceUnderTest.disabled, engineer.id.description, "*", "ren.*", ""] {
                #expect(await service.bring(try two.token(["sub": .string(name)])).givesNothing, "\(name)")
            }
            for value in [
                "nobody@example.com", "*", "%", .string(mail + ".evil.example"), [.string(mail)], [:], 5, "",
                .string(mail + "\" or uid pr"),
            ] as [JSONValue] { #expect(await service.bring(try one.token(["email": value])).givesNothing, "\(value)") }
            // Whoever sets their own mail to somebody else's makes it name nobody.
            try await users.modify(.named("tom.evans"), [.set("mail", .string(mail))])
            #expect(await service.bring(try one.token(["email": .string(mail)])).givesNothing)
            try await users.modify(.named(ServiceUnderTest.engineer), [.set("active", .boolean(false))])
            #expect(await service.bring(try two.token(["sub": .string(ServiceUnderTest.engineer)])).givesNothing)
            #expect(try await users.count() == 40)
        }
    }

    @Test("What is given for a token has no more than the app may have, for nobody but its audience, and ends with it")
    func widening() async throws {
        let one = try Party.first.get()
        try await TrustingService.running(issuers: try Self.issuers(), settings: ["scope": "openid profile"]) {
            service in
            for scope in ["directory", "offline_access", "administrator", "directory administrator"] {
                #expect(await service.bring(try one.token(["scope": "directory"]), ("scope", scope)).givesNothing)
                #expect(await service.exchange(try one.token(), ("scope", scope)).givesNothing, "\(scope)")
            }
            // A scope that the app may not have is left out, and the answer tells the others.
            let narrowed = await service.exchange(try one.token(), ("scope", "profile directory"))
            #expect(narrowed.status == 200 && narrowed["scope"]?.text == "profile", "\(narrowed.text)")
            for target in ["https://other.example.com", TrustingService.base + "/", "*", service.app.clientID] {
                for name in ["audience", "resource"] {
                    #expect(await service.exchange(try one.token(), (name, target)).givesNothing, "\(name) \(target)")
                }
            }
            let actor = try one.token(["sub": "boss"])
            let jwt = "urn:ietf:params:oauth:token-type:jwt"
            #expect(
                await service.exchange(try one.token(), ("actor_token", actor), ("actor_token_type", jwt)).givesNothing)
            for type in ["refresh_token", "id_token", "saml2", "x"] {
                let wanted = ("requested_token_type", "urn:ietf:params:oauth:token-type:" + type)
                #expect(await service.exchange(try one.token(), wanted).givesNothing, "\(type)")
            }
            let answer = await service.exchange(try one.token())
            #expect(answer.status == 200 && answer["refresh_token"] == nil, "\(answer.text)")
            let claims = try JSONWebToken(try #require(answer["access_token"]?.text)).claims
            #expect(claims["act"] == nil && claims["aud"]?.text == TrustingService.base)
        }
    }

    @Test("An app that may not exchange tokens does not, and one that is not proven neither")
    func mayNot() async throws {
        let one = try Party.first.get()
        try await TrustingService.running(issuers: try Self.issuers(), settings: ["sso": false]) { service in
            let token = try one.token()
            #expect(await service.everyWay(token).isEmpty)
        }
        try await TrustingService.running(issuers: try Self.issuers()) { service in
            let id = service.app.clientID
            for form in [[("client_id", id)], [("client_id", id), ("client_secret", "wrong")], []] {
                for grant in [
                    [("grant_type", TrustingService.jwtGrant), ("assertion", try one.token())],
                    [
                        ("grant_type", TrustingService.exchangeGrant), ("subject_token", try one.token()),
                        ("subject_token_type", "urn:ietf:params:oauth:token-type:jwt"),
                    ],
                ] {
                    let answer = await service.send("POST", "/oauth2/token", nil, form: grant + form)
                    #expect(answer.givesNothing && answer["error"]?.text == "invalid_client", "\(answer.text)")
                }
            }
        }
    }

    @Test("Roles of an issuer go with what was made of its token, and with nothing else that the user signs in to")
    func rolesStay() async throws {
        let party = try Party.second.get()
        let issuers: JSONValue = [
            TrustingService.issuer(party, ["virtualUserEnabled": false, "roleAttributes": ["groups"]])
        ]
        let settings: JSONValue = ["apis": ["mobile": ["roles": ["payroll"]], "scim": [:]]]
        try await TrustingService.running(issuers: issuers, settings: settings) { service in
            try await service.directory.unrestricted.roles.create("payroll")
            let name = ServiceUnderTest.engineer
            let claims: [String: JSONValue] = ["sub": .string(name), "groups": ["payroll", "administrators"]]
            let first = try #require(await service.bring(try party.token(claims))["access_token"]?.text)
            let roles = try #require(try JSONWebToken(first).claims["roles"]).elements.compactMap(\.text)
            #expect(roles.contains("payroll"))
            #expect(await service.send("GET", "/mobile/platform/users/~", "Bearer " + first).status == 200)
            #expect(await service.send("GET", "/admin/keys", "Bearer " + first).status == 403, "a name gives no rights")
            let again = await service.bring(try party.token(["sub": .string(name)]))
            let second = try #require(again["access_token"]?.text)
            #expect(await service.send("GET", "/mobile/platform/users/~", "Bearer " + second).status == 403)
            #expect(await service.send("GET", "/mobile/platform/users/~", "Bearer " + first).status == 200)
            let user = try await service.directory.unrestricted.users.user(.named(name))
            #expect(try Person(.user(user.id), in: service.directory)?.roles.contains("payroll") == false)
        }
    }

    @Test("A subject token that is not taken is an invalid request, and a token may be for some of several audiences")
    func standardExchange() async throws {
        let party = try Party.first.get()
        let issuers: JSONValue = [TrustingService.issuer(party, ["virtualUserEnabled": true])]
        let all: JSONValue = ["https://a.example.com", "https://b.example.com", "https://c.example.com"]
        try await TrustingService.running(issuers: issuers, settings: ["audience": all]) { service in
            let token = try party.token()
            #expect(await service.exchange("a.b.c")["error"]?.text == "invalid_request")
            #expect(await service.exchange(try party.token(["exp": 1]))["error"]?.text == "invalid_request")
            #expect(await service.exchange(token, type: "saml2")["error"]?.text == "invalid_request")
            #expect(
                await service.exchange(token, type: "jwt", ("actor_token_type", "x"))["error"]?.text
                    == "invalid_request")
            func audiences(_ more: (String, String)...) async throws -> JSONValue? {
                let fields = [
                    ("grant_type", TrustingService.exchangeGrant), ("subject_token", token),
                    ("subject_token_type", "urn:ietf:params:oauth:token-type:jwt"),
                ]
                return try (await service.ask(fields + more))["access_token"]?.text.flatMap {
                    try JSONWebToken($0).claims["aud"]
                }
            }
            #expect(try await audiences() == all)
            #expect(try await audiences(("audience", "https://a.example.com")) == "https://a.example.com")
            #expect(
                try await audiences(("audience", "https://a.example.com"), ("resource", "https://b.example.com"))
                    == ["https://a.example.com", "https://b.example.com"])
            #expect(
                try await audiences(("resource", "https://a.example.com"), ("resource", "https://c.example.com"))
                    == ["https://a.example.com", "https://c.example.com"])
            #expect(try await audiences(("audience", "https://d.example.com")) == nil)
        }
    }

    @Test("In the mobile cloud a client's own token proves who it is; a user's does not")
    func ownTokenAsAssertion() async throws {
        let party = try Party.first.get()
        let issuers: JSONValue = [TrustingService.issuer(party, ["virtualUserEnabled": true])]
        try await TrustingService.running(issuers: issuers) { service in
            func own(_ more: (String, String)...) async throws -> String {
                let answer = await service.ask([("grant_type", "client_credentials")] + more)
                return try #require(answer["access_token"]?.text)
            }
            let consumer = ("scope", TrustingService.base + "urn:opc:resource:consumer::all")
            func bring(_ proof: String) async throws -> Answer {
                await service.send(
                    "POST", "/mobile/platform/auth/token", nil,
                    form: [
                        ("grant_type", TrustingService.jwtGrant), ("assertion", try party.token()),
                        ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
                        ("client_assertion", proof),
                    ])
            }
            #expect(try await bring(await own()).status == 401, "one that was not asked for as a proof")
            let given = try await bring(await own(consumer))
            #expect(given.status == 200, "\(given.text)")
            let user = try #require(given["access_token"]?.text)
            #expect(try await bring(user).status == 401)
            #expect(try await bring(party.token()).status == 401)
        }
    }

    @Test("A subject names its user by the name alone, never by an address, unless the issuer's entry says so")
    func byMail() async throws {
        let (one, two) = (try Party.first.get(), try Party.second.get())
        let issuers: JSONValue = [
            TrustingService.issuer(one, ["userMappingAttribute": "mail", "emailVerificationWaived": true]),
            TrustingService.issuer(two, ["virtualUserEnabled": false]),
        ]
        try await TrustingService.running(issuers: issuers) { service in
            let users = service.directory.unrestricted.users
            let mira = try await users.create("mira", attributes: ["mail": "mira@acme.test"]).id
            for name in ["one", "two"] { try await users.create(name, attributes: ["mail": "both@acme.test"]) }
            let named = try await users.create("named@acme.test").id
            let other = try await users.create("other", attributes: ["mail": "named@acme.test"]).id
            func subject(_ text: String, of party: Party) async throws -> String? {
                try (await service.bring(try party.token(["sub": .string(text)])))["access_token"]?.text.flatMap {
                    try JSONWebToken($0).claims["sub"]?.text
                }
            }
            #expect(try await subject("mira", of: two) == mira.description)
            #expect(try await subject("mira@acme.test", of: two) == nil, "an address is not a name")
            #expect(try await subject("named@acme.test", of: two) == named.description)
            #expect(try await subject("mira", of: one) == nil, "a name is not an address")
            #expect(try await subject("mira@acme.test", of: one) == mira.description)
            #expect(try await subject("both@acme.test", of: one) == nil)
            #expect(try await subject("named@acme.test", of: one) == other.description)
        }
    }

    @Test("A token with more roles than any interface would take is not given")
    func tooManyRoles() async throws {
        let party = try Party.first.get()
        let issuers: JSONValue = [
            TrustingService.issuer(party, ["virtualUserEnabled": true, "roleAttributes": ["groups"]])
        ]
        try await TrustingService.running(issuers: issuers) { service in
            let names = (0..<1_000).map { "a role with a long name \($0)" }
            try await service.directory.unrestricted.awaitWrite { session in
                for name in names { _ = try session.asProvisioning(to: "test").roles.create(name, [:]) }
            }
            func bring(_ count: Int) async throws -> Answer {
                let roles = names.prefix(count).map { JSONValue.string($0) }
                return await service.bring(try party.token(["groups": .array(roles)]), ("scope", "profile roles"))
            }
            let some = try await bring(100)
            let token = try #require(some["access_token"]?.text)
            #expect(await service.send("GET", "/mobile/platform/users/~", "Bearer " + token).status == 200)
            #expect(try await bring(1_000).status == 400)
        }
    }
}
