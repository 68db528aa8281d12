import Foundation
import Roster
import RosterOpenID
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Names and roles from outside are nobody's here by chance", .timeLimit(.minutes(2)))
struct OutsideNameTests {
    /// Makes `admin` an administrator who has an address at home besides.
    private func appoint(_ service: TrustingService) async throws -> UserID {
        let emails: AttributeValue = .list([
            .complex(["value": "admin@nordwind.example", "type": "work", "primary": true]),
            .complex(["value": "admin@home.example", "type": "home"]),
        ])
        return try await service.directory.unrestricted.awaitWrite { session in
            let role = try session.asPresentAdministrator(to: "test").powers.administratorsRole()
            let admin = try session.asEditor(to: "test").users.create(NewUser("admin", attributes: ["emails": emails]))
            try session.asRoleOwner(of: .id(role.id), changing: .member).add([.user(.id(admin.id))])
            return admin.id
        }
    }

    /// Whose token is given for a token of somebody else's; nil where none is.
    private func subject(_ answer: Answer) throws -> String? {
        try answer["access_token"]?.text.map { try JSONWebToken($0).claims["sub"]?.text ?? "" }
    }

    @Test("A subject that only folds to an administrator's name, by case, width or a dotless i, is not taken for them")
    func foldedSubjects() async throws {
        let (one, two) = (try Party.first.get(), try Party.second.get())
        let issuers: JSONValue = [
            TrustingService.issuer(one), TrustingService.issuer(two, ["userMappingIgnoresCase": true]),
        ]
        let saml: JSONValue = [
            TrustingService.issuer(one), TrustingService.issuer(two, ["usernameAttribute": "mail"]),
        ]
        try await TrustingService.running(issuers: issuers, saml: saml) { service in
            let admin = try await appoint(service).description
            #expect(try subject(await service.bring(try one.token(["sub": "admin"]))) == admin)
            #expect(try subject(await service.bring(try two.token(["sub": "aDMIN"]))) == admin, "the entry says so")
            #expect(await service.bring(try one.token(["sub": "aDMIN"])).givesNothing)
            for name in ["adm\u{131}n", "ａdmin", "ADM\u{130}N", "admi\u{FF4E}", "admin@nordwind.example"] {
                for party in [one, two] {
                    let given = await service.everyWay(try party.token(["sub": .string(name)]))
                    #expect(given.isEmpty, "\(name): \(given)")
                }
                let named = Assertion(issuer: one.issuer, named: Assertion.name(name))
                #expect(await service.bring(try named.signed(by: one)).givesNothing, "NameID \(name)")
                let attribute = Assertion(issuer: two.issuer, mail: name)
                #expect(await service.bring(try attribute.signed(by: two)).givesNothing, "attribute \(name)")
            }
            let exact = Assertion(issuer: one.issuer, named: Assertion.name("admin"))
            #expect(try subject(await service.bring(try exact.signed(by: one))) == admin)
        }
    }

    @Test("An address finds an administrator only byte for byte, as the primary one, and verified")
    func addresses() async throws {
        let (one, two) = (try Party.first.get(), try Party.second.get())
        let mail: JSONValue = ["userMappingAttribute": "mail", "usernameAttribute": "email"]
        var waived = mail
        waived["emailVerificationWaived"] = true
        let issuers: JSONValue = [TrustingService.issuer(one, mail), TrustingService.issuer(two, waived)]
        let saml: JSONValue = [
            TrustingService.issuer(one, ["userMappingAttribute": "mail", "usernameAttribute": "mail"]),
            TrustingService.issuer(
                two,
                ["userMappingAttribute": "mail", "usernameAttribute": "mail", "emailVerificationWaived": true]),
        ]
        try await TrustingService.running(issuers: issuers, saml: saml) { service in
            let admin = try await appoint(service).description
            let address: JSONValue = "admin@nordwind.example"
            func bring(_ party: Party, _ address: JSONValue, _ verified: JSONValue?) async throws -> String? {
                var claims: [String: JSONValue] = ["sub": "4711", "email": address]
                claims["email_verified"] = verified
                return try subject(await service.bring(try party.token(claims)))
            }
            #expect(try await bring(one, address, true) == admin)
            #expect(try await bring(two, address, nil) == admin)
            #expect(try await bring(one, address, nil) == nil, "nobody has waived it")
            for party in [one, two] {
                #expect(try await bring(party, address, false) == nil)
                #expect(try await bring(party, address, "true") == nil)
                for other in ["admin@nordw\u{131}nd.example", "ａdmin@nordwind.example", "Admin@nordwind.example"] {
                    #expect(try await bring(party, .string(other), true) == nil, "\(other)")
                }
                #expect(try await bring(party, "admin@home.example", true) == nil, "an address at home")
            }
            func assert(_ party: Party) async throws -> String? {
                let assertion = Assertion(issuer: party.issuer, mail: "admin@nordwind.example")
                return try subject(await service.bring(try assertion.signed(by: party)))
            }
            #expect(try await assert(one) == nil)
            #expect(try await assert(two) == admin)
            try await service.directory.unrestricted.users.create(
                "eve", attributes: ["mail": .string("admin@nordwind.example")])
            #expect(try await bring(one, address, true) == nil, "the primary address of two")
        }
    }

