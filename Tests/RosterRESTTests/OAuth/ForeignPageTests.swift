import Foundation
import Roster
import RosterDialects
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Requests that pages of other sites send, and codes that people type")
struct ForeignPageTests {
    private func form(_ path: String) -> [(String, String)] {
        (URLComponents(string: path)?.queryItems ?? []).map { ($0.name, $0.value ?? "") }
    }

    private func post(_ service: ServiceUnderTest, _ path: String, _ form: [(String, String)], site: String) async
        -> Answer
    {
        await service.send(
            "POST", path, nil, Array(App.encoded(form).utf8),
            headers: [("Content-Type", "application/x-www-form-urlencoded"), ("Sec-Fetch-Site", site)])
    }

    @Test("A form of another site brings no cookie: the browser asks once more with GET, and whoever is signed in is")
    func crossSite() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service, ["post_logout_redirect_uris": ["https://app.example.com/bye"]])
        let tokens = await app.redeem(try await app.code())
        let asked = await post(
            service, "/oauth2/authorize", form(try app.authorizePath(["prompt": "none"])), site: "cross-site")
        let again = try #require(asked.header("Location"))
        #expect(asked.status == 303 && again.hasPrefix("authorize?"))
        #expect(App.sent(await app.browse("GET", "/oauth2/" + again))["code"] != nil)
        let hint = try #require(tokens["id_token"]?.text)
        let left = await post(
            service, "/oauth2/logout",
            [("id_token_hint", hint), ("post_logout_redirect_uri", "https://app.example.com/bye"), ("state", "z")],
            site: "cross-site")
        #expect(left.status == 303)
        let gone = await app.browse("GET", "/oauth2/" + (try #require(left.header("Location"))))
        #expect(gone.header("Location") == "https://app.example.com/bye?state=z")
        let silent = await app.browse("GET", try app.authorizePath(["prompt": "none"]))
        #expect(App.sent(silent)["error"] == "login_required", "signed out indeed")
    }

    @Test("A form of our own site, or of a browser that does not say, is answered as it is")
    func sameSite() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let path = try app.authorizePath()
        #expect(await post(service, "/oauth2/authorize", form(path), site: "same-origin").status == 200)
        #expect(await app.post("/oauth2/authorize", form(path), authorization: .some(nil)).status == 200)
        let odd = await post(service, "/oauth2/authorize", [("a&b#c", "é d")], site: "cross-site")
        #expect(odd.header("Location") == "authorize?a%26b%23c=%C3%A9%20d", "names are encoded as values are")
        let long = [("state", String(repeating: "é", count: 2_999))]
        #expect(await post(service, "/oauth2/authorize", long, site: "cross-site").header("Location") == nil)
    }

    @Test("No other origin reads the pages, also where it may read all else (RFC 9700, section 2.6)")
    func crossOrigin() async throws {
        let directory = try Directory.inMemory()
        let parameters = PasswordParameters.forTests
        let service = RESTService(
            try ServiceContext(
                directory: directory, baseURL: "https://id.example.com",
                signIn: SignIn(directory, issuer: "https://id.example.com", passwordCost: parameters),
                crossOrigin: CrossOriginPolicy("https://app.example.com"), interfaces: .dialects))
        for (path, isOpen) in [
            ("/oauth2/jwks", true), ("/oauth2/authorize?x=y", false), ("/oauth2/logout", false),
            ("/oauth2/%61uthorize", false), ("/oauth2/device/", false),
        ] {
            for method in ["GET", "OPTIONS"] {
                var headers = HTTPHeaders()
                headers.add("Origin", "https://app.example.com")
                headers.add("Access-Control-Request-Method", "GET")
                let answer = await service.respond(to: HTTPRequest(method, path, headers: headers, body: []))
                #expect((answer.headers["Access-Control-Allow-Origin"] != nil) == isOpen, "\(method) \(path)")
                if isOpen, method == "OPTIONS" {
                    let fields = answer.headers["Access-Control-Allow-Headers"] ?? ""
                    #expect(fields.contains("Oracle-Mobile-Social-Access-Token") && fields.contains("X-IDAAS-REST"))
                }
            }
        }
    }

    @Test("The page of a device shows the code that it belongs to, and who guesses codes is slowed down")
    func deviceCodes() async throws {
        let app = try await App(try await ServiceUnderTest())
        _ = try await app.code()
        let begun = await app.post("/oauth2/device_authorization", [("scope", "openid")])
        let code = try #require(begun["user_code"]?.text)
        let shown = await app.browse("GET", "/oauth2/device?user_code=" + code)
        #expect(shown.status == 200 && shown.text.contains(code))
        let typed = await app.browse("GET", "/oauth2/device?user_code=" + code.lowercased().filter { $0 != "-" })
        #expect(typed.text.contains(code), "as the device shows it, however it was typed")
        var last: Answer?
        for number in 0..<80 where last?.status != 429 {
            // A good code now and then does not buy more guesses.
            last = await app.browse("GET", "/oauth2/device?user_code=" + (number % 4 == 3 ? code : "BCDF-BCDF"))
        }
        #expect(last?.status == 429 && last?.header("Retry-After") != nil)
    }
}
