import Foundation
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Attacks on the pages of signing in")
struct PageAttackTests {
    private static let payloads = [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' autofocus onfocus='alert(1)",
        "</title><svg/onload=alert(1)>", "</style><script>x</script>", "<!-- ", "]]>", "&lt;script&gt;",
        "javascript:alert(1)", "\u{FF1C}script\u{FF1E}", "<\u{0301}script>", "{{7*7}}${7*7}<%= 7 %>",
        "\u{202E}txt.exe<b>", "<base href=//evil.example>", "<meta http-equiv=refresh content=0>",
        "<form action=//evil.example>", "<input name=request value=x>", String(repeating: "<b>", count: 80),
    ]

    /// The tags of a page with their attributes' names, which no text that somebody gives may change.
    private static func tags(_ html: String) -> [String] {
        // By scalars: a combining mark after an angle bracket is another character, and the same tag to a browser.
        let scalars = Array(html.unicodeScalars)
        var tags: [String] = []
        var index = 0
        while index < scalars.count {
            guard scalars[index] == "<" else {
                index += 1
                continue
            }
            var tag = ""
            var isQuoted = false
            while index < scalars.count, isQuoted || scalars[index] != ">" {
                if scalars[index] == "\"" {
                    isQuoted.toggle()
                } else if !isQuoted {
                    tag.unicodeScalars.append(scalars[index])
                }
                index += 1
            }
            tags.append(tag)
        }
        return tags
    }

    private func check(_ answer: Answer, like plain: Answer, _ what: String) {
        #expect(answer.header("Content-Type") == "text/html; charset=utf-8", "\(what)")
        #expect(Self.tags(answer.text) == Self.tags(plain.text), "\(what)")
        let policy = answer.header("Content-Security-Policy") ?? ""
        #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-") && policy.contains("base-uri 'none'"))
        #expect(policy.contains("frame-ancestors 'none'") && answer.header("X-Frame-Options") == "DENY", "\(what)")
        #expect(answer.header("X-Content-Type-Options") == "nosniff" && answer.header("Cache-Control") == "no-store")
        #expect(answer.header("Referrer-Policy") == "no-referrer", "the address holds what the app sent")
    }

    @Test("The checker of these tests sees an injected tag and an injected attribute")
    func checker() {
        #expect(Self.tags("<p>a</p>") != Self.tags("<p>a<b></p>"))
        #expect(Self.tags("<p a=\"x\">") == Self.tags("<p a=\"<y>\">"))
        #expect(Self.tags("<p a=\"x\">") != Self.tags("<p a=\"x\" b=\"y\">"))
        #expect(Self.tags("<p>a</p>") != Self.tags("<p>a<\u{301}b></p>"))
    }

    @Test("Whatever a link brings along changes no tag of a page")
    func links() async throws {
        let app = try await App(try await ServiceUnderTest())
        let plain = await app.browse("GET", try app.authorizePath(["login_hint": "ada"]))
        let device = await app.browse("GET", "/oauth2/device?user_code=BBBB-BBBB")
        let stay = await app.browse("GET", try app.authorizePath(["client_id": "unknown"]))
        let signedOut = await app.browse("GET", "/oauth2/logout")
        for payload in Self.payloads {
            for name in ["login_hint", "state", "nonce", "ui_locales", "acr_values", "uri", payload] {
                // The name is in the page already where there is no hint, and then another field has the focus.
                let hint = name == "login_hint" ? [:] : ["login_hint": "ada"]
                let changes = hint.merging([name: payload]) { $1 }.mapValues { Optional($0) }
                check(await app.browse("GET", try app.authorizePath(changes)), like: plain, "\(name)=\(payload)")
            }
            for name in ["client_id", "redirect_uri"] {
                let answer = await app.browse("GET", try app.authorizePath([name: payload]))
                #expect(answer.status == 400 && Self.tags(answer.text) == Self.tags(stay.text), "\(name)=\(payload)")
            }
            check(
                await app.browse("GET", "/oauth2/device?" + App.encoded([("user_code", payload)])), like: device,
                "user_code=\(payload)")
            let left = await app.browse("GET", "/oauth2/logout?" + App.encoded([("state", payload)]))
            check(left, like: signedOut, "logout state=\(payload)")
            for name in ["id_token_hint", "client_id", "post_logout_redirect_uri"] {
                let answer = await app.browse("GET", "/oauth2/logout?" + App.encoded([(name, payload)]))
                #expect(Self.tags(answer.text) == Self.tags(stay.text) || answer.status == 200, "\(name)=\(payload)")
                #expect(!answer.text.contains("<b>") && !answer.text.contains("<script"), "\(name)=\(payload)")
            }
        }
    }

