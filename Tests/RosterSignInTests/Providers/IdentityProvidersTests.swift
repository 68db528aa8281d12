import Foundation
import Roster
import RosterText
import Testing

import RosterSignIn

@Suite("The document of providers with whom people can sign in")
struct IdentityProvidersTests {
    private static let issuer = "https://accounts.example.com"

    private func read(_ entry: JSONValue) throws -> IdentityProviders {
        let json: JSONValue = ["oidc": ["providers": ["one": entry]]]
        return try IdentityProviders(document: json.bytes)
    }

    private func provider(_ more: JSONValue = [:]) throws -> IdentityProvider {
        var entry: JSONValue = ["issuer": .string(Self.issuer), "client_id": "us"]
        for member in more.members { entry[member.name] = member.value }
        return try #require(try read(entry).provider(named: "one"))
    }

    @Test("The entry of the reference is taken as it stands there")
    func reference() throws {
        let text = """
            {"oidc": {"providers": {"google_authcode": {
                "issuer":"https://accounts.google.com",
                "client_id":"yourclientid-uso.apps.googleusercontent.com",
                "validation_key":"your_client_secret", "register":true}}}}
            """
        let providers = try IdentityProviders(document: Array(text.utf8))
        let provider = try #require(providers.provider(named: nil))
        #expect(provider.name == "google_authcode" && provider.registers)
        #expect(provider.discoveryURL == "https://accounts.google.com/.well-known/openid-configuration")
    }

    @Test("What is not given is what Sync Gateway takes")
    func defaults() throws {
        let provider = try provider()
        #expect(!provider.registers && !provider.isSessionless && !provider.includesAccessToken)
        #expect(!provider.needsNoCookie && provider.callbackURL == nil && provider.scopes == ["openid", "email"])
        #expect(!provider.isSignedWithSecret && provider.secret == nil)
    }

