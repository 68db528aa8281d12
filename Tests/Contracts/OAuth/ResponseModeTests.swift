import Foundation
import Roster
import RosterCrypto
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Response modes: query, fragment and form_post", .timeLimit(.minutes(2)), .inBothForms)
struct ResponseModeTests {
    /// The hidden fields of a page.
    private func fields(_ page: Answer) -> [String: String] {
        var fields: [String: String] = [:]
        for match in page.text.matches(of: #/<input type="hidden" name="([^"]*)" value="([^"]*)">/#) {
            fields[String(match.1)] = String(match.2)
        }
        return fields
    }

    @Test("With fragment the code comes behind a number sign, and nothing in the query")
    func fragment() async throws {
        let app = try await App(try await ServiceUnderTest())
        let back = try await app.signIn(
            on: await app.browse("GET", try app.authorizePath(["response_mode": "fragment"])))
        let parts = try #require(back.header("Location")?.split(separator: "#").map(String.init))
        #expect(back.status == 303 && parts.count == 2 && parts[0] == App.redirect)
        let sent = try #require(URLComponents(string: "x:?" + parts[1])?.queryItems)
        let code = try #require(sent.first { $0.name == "code" }?.value)
        #expect(sent.contains { $0.name == "iss" } && sent.contains { $0.name == "state" && $0.value == "the state" })
        #expect(await app.redeem(code).status == 200)
    }

    @Test("With form_post the browser posts the code, by a form that no other script can be in")
    func formPost() async throws {
        let app = try await App(try await ServiceUnderTest())
        let changes = ["response_mode": "form_post", "state": "\"><script>alert(1)</script>"]
        let page = try await app.signIn(on: await app.browse("GET", try app.authorizePath(changes)))
        #expect(page.status == 200 && page.header("Location") == nil && page.header("Cache-Control") == "no-store")
        #expect(page.text.contains("<form method=\"post\" action=\"\(App.redirect)\">"))
        #expect(!page.text.contains("alert(1)</script>"), "the state is escaped")
        let digest = Base64.text(try SHA256.digest(Array("document.forms[0].submit()".utf8)))
        #expect(page.text.contains("<script>document.forms[0].submit()</script>"))
        #expect(page.header("Content-Security-Policy")?.contains("script-src 'sha256-\(digest)'") == true)
        let fields = fields(page)
        #expect(fields["iss"] == "https://id.example.com" && fields["state"]?.contains("&lt;script&gt;") == true)
        #expect(await app.redeem(try #require(fields["code"])).status == 200)
        #expect(app.cookie("__Host-roster_session") != nil, "the session begins with this answer")
    }

    @Test("Errors go the same way as codes", arguments: ["query", "fragment", "form_post"])
    func errors(mode: String) async throws {
        let app = try await App(try await ServiceUnderTest())
        let answer = await app.browse("GET", try app.authorizePath(["response_mode": mode, "prompt": "none"]))
        switch mode {
        case "query": #expect(App.sent(answer)["error"] == "login_required")
        case "fragment": #expect(answer.header("Location")?.contains("/callback#error=login_required") == true)
        default: #expect(fields(answer)["error"] == "login_required" && fields(answer)["state"] == "the state")
        }
    }

    @Test("A page that is no form for an app allows no script")
    func noScript() async throws {
        let app = try await App(try await ServiceUnderTest())
        let page = await app.browse("GET", try app.authorizePath(["response_mode": "form_post"]))
        #expect(page.header("Content-Security-Policy")?.contains("script-src") == false)
    }

    @Test("Discovery names the modes and the one response type")
    func discovery() async throws {
        let answer = await (try await ServiceUnderTest()).send("GET", "/.well-known/openid-configuration", nil)
        #expect(answer["response_modes_supported"] == ["query", "fragment", "form_post"])
        #expect(answer["response_types_supported"] == ["code"])
    }
}