    @Test("A transient NameID is never a user's of the directory")
    func transient() async throws {
        let (one, two) = (try Party.first.get(), try Party.second.get())
        let saml: JSONValue = [
            TrustingService.issuer(one), TrustingService.issuer(two, ["usernameAttribute": "groups"]),
        ]
        try await TrustingService.running(issuers: [], saml: saml) { service in
            let admin = try await appoint(service).description
            let named =
                #"<saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:transient">admin</saml:NameID>"#
            #expect(
                await service.everyWay(try Assertion(issuer: one.issuer, named: named).signed(by: one)).isEmpty)
            let attribute = Assertion(issuer: two.issuer, named: named, groups: "admin")
            #expect(try subject(await service.bring(try attribute.signed(by: two))) == admin, "by another attribute")
        }
    }

    @Test("A role that no mapping names satisfies no rule, and the administrators' role stands in no stranger's token")
    func roles() async throws {
        let (one, two) = (try Party.first.get(), try Party.second.get())
        let mappings: JSONValue = [
            ["tokenRole": "devs", "mappedRoles": ["products"]],
            ["tokenRole": "root", "mappedRoles": ["administrators"]],
            ["tokenRole": "ext", "mappedRoles": ["outside"]],
        ]
        let roles: JSONValue = ["roleAttributes": ["roles"], "roleMappings": mappings]
        var virtual = roles
        virtual["virtualUserEnabled"] = true
        let issuers: JSONValue = [TrustingService.issuer(one, virtual), TrustingService.issuer(two, roles)]
        let settings: JSONValue = [
            "apis": ["scim": ["roles": ["unknown", "administrators"]], "mobile": ["roles": ["everyone"]]]
        ]
        try await TrustingService.running(issuers: issuers, settings: settings) { service in
            _ = try await appoint(service)
            let view = service.directory.unrestricted
            try await view.roles.create("helpers")
            try await view.roles.add([.role("helpers")], to: "administrators")
            for (party, name) in [(one, "admin"), (two, ServiceUnderTest.engineer)] {
                func bring(_ roles: JSONValue) async throws -> (token: String, roles: [String]) {
                    let token = try party.token(["sub": .string(name), "roles": roles])
                    let answer = await service.bring(token, ("scope", "profile roles directory"))
                    let text = try #require(answer["access_token"]?.text, "\(answer.text)")
                    return (text, try JSONWebToken(text).claims["roles"]?.elements.compactMap(\.text) ?? [])
                }
                func status(_ path: String, _ token: String) async -> Int {
                    await service.send("GET", path, "Bearer " + token).status
                }
                let own = try await bring([])
                let foreign = try await bring([
                    "unknown", "administrators", "Administrators", "ａdministrators", "helpers", "root", "Finance",
                ])
                #expect(foreign.roles == own.roles, "\(name)")
                #expect(await status("/scim/v2/Users?count=1", foreign.token) == 403)
                let mapped = try await bring(["devs", "ext"])
                for role in ["products", "engineering", "everyone", "outside"] {
                    #expect(mapped.roles.contains(role), "\(name): \(role) of \(mapped.roles)")
                }
                #expect(await status("/mobile/platform/users/~", mapped.token) == 200, "through nested roles")
                let form = [("token", mapped.token)]
                let told = await service.send(
                    "POST", "/oauth2/introspect", ServiceUnderTest.basic(service.app.clientID, service.secret),
                    form: form)
                #expect(told["roles"]?.elements.compactMap(\.text) == mapped.roles && told["apis"] == ["mobile"])
                #expect(try await bring("finance").roles.contains("finance"), "a role here, by that very name")
            }
        }
    }

    @Test("A virtual user is shown as issuer and subject, and by their own name in their own profile only")
    func shown() async throws {
        let one = try Party.first.get()
        let issuers: JSONValue = [TrustingService.issuer(one, ["virtualUserEnabled": true])]
        try await TrustingService.running(issuers: issuers) { service in
            _ = try await appoint(service)
            let answer = await service.bring(try one.token(["sub": "admin"]), ("scope", "profile directory"))
            let token = try #require(answer["access_token"]?.text, "\(answer.text)")
            let shown = "virtual \(one.issuer)#admin"
            #expect(try JSONWebToken(token).claims["preferred_username"]?.text == shown)
            let told = await service.send(
                "POST", "/oauth2/introspect", ServiceUnderTest.basic(service.app.clientID, service.secret),
                form: [("token", token)])
            #expect(told["username"]?.text == shown && told["preferred_username"]?.text == shown, "\(told.text)")
            let session = await service.send("GET", "/db/_session", "Bearer " + token)
            #expect(session["userCtx"]?["name"]?.text == shown, "\(session.text)")
            let profile = await service.send("GET", "/mobile/platform/users/~", "Bearer " + token)
            #expect(profile["username"]?.text == "admin")
            #expect(await service.send("GET", "/admin/keys", "Bearer " + token).status == 403)
            #expect(service.log.all.compactMap(\.who).allSatisfy { $0 == shown })
            #expect(service.log.all.contains { $0.who == shown })
            await service.signIn.oauth.audit.flush()
            let changes = try await service.directory.unrestricted.changes.since(0, limit: 10_000)
            let theirs = changes.filter { $0.entity == .virtualUser }
            #expect(theirs.count >= 2 && theirs.allSatisfy { $0.name == shown }, "\(theirs.map(\.name))")
        }
    }

    @Test("The name of a virtual user does not look blank")
    func blank() async throws {
        let one = try Party.first.get()
        let issuers: JSONValue = [TrustingService.issuer(one, ["virtualUserEnabled": true])]
        try await TrustingService.running(issuers: issuers) { service in
            for name in ["\u{2800}", "\u{3164}", "mira\u{2800}"] {
                let answer = await service.bring(try one.token(["sub": .string(name)]))
                #expect(answer.givesNothing, "\(name)")
            }
        }
    }
}
