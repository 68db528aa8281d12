import Foundation
import Roster
import RosterAdministration
import RosterClient
import RosterSignIn
import ServiceTestSupport
import TestSupport
import Testing

@Suite("The administration of sign-in, at a server and in this process", .timeLimit(.minutes(4)))
struct AdministrationTests {
    /// Where an operation runs.
    enum Place: String, Sendable, CaseIterable { case server, process }

    private static func administration(_ place: Place, _ app: ServedApp) async throws -> Administration {
        let local = app.signIn.administration(in: app.directory.unrestricted)
        guard place == .server else { return local }
        let token = try await local.makeToken(named: "desk", role: .administrator).text
        let view = try await DirectoryView(
            server: address(app.proxy.url), credentials: .bearer(token), transport: app.transport)
        return try Administration(view)
    }

    private static func code(_ body: () async throws -> Void) async -> DirectoryError.Code? {
        do { try await body() } catch let error as DirectoryError { return error.code } catch {}
        return nil
    }

    @Test("A token is made with all that it may have, listed, given a source, and ended", arguments: Place.allCases)
    func tokens(place: Place) async throws {
        try await withApp { app in
            let administration = try await Self.administration(place, app)
            let end = app.clock.now.addingTimeInterval(86_400)
            try await app.directory.unrestricted.roles.create("crew")
            let (text, token) = try await administration.makeToken(
                named: "wiki", role: .reading, expires: end, attributes: ["uid", "mail"],
                membersOf: "crew", networks: ["192.0.2.0/24"])
            #expect(text.hasPrefix("roster_") && token.role == .reading && token.membersOf == "crew")
            #expect(token.attributes == ["mail", "uid"] && token.networks == ["192.0.2.0/24"] && token.lastUse == nil)
            #expect(abs(try #require(token.expires).timeIntervalSince(end)) < 1)
            #expect(try await administration.tokens().contains(token))
            _ = try await administration.makeToken(named: "hr", role: .provisioning)
            try await administration.setSource("entra", ofToken: "hr")
            #expect(try await administration.tokens().first { $0.name == "hr" }?.source == "entra")
            try await administration.endToken(token.id)
            #expect(try await !administration.tokens().contains { $0.name == "wiki" })
            #expect(await Self.code { try await administration.endToken("wiki") } == .notFound)
            #expect(
                await Self.code { _ = try await administration.makeToken(named: "hr", role: .provisioning) }
                    == .alreadyExists)
        }
    }

    @Test("An app password is made for a user, listed and ended", arguments: Place.allCases)
    func appPasswords(place: Place) async throws {
        try await withApp { app in
            let administration = try await Self.administration(place, app)
            let user = ServiceUnderTest.engineer
            let (text, made) = try await administration.user(user).makeAppPassword(named: "mail", for: .ldap)
            #expect(text.utf8.count == 25 && made.use == .ldap && made.expires == nil)
            #expect(try await administration.user(user).appPasswords() == [made])
            try await administration.user(user).endAppPassword("mail")
            #expect(try await administration.user(user).appPasswords().isEmpty)
        }
    }

    @Test("A backend is made, changed by its own description, given secrets and deleted", arguments: Place.allCases)
    func backends(place: Place) async throws {
        try await withApp { app in
            let administration = try await Self.administration(place, app)
            let (made, secrets) = try await administration.makeBackend(
                Data(#"{"name": "wiki", "for": "service"}"#.utf8))
            #expect(
                secrets.secret != nil && secrets.anonymousKey != nil && !"\(secrets)".contains(secrets.secret ?? ""))
            let listed = try #require(try await administration.backends().first { $0.id == made.id })
            #expect(listed.created != nil && listed.clientID == made.clientID)
            let changed = try await administration.changeBackend(made.id, to: listed.json)
            #expect(changed.json == listed.json)
            let kept = try await administration.renewSecrets(ofBackend: made.id, keepingOldFor: .seconds(60))
            #expect(kept.secret != secrets.secret && kept.anonymousKey == nil)
            #expect(try await administration.formerSecrets(ofBackend: made.id).count == 1)
            try await administration.endFormerSecrets(ofBackend: made.id)
            #expect(try await administration.formerSecrets(ofBackend: made.id).isEmpty)
            let new = try await administration.renewSecrets(ofBackend: made.id)
            #expect(new.secret != kept.secret && new.anonymousKey != secrets.anonymousKey)
            try await administration.deleteBackend(made.id)
            #expect(await Self.code { try await administration.deleteBackend(made.id) } == .notFound)
            #expect(
                await Self.code { _ = try await administration.makeBackend(Data("{".utf8)) } == .invalidInput)
        }
    }

    @Test("The users of a backend are listed, latest use first, from several pages", arguments: Place.allCases)
    func users(place: Place) async throws {
        try await withApp { app in
            let administration = try await Self.administration(place, app)
            let id = try #require(
                try await administration.backends().first { $0.clientID == app.backend.clientID }?.id)
            #expect(try await administration.users(ofBackend: id) == [])
            let authenticator = try app.authenticator()
            _ = try await app.account("first", of: authenticator)
            app.clock.advance(by: 120)
            _ = try await authenticator.signIn(
                account: "second", userName: ServiceUnderTest.lead, password: ServiceUnderTest.password)
            let users = try await administration.users(ofBackend: id)
            let view = app.directory.unrestricted
            let ids = [
                try await view.users.user(ServiceUnderTest.lead).id,
                try await view.users.user(ServiceUnderTest.engineer).id,
            ]
            #expect(users.map(\.user) == ids)
            #expect(users.allSatisfy { $0.hasTokens && !$0.label.isEmpty && $0.used <= app.clock.now })
            #expect(try await administration.users(ofBackend: id, limit: 1) == Array(users.prefix(1)))
            #expect(await Self.code { _ = try await administration.users(ofBackend: "1") } == .notFound)
        }
    }

    @Test("A signing key is made, listed and removed", arguments: Place.allCases)
    func keys(place: Place) async throws {
        try await withApp { app in
            let administration = try await Self.administration(place, app)
            let key = try await administration.makeSigningKey(.edDSA)
            #expect(key.algorithm == .edDSA && key.retired == nil)
            #expect(try await administration.signingKeys().contains { $0.id == key.id })
            try await administration.removeSigningKey(key.id)
            #expect(try await !administration.signingKeys().contains { $0.id == key.id })
            #expect(await Self.code { try await administration.removeSigningKey(key.id) } == .notFound)
        }
    }

    @Test(
        "Second factors are listed without their secrets, and removed one by one or all at once",
        arguments: Place.allCases)
    func secondFactors(place: Place) async throws {
        try await withApp { app in
            let administration = try await Self.administration(place, app)
            let user = try await app.directory.unrestricted.users.user(ServiceUnderTest.engineer)
            #expect(try await administration.user(user).secondFactors().factors == [])
            #expect(try await !administration.user(user).removeSecondFactor())
            func setQuestions() async throws {
                try await app.signIn.secondFactors.setQuestions(
                    [("First street?", "Rue de la Paix"), ("First teacher?", "Aunt Zoë")], for: user.id)
            }
            try await setQuestions()
            let list = try await administration.user(ServiceUnderTest.engineer).secondFactors()
            #expect(list.factors.map(\.kind) == [.questions] && list.factors.first?.count == 2 && !list.isLost)
            let created = try #require(list.factors.first?.created)
            #expect(abs(created.timeIntervalSince(app.clock.now)) < 1 && list.factors.first?.used == nil)
            #expect(try await !administration.user(user.id).removeSecondFactor(.app))
            #expect(try await administration.user(user).removeSecondFactor(.questions))
            try await setQuestions()
            #expect(try await administration.user(user).removeSecondFactor())
            #expect(try await administration.user(user).secondFactors().factors == [])
        }
    }

    @Test(
        "A password is set and signs in, a link is made, and signing out ends sessions and tokens",
        arguments: Place.allCases)
    func passwords(place: Place) async throws {
        try await withApp { app in
            let administration = try await Self.administration(place, app)
            let user = ServiceUnderTest.engineer
            #expect(await Self.code { try await administration.user(user).setPassword("short") } == .invalidAttribute)
            try await administration.user(user).setPassword("a staple of right batteries")
            let account = try await app.authenticator().signIn(
                account: "new", userName: user, password: "a staple of right batteries")
            _ = try await account.validAccessToken()
            let link = try await administration.user(user).makePasswordLink(.invitation)
            #expect(link.url?.contains("/oauth2/password?token=") == true && app.clock.now < link.expires)
            #expect(
                await Self.code { _ = try await administration.user(user).makePasswordLink(isMailed: true) }
                    == .invalidInput)
            #expect(try await administration.user(user).sessions().isEmpty)
            #expect(await Self.code { try await administration.user(user).endSession("none") } == .notFound)
            #expect(try await administration.user(user).devices().isEmpty)
            #expect(await Self.code { try await administration.user(user).endDevice("none") } == .notFound)
            try await administration.user(user).signOut()
            await #expect(throws: (any Error).self) {
                try await DirectoryView(
                    server: address(app.proxy.url), credentials: .account(account), transport: app.transport)
            }
        }
    }

    @Test("What a user made is listed and ended", arguments: Place.allCases)
    func remainingAccess(place: Place) async throws {
        try await withApp { app in
            let administration = try await Self.administration(place, app)
            let user = ServiceUnderTest.engineer
            _ = try await administration.user(user).makeAppPassword(named: "mail", for: .scim)
            _ = try await app.account("first", of: try app.authenticator())
            let items = try await administration.remainingAccess(of: user).items
            #expect(items.map(\.kind) == [.grant, .appPassword] && items.map(\.name) == ["shop 1.0", "mail"])
            #expect(try await administration.endRemainingAccess(of: user).items == items)
            #expect(try await administration.remainingAccess(of: user).items.isEmpty)
        }
    }

    @Test("Settings, the branding and the views are stored, listed and deleted", arguments: Place.allCases)
    func settings(place: Place) async throws {
        try await withApp { app in
            let administration = try await Self.administration(place, app)
            let entry = Data(#"{"issuer":"https://idp.example.com","client_id":"roster"}"#.utf8)
            #expect(try await administration.setSetting("idp", type: "oidc", in: .providers, to: entry))
            #expect(try await !administration.setSetting("idp", type: "oidc", in: .providers, to: entry))
            let stored = try #require(try await administration.settings(.providers).first)
            #expect(stored.name == "idp" && stored.type == "oidc" && stored.source == .directory && !stored.hasSecret)
            #expect(stored.entry == entry && stored.changed != nil)
            try await administration.deleteSetting("idp", type: "oidc", in: .providers)
            try await administration.setPolicies(Data(#"{"allow_private_addresses": true}"#.utf8))
            let policy = try await administration.settings(.policies).first { $0.name == "allow_private_addresses" }
            #expect(policy?.source == .directory && policy?.entry == Data(#"{"value":true}"#.utf8))
            let saml = Data(#"{"issuerName": "idp", "certificateSubjectNames": ["CN=idp"]}"#.utf8)
            #expect(try await administration.testSetting(saml, type: "saml", in: .issuers).isEmpty)
            #expect(
                await Self.code { _ = try await administration.testSetting(saml, type: "other", in: .issuers) }
                    == .notFound)
            // A PNG of 16 by 16 pixels, as far as its size is read.
            let head: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]
            let logo = Data(head + [0, 0, 0, 16, 0, 0, 0, 16, 8, 6] + [UInt8](repeating: 0, count: 30))
            let branding = Administration.Branding(name: "Example", color: "#1f5fbf", logo: logo)
            try await administration.setBranding(branding)
            #expect(try await administration.branding() == branding)
            try await administration.setPeopleView("Leads", state: "q=lead")
            try await administration.setPeopleView("Heads", state: "q=lead", former: "Leads")
            #expect(try await administration.peopleViews().map(\.name) == ["Heads"])
            try await administration.deletePeopleView("Heads")
            #expect(try await administration.peopleViews().isEmpty)
        }
    }

    @Test("A caller without rights, a wrong token, an unknown user and a view of a file are refused with a code")
    func refusals() async throws {
        try await withApp { app in
            let administration = try await Self.administration(.server, app)
            #expect(await Self.code { _ = try await administration.user("nobody").secondFactors() } == .notFound)
            #expect(await Self.code { try await administration.user("nobody").removeSecondFactor(.app) } == .notFound)
            let server = try address(app.proxy.url)
            let account = try await app.account(of: app.authenticator())
            let own = try await Administration(
                DirectoryView(server: server, credentials: .account(account), transport: app.transport))
            #expect(await Self.code { _ = try await own.user(ServiceUnderTest.lead).secondFactors() } == .notPermitted)
            #expect(await Self.code { _ = try await own.tokens() } == .notPermitted)
            #expect(await Self.code { _ = try Administration(app.directory.unrestricted) } == .notOffered)
        }
    }

    @Test("A change whose answer was lost is not sent again, and throws that its outcome is unknown")
    func lostAnswer() async throws {
        try await withApp { app in
            let administration = try await Self.administration(.server, app)
            app.proxy.decide { path, _ in path.hasSuffix("/makeToken") ? .loseAnswer : .pass }
            #expect(
                await Self.code { _ = try await administration.makeToken(named: "hr", role: .provisioning) }
                    == .outcomeUnknown)
            app.proxy.decide { _, _ in .pass }
            #expect(try await administration.tokens().filter { $0.name == "hr" }.count == 1)
        }
    }
}
