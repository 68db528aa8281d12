import Foundation
import RosterCrypto
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

#if canImport(Glibc)
    import Glibc
#endif

@Suite("Attacks on where a browser is sent", .timeLimit(.minutes(2)))
struct RedirectAttackTests {
    private static let registered = "https://Kiosk.example.com/cb;a"
    private static let goodbye = "https://Kiosk.example.com/bye;a"

    /// What might pass for an address with some comparison or in some browser.
    private static func lookalikes(of uri: String) -> [String] {
        let path = uri.dropFirst("https://Kiosk.example.com".count)
        return [
            // A Kelvin sign is a K, and a Greek question mark a semicolon, to who compares characters and not bytes.
            uri.replacing("K", with: "\u{212A}"), uri.replacing(";", with: "\u{37E}"), uri.lowercased(),
            uri + "/", uri + "?", uri + "#", uri + "?x=1", uri + "/..", uri + "%00", uri + " ", " " + uri,
            uri + "\n", uri + "\r\nSet-Cookie: a=b", "\t" + uri, uri + "\u{0}",
            "https://Kiosk.example.com:443\(path)", "https://Kiosk.example.com.\(path)",
            "https://Kiosk.example.com@evil.example\(path)", "https://evil.example/?\(uri)",
            "https://evil.example#\(uri)", "https://evil.example\\@Kiosk.example.com\(path)",
            "https://Kiosk.example.com\\.evil.example\(path)", "https://Kiosk.example.com.evil.example\(path)",
            "https://evilKiosk.example.com\(path)", "https://a.Kiosk.example.com\(path)",
            "https://*.example.com\(path)", "//Kiosk.example.com\(path)", "http://Kiosk.example.com\(path)",
            "https:/Kiosk.example.com\(path)", "https://Kiosk.example.com/\(path)",
            "https://Kiosk.example.com/x/..\(path)", "https://Kiosk.example.com/%2e\(path)",
            "https://Kiosk%2Eexample.com\(path)", "https://K\u{301}iosk.example.com\(path)", uri + "\u{301}",
            "https://\u{FF2B}iosk.example.com\(path)", "javascript:alert(1)//\(uri)", "data:text/html,\(uri)",
            String(uri.dropLast()), uri + String(repeating: "a", count: 5_000),
        ]
    }

    @Test("An app's address is compared byte for byte: nothing that resembles it is sent a code or an error")
    func lookalikes() async throws {
        let app = try await App(try await ServiceUnderTest(), ["redirect_uris": [.string(Self.registered)]])
        let right = await app.browse("GET", try app.authorizePath(["redirect_uri": Self.registered]))
        #expect(right.status == 200, "the registered one is taken")
        for uri in Self.lookalikes(of: Self.registered) {
            for type in ["code", "token"] {
                let changes = ["redirect_uri": uri, "response_type": type]
                let asked = await app.browse("GET", try app.authorizePath(changes))
                #expect(asked.status == 400 && asked.header("Location") == nil, "\(uri)")
                let posted = await app.browse("POST", "/oauth2/authorize", form: try app.authorizeForm(changes))
                #expect(posted.status == 400 && posted.header("Location") == nil, "\(uri) in a form")
            }
        }
    }