    @Test("A field that is given has its effect")
    func effects() throws {
        #expect(try provider(["scope": ["email"]]).scopes == ["openid", "email"], "without openid it is not OpenID")
        #expect(try provider(["scope": ["openid", "x"]]).scopes == ["openid", "x"])
        #expect(try provider(["register": true]).registers)
        #expect(try provider(["disable_session": true]).isSessionless)
        #expect(try provider(["include_access": true]).includesAccessToken)
        #expect(try provider(["disable_callback_state": true]).needsNoCookie)
        #expect(try provider(["callback_url": "https://a.example.com/cb"]).callbackURL == "https://a.example.com/cb")
        #expect(try provider(["discovery_url": "https://b.example.com/d"]).discoveryURL == "https://b.example.com/d")
        let secret = String(repeating: "s", count: 32)
        #expect(try provider(["validation_key": .string(secret), "signing_method": "HS256"]).isSignedWithSecret)
        #expect(try !provider(["validation_key": "short", "signing_method": "RS256"]).isSignedWithSecret)
        #expect(
            try provider(["roles_claim": "groups"]).roles(["groups": ["a", "b", "a", 1, ""]]) == ["a", "b"])
        #expect(try provider(["roles_claim": "groups"]).roles(["groups": "a"]) == ["a"])
        #expect(try provider().roles(["groups": ["a"]]).isEmpty)
        let notes = try read([
            "issuer": .string(Self.issuer), "client_id": "us", "channels_claim": "c", "disable_callback_state": true,
        ]).notes
        #expect(notes.count == 2, "\(notes)")
    }

    @Test("A user is called as Sync Gateway calls them: prefix and subject, or a claim")
    func names() throws {
        func name(_ entry: JSONValue, _ claims: JSONValue = ["sub": "1/2 ü", "nick": "ada"]) throws -> String? {
            try provider(entry).userName(claims)?.text
        }
        #expect(try name([:]) == "accounts.example.com_1%2F2+%C3%BC")
        #expect(try name(["issuer": "https://a.example.com:8443/x/y"]) == "a.example.com%3A8443%2Fx%2Fy_1%2F2+%C3%BC")
        #expect(try name(["user_prefix": "p"]) == "p_1%2F2+%C3%BC")
        #expect(try name(["username_claim": "nick"]) == "ada")
        #expect(try name(["username_claim": "nick", "user_prefix": "p"]) == "p_ada")
        #expect(try name(["username_claim": "other"]) == nil)
        #expect(try name([:], ["nick": "ada"]) == nil)
        let mail: JSONValue = ["sub": "1", "email": "a@b.test"]
        #expect(try name(["username_claim": "email"], mail) == nil, "nobody has verified it")
        var verified = mail
        verified["email_verified"] = true
        #expect(try name(["username_claim": "email"], verified) == "a%40b.test")
        for (claim, expected) in [(false, nil), ("true", nil), (nil, "p_a%40b.test"), (true, "p_a%40b.test")]
            as [(JSONValue?, String?)]
        {
            var named = mail
            named["upn"] = "a@b.test"
            named["email_verified"] = claim
            #expect(
                try name(["username_claim": "upn", "user_prefix": "p"], named) == expected, "an address by another name"
            )
        }
        #expect(try provider().userName(["sub": "x"])?.isCertain == true)
        #expect(try provider(["username_claim": "sub"]).userName(["sub": "x"])?.isCertain == false)
    }

    @Test(
        "What is wrong is told with its place",
        arguments: [
            (["client_id": "us"], "oidc.providers.one.issuer"),
            (["issuer": "accounts.example.com", "client_id": "us"], "oidc.providers.one.issuer"),
            (["issuer": "http://accounts.example.com", "client_id": "us"], "http"),
            (["issuer": "https://a:b@accounts.example.com", "client_id": "us"], "user name"),
            (["issuer": "https://a.example.com"], "oidc.providers.one.client_id"),
            (["issuer": "https://a.example.com", "client_id": "us", "register": 1], "oidc.providers.one.register"),
            (["issuer": "https://a.example.com", "client_id": "us", "scope": "openid"], "oidc.providers.one.scope"),
            (["issuer": "https://a.example.com", "client_id": "us", "colour": "red"], "oidc.providers.one.colour"),
            (
                ["issuer": "https://a.example.com", "client_id": "us", "allow_unsigned_provider_tokens": true],
                "allow_unsigned_provider_tokens"
            ),
            (
                [
                    "issuer": "https://a.example.com", "client_id": "us", "validation_key": "short",
                    "signing_method": "HS256",
                ], "validation_key"
            ),
            ("text", "oidc.providers.one"),
        ] as [(JSONValue, String)])
    func wrong(entry: JSONValue, told: String) {
        #expect {
            try read(entry)
        } throws: { error in
            "\(error)".contains(told) && (error as? DirectoryError)?.code.kind == .invalidInput
        }
    }

    @Test("The default is the one that is named, marked, or the only one; none where that is not clear")
    func defaultProvider() throws {
        func name(_ json: JSONValue) throws -> String? {
            try IdentityProviders(document: json.bytes).provider(named: nil)?.name
        }
        let a: JSONValue = ["issuer": "https://a.example.com", "client_id": "us"]
        var b: JSONValue = ["issuer": "https://b.example.com", "client_id": "us"]
        #expect(try name(["oidc": ["providers": ["a": a]]]) == "a")
        #expect(try name(["oidc": ["providers": ["a": a, "b": b]]]) == nil)
        #expect(try name(["oidc": ["default_provider": "b", "providers": ["a": a, "b": b]]]) == "b")
        #expect(throws: DirectoryError.self) {
            try name(["oidc": ["default_provider": "c", "providers": ["a": a, "b": b]]])
        }
        b["is_default"] = true
        #expect(try name(["oidc": ["providers": ["a": a, "b": b]]]) == "b")
        #expect(throws: DirectoryError.self, "two providers that no token tells apart") {
            try name(["oidc": ["providers": ["a": a, "b": a]]])
        }
    }

    @Test("A social provider needs the application's own id and secret, and an address but for Facebook")
    func social() throws {
        func read(_ name: String, _ entry: JSONValue) throws -> SocialProvider? {
            let json: JSONValue = ["social": .object([.init(name, entry)])]
            return try IdentityProviders(document: json.bytes).social[name]
        }
        let facebook = try #require(try read("facebook", ["app_id": "1", "app_secret": "s"]))
        #expect(facebook.issuer == "https://www.facebook.com")
        #expect(
            try read("other", ["app_id": "1", "app_secret": "s", "url": "https://graph.example.com/"])?.issuer
                == "https://graph.example.com")
        for entry in [
            ["app_secret": "s"], ["app_id": "1"], ["app_id": "1", "app_secret": "s", "url": "http://a.example.com"],
            ["app_id": "1", "app_secret": "s", "colour": "red"],
        ] as [JSONValue] {
            #expect(throws: DirectoryError.self, "\(entry)") { try read("facebook", entry) }
        }
        #expect(throws: DirectoryError.self) { try read("other", ["app_id": "1", "app_secret": "s"]) }
        let shop = try #require(
            try read("facebook-shop", ["app_id": "2", "app_secret": "s", "provider": "facebook"]))
        #expect(shop.provider == "facebook" && shop.name == "facebook-shop" && shop.issuer == facebook.issuer)
    }
}
