import Foundation
import Roster
import RosterAdministration
import RosterClient
import RosterServer
import RosterSignIn
import Testing

@Suite("The articles about the administration", .timeLimit(.minutes(2)))
struct AdministrationArticlesTests {
    let client: ServedClient
    let server: URL
    let token: String

    init() async throws {
        client = try await ServedClient()
        server = try #require(URL(string: client.url))
        let signIn = try #require(client.server.signIn)
        token = try await signIn.administration(in: client.directory.unrestricted)
            .makeToken(named: "console", role: .administrator).text
    }

    @Test("A token for a program is made")
    func landing() async throws {
        let view = try await DirectoryView(server: server, credentials: .bearer(token))
        let administration = try Administration(view)
        let (text, made) = try await administration.makeToken(named: "hr", role: .provisioning)
        #expect(!text.isEmpty && made.name == "hr")
    }

    @Test("The example of the type makes a token")
    func example() async throws {
        let view = try await DirectoryView(server: server, credentials: .bearer(token))
        let administration = try Administration(view)
        let (text, token) = try await administration.makeToken(named: "hr", role: .provisioning)
        #expect(!text.isEmpty && token.role == .provisioning)
    }

    @Test("Tokens and app passwords are made, listed and ended")
    func programs() async throws {
        let view = try await DirectoryView(server: server, credentials: .bearer(token))
        let administration = try Administration(view)
        let (hr, _) = try await administration.makeToken(named: "hr", role: .provisioning, source: "entra")
        let (wiki, _) = try await administration.makeToken(
            named: "wiki", role: .reading, attributes: ["uid", "mail"], networks: ["192.0.2.0/24"])
        let (mail, _) = try await administration.user("ada").makeAppPassword(named: "mail", for: .ldap)
        for token in try await administration.tokens() { print(token.name, token.lastUse ?? "never") }
        try await administration.endToken("wiki")
        #expect([hr, wiki, mail].allSatisfy { !$0.isEmpty })
        #expect(try await administration.tokens().map(\.name).sorted() == ["console", "hr"])
    }

    @Test("A backend is made and gets a new secret")
    func backends() async throws {
        let administration = try await Administration(
            DirectoryView(server: server, credentials: .bearer(token)))
        // swift-format-ignore
        let description = Data(#"{"name": "shop", "version": "2", "for": "web", "redirect_uris": ["https://shop.example.com/callback"]}"#.utf8)
        let (shop, secrets) = try await administration.makeBackend(description)
        let renewed = try await administration.renewSecrets(ofBackend: shop.id, keepingOldFor: .seconds(86_400))
        for use in try await administration.users(ofBackend: shop.id, limit: 20) { print(use.label, use.used) }
        #expect(secrets.secret != nil && renewed.secret != secrets.secret && renewed.anonymousKey == nil)
    }

    @Test("A user is helped, and what would keep access is ended")
    func users() async throws {
        let administration = try await Administration(
            DirectoryView(server: server, credentials: .bearer(token)))
        let ada = administration.user("ada")
        for factor in try await ada.secondFactors().factors { print(factor.kind, factor.count) }
        try await ada.removeSecondFactor(.app)
        let link = try await ada.makePasswordLink()
        try await ada.signOut()
        for item in try await administration.remainingAccess(of: "ada").items { print(item.kind, item.name) }
        _ = try await administration.endRemainingAccess(of: "ada")
        #expect(link.url?.hasPrefix(client.url) == true)
    }

    @Test("Settings are stored, listed and deleted")
    func settings() async throws {
        let administration = try await Administration(
            DirectoryView(server: server, credentials: .bearer(token)))
        try await administration.setSetting("allow_bare_basic", in: .policies, to: Data(#"{"value": false}"#.utf8))
        for policy in try await administration.settings(.policies) where policy.source == .directory {
            print(policy.name)
        }
        try await administration.deleteSetting("allow_bare_basic", in: .policies)
        try await administration.setBranding(Administration.Branding(name: "Example Ltd.", color: "#1f5fbf"))
        #expect(try await administration.branding().name == "Example Ltd.")
    }
}