    @Test("Neither is one that resembles the address after signing out, nor an address for codes, nor another app's")
    func afterSignOut() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(
            service, ["redirect_uris": [.string(App.redirect)], "post_logout_redirect_uris": [.string(Self.goodbye)]])
        let other = try await App(
            service, named: "other", ["post_logout_redirect_uris": ["https://other.example.com/bye"]])
        let hint = try #require(await app.redeem(try await app.code())["id_token"]?.text)
        let addresses = Self.lookalikes(of: Self.goodbye) + [App.redirect, "https://other.example.com/bye"]
        for uri in addresses {
            for proof in [[("id_token_hint", hint)], [("client_id", app.clientID)]] {
                let form = proof + [("post_logout_redirect_uri", uri)]
                let posted = await app.browse("POST", "/oauth2/logout", form: form)
                #expect(posted.status == 400 && posted.header("Location") == nil, "\(uri) in a form")
                let asked = await app.browse("GET", "/oauth2/logout?" + App.encoded(form))
                #expect(asked.status == 400 && asked.header("Location") == nil, "\(uri)")
            }
        }
        let mixed = [
            ("id_token_hint", hint), ("client_id", other.clientID),
            ("post_logout_redirect_uri", "https://other.example.com/bye"),
        ]
        #expect(await app.browse("GET", "/oauth2/logout?" + App.encoded(mixed)).status == 400, "a hint of another app")
        let bare = App.encoded([("post_logout_redirect_uri", Self.goodbye)])
        let nobodys = await app.browse("GET", "/oauth2/logout?" + bare)
        #expect(nobodys.status == 200 && nobodys.header("Location") == nil, "nobody says whose address it is")
        #expect(!nobodys.text.contains(Self.goodbye))
        #expect(await app.browse("GET", try app.authorizePath()).status == 303, "none of it has signed anybody out")
    }

    @Test("An address that is given twice is refused, wherever the second one stands")
    func twice() async throws {
        let app = try await App(try await ServiceUnderTest())
        let evil = "redirect_uri=https%3A%2F%2Fevil.example"
        for path in [
            try app.authorizePath() + "&" + evil, try app.authorizePath() + "&redirect%5Furi=x",
            try app.authorizePath().replacing("?", with: "?\(evil)&"),
        ] {
            let answer = await app.browse("GET", path)
            #expect(answer.status == 400 && answer.header("Location") == nil)
        }
        // What stands in the address of a form's request is no parameter of it.
        let form = try app.authorizeForm(["response_type": "token"])
        let answer = await app.browse("POST", "/oauth2/authorize?" + evil, form: form)
        #expect(answer.header("Location")?.hasPrefix(App.redirect + "?error=") == true, "\(answer.text)")
    }

    @Test("Whatever a state holds comes back as it was, and adds no header")
    func state() async throws {
        let app = try await App(try await ServiceUnderTest())
        for state in [
            "a\r\nSet-Cookie: __Host-roster_session=planted", "a\n\nX: y", "&error=none&code=planted", "#code=planted",
            "\u{2028}\u{85}", "%0d%0aX: y", "ä \"<>' ☃", "?state=x",
        ] {
            for type in ["code", "token"] {
                app.forgetCookies()
                let form = try app.authorizeForm(["state": state, "response_type": type])
                var answer = await app.browse("POST", "/oauth2/authorize", form: form)
                if answer.status == 200 { answer = try await app.signIn(on: answer) }
                let location = try #require(answer.header("Location"), "\(answer.text)")
                #expect(location.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "\(location)")
                #expect(App.sent(answer)["state"] == state)
                #expect(App.sent(answer)["code"] != "planted")
                let fields = answer.response.headers.fields
                #expect(fields.allSatisfy { !$0.value.utf8.contains(10) && !$0.value.utf8.contains(13) })
                #expect(fields.allSatisfy { !$0.value.contains("__Host-roster_session=planted") })
            }
        }
    }

    @Test("What a page kept is good for the answer to that page only")
    func pagesAreNotSwapped() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(
            service, ["consent": true, "post_logout_redirect_uris": ["https://shop.example.com/bye"]])
        // Of a request everything is kept, also what no app would send.
        let path = try app.authorizePath() + "&uri=https%3A%2F%2Fevil.example"
        let signIn = await app.browse("GET", path)
        let answer = try await app.bring(signIn, to: "/oauth2/logout")
        #expect(answer.status == 400 && answer.header("Location") == nil, "\(answer.header("Location") ?? "")")

        let consent = try await app.signIn(on: signIn)
        #expect(consent.text.contains("Allow shop?"))
        let swapped = try await app.bring(consent, to: "/oauth2/logout")
        #expect(swapped.status == 400 && swapped.header("Location") == nil, "\(swapped.header("Location") ?? "")")
        #expect(await app.browse("GET", path).text.contains("Allow shop?"), "it has signed nobody out")

        let signOut = await app.browse("GET", "/oauth2/logout")
        #expect(signOut.text.contains("Sign out?"))
        for page in [signOut, consent, signIn] {
            let answer = try await app.bring(page, to: "/oauth2/device", [("decision", "allow")])
            #expect(answer.status == 400)
        }
        let decided = try await app.bring(signOut, to: "/oauth2/authorize", [("decision", "allow")])
        #expect(decided.status == 400 && decided.header("Location") == nil)
        #expect(try await app.bring(signOut, to: "/oauth2/logout").status == 200, "where it belongs it is taken")
        #expect(await app.browse("GET", path).text.contains("name=\"password\""))
    }

    @Test("The page that asks whether to sign out is for the session that it was shown in")
    func signOutOfAnotherSession() async throws {
        let app = try await App(try await ServiceUnderTest())
        _ = try await app.code()
        let page = await app.browse("GET", "/oauth2/logout")
        let again = await app.browse("GET", try app.authorizePath(["prompt": "login"]))
        _ = try await app.signIn(on: again, as: ServiceUnderTest.lead)
        #expect(try await app.bring(page, to: "/oauth2/logout").status == 400)
        #expect(await app.browse("GET", try app.authorizePath()).status == 303, "whoever came later is still there")
    }

    @Test("Nothing is fetched from an address that a request names (SSRF), also where it says where its keys are")
    func requestedAddresses() async throws {
        let server = try Listener()
        let app = try await App(try await ServiceUnderTest())
        for name in [
            "request_uri", "jwks_uri", "sector_identifier_uri", "logo_uri", "backchannel_logout_uri", "client_uri",
            "client_session_host", "frontchannel_logout_uri", "registration", "claims", "resource", "issuer",
        ] {
            let answer = await app.browse("GET", try app.authorizePath([name: server.address]))
            if name == "request_uri" { #expect(App.sent(answer)["error"] == "request_uri_not_supported") }
            let logout = await app.browse("GET", "/oauth2/logout?" + App.encoded([(name, server.address)]))
            #expect(logout.header("Location") == nil, "\(name)")
            _ = await app.token(("grant_type", "client_credentials"), (name, server.address))
        }
        let header: JSONValue = [
            "alg": "RS256", "kid": .string(server.address), "jku": .string(server.address),
            "x5u": .string(server.address),
        ]
        let claims: JSONValue = ["iss": .string(server.address), "sub": "x", "exp": 99_999_999_999]
        let text = Base64URL.text(header.bytes) + "." + Base64URL.text(claims.bytes) + ".AAAA"
        #expect(await app.status("/scim/v2/Me", text) == 401)
        #expect(await app.browse("GET", "/oauth2/logout?id_token_hint=" + text).status == 400)
        #expect(server.connections == 0, "nobody has come")
    }
}

/// A port of this machine that counts who comes.
private final class Listener: Sendable {
    let address: String
    private let number: Int32

    init() throws {
        number = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &place) { [number] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(number, pointer, length) == 0 && listen(number, 8) == 0
                    && getsockname(number, pointer, &length) == 0
            }
        }
        try #require(isBound && fcntl(number, F_SETFL, O_NONBLOCK) == 0)
        address = "http://127.0.0.1:\(UInt16(bigEndian: place.sin_port))/x"
    }

    deinit { close(number) }

    /// How many have come since this was asked the last time.
    var connections: Int {
        var count = 0
        while case let connection = accept(number, nil, nil), connection >= 0 {
            _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
            close(connection)
            count += 1
        }
        return count
    }
}