    @Test("Whatever somebody types changes no tag of the page that is shown again")
    func typed() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let page = await app.browse("GET", try app.authorizePath())
        let plain = try await app.signIn(on: page, as: "ada", password: "wrong")
        for (index, payload) in Self.payloads.enumerated() {
            let form = [("username", payload), ("password", payload)]
            let answer = await service.send(
                "POST", "/oauth2/authorize", nil,
                Array(App.encoded([("request", try App.sealed(page))] + form).utf8),
                headers: [
                    ("Content-Type", "application/x-www-form-urlencoded"),
                    ("Cookie", "__Host-roster_visit=" + (app.cookie("__Host-roster_visit") ?? "")),
                ], clientAddress: "10.0.0.\(index)")
            #expect(answer.status == 401)
            check(answer, like: plain, payload)
        }
        let wrong = await app.browse("POST", "/oauth2/device", form: [("<b>", "<b>")])
        #expect(wrong.status == 400 && !wrong.text.contains("<b>"))
    }

    @Test("An app's name, a scope and a user's name are shown as text")
    func names() async throws {
        let service = try await ServiceUnderTest()
        let plainApp = try await App(service, named: "plain", ["consent": true])
        let plain = await plainApp.browse("GET", try plainApp.authorizePath())
        let plainConsent = try await plainApp.signIn(on: plain)
        var made = 0
        for payload in Self.payloads {
            guard let app = try? await App(service, named: payload, ["consent": true]) else { continue }
            made += 1
            let page = await app.browse("GET", try app.authorizePath())
            check(page, like: plain, payload)
            check(try await app.signIn(on: page), like: plainConsent, payload)
        }
        #expect(made > 5, "names with markup in them can be made")
        let scopes = ["<b>x</b>", "'onclick=x"]
        let app = try await App(
            service, named: "scopes", ["consent": true, "scope": .string("a b " + scopes.joined(separator: " "))])
        let two = try await app.signIn(on: await app.browse("GET", try app.authorizePath(["scope": "a b"])))
        let asked = await app.browse("GET", try app.authorizePath(["scope": scopes.joined(separator: " ")]))
        check(asked, like: two, "scopes")
    }

    @Test("An error that an app is told stands in its address as text, and names nothing that was sent")
    func errors() async throws {
        let app = try await App(try await ServiceUnderTest())
        for payload in Self.payloads {
            for name in ["response_type", "scope", "prompt", "max_age", "code_challenge", "response_mode"] {
                let answer = await app.browse("GET", try app.authorizePath([name: payload]))
                guard let location = answer.header("Location") else { continue }
                #expect(!location.contains("<") && !location.contains("\"") && !location.contains("'"), "\(location)")
                #expect(App.sent(answer)["error_description"]?.contains(payload) == false, "\(name)=\(payload)")
            }
            for (name, value) in [("grant_type", payload), (payload, "x"), ("grant_type", "<b>")] {
                let answer = await app.post("/oauth2/token", [(name, value)])
                #expect(answer.header("Content-Type") == "application/json", "never a page")
                #expect(answer["error_description"]?.text?.contains(payload) != true)
            }
        }
    }
}
