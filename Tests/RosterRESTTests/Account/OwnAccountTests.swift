import Foundation
import Roster
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("One's own account over HTTP")
struct OwnAccountTests {
    private static let base = "/mobile/platform/users/~"
    private let service: ServiceUnderTest
    private let app: App

    init() async throws {
        service = try await ServiceUnderTest()
        app = try await App(service)
    }

    /// Signs the engineer in at the page's sign-in page, as a browser does.
    private func signedIn(view: String = "account") async throws -> Answer {
        app.forgetCookies()
        let page = await app.browse("GET", "/oauth2/sign-in?view=\(view)")
        return try await app.bring(
            page, to: "/oauth2/sign-in",
            [("username", ServiceUnderTest.engineer), ("password", ServiceUnderTest.password)])
    }

    /// The browser's session as a field of a request.
    private var cookieField: String? { app.cookie("__Host-roster_session").map { "__Host-roster_session=\($0)" } }

    @Test("The sign-in page leads to the view that was asked for, and its session opens all interfaces")
    func entering() async throws {
        let answer = try await signedIn(view: "user/abc")
        #expect(answer.status == 303 && answer.header("Location") == "../#user/abc")
        #expect(await app.browse("GET", "/scim/v2/Me").body["userName"]?.text == ServiceUnderTest.engineer)
        #expect(await app.browse("GET", Self.base + "/account").body["signed_in_recently"] == true)
        // With a session nothing is asked again, unless the page wants the password once more.
        #expect(await app.browse("GET", "/oauth2/sign-in?view=account").header("Location") == "../#account")
        #expect(await app.browse("GET", "/oauth2/sign-in?view=account&again=1").text.contains("name=\"password\""))
    }

    @Test(
        "The sign-in page leads nowhere but to the page",
        arguments: [
            "//evil.example", "javascript:alert(1)", "<script>", "%0d%0a", "@evil.example",
            String(repeating: "a", count: 600),
        ])
    func elsewhere(view: String) async throws {
        let answer = try await signedIn(view: PercentEncoding.segment(view))
        let place = try #require(answer.header("Location"))
        #expect(
            place == "../" || place.hasPrefix("../#") && !place.contains(where: { "\r\n<:@".contains($0) }), "\(place)")
    }

    @Test("The session of the sign-in pages is refused to pages of other origins, also of allowed ones")
    func foreignPages() async throws {
        _ = try await signedIn()
        let cookie = ("Cookie", try #require(cookieField))
        for headers in [
            [("Origin", "https://elsewhere.example")], [("Sec-Fetch-Site", "cross-site")],
            [("Sec-Fetch-Site", "same-site")],
        ] {
            let answer = await service.send("GET", "/scim/v2/Me", nil, headers: [cookie] + headers)
            #expect(answer.status == 400, "\(headers)")
        }
        #expect(
            await service.send("GET", "/scim/v2/Me", nil, headers: [cookie, ("Sec-Fetch-Site", "same-origin")]).status
                == 200)
    }

    @Test("A session that begins with the one of the sign-in pages is as old as that one")
    func noFreshPresence() async throws {
        _ = try await signedIn()
        service.clock.advance(by: 400)
        let begun = await service.send("POST", "/db/_session", nil, headers: [("Cookie", try #require(cookieField))])
        let cookie = try #require(begun.header("Set-Cookie")).prefix { $0 != ";" }
        let account = await service.send("GET", Self.base + "/account", nil, headers: [("Cookie", String(cookie))])
        #expect(account.body["signed_in_recently"] == false, "\(account.text)")
        #expect(
            await service.send("POST", Self.base + "/totp", nil, headers: [("Cookie", String(cookie))]).status == 401)
    }

    @Test("A user sees and ends the own sessions and nobody else's")
    func sessions() async throws {
        _ = try await signedIn()
        let other = try await Visitor(service, ServiceUnderTest.engineer)
        let stranger = try await Visitor(service, ServiceUnderTest.lead)
        let sessions = await app.browse("GET", Self.base + "/sessions").body["sessions"]?.elements ?? []
        #expect(sessions.count == 2 && sessions.filter { $0["current"] == true }.count == 1)
        let id = try #require(sessions.first { $0["current"] == false }?["id"]?.text)
        #expect(await stranger.request("DELETE", Self.base + "/sessions/" + id).status == 404)
        #expect(await other.request("GET", "/scim/v2/Me").status == 200)
        #expect(await app.browse("DELETE", Self.base + "/sessions/" + id).status == 204)
        #expect(await other.request("GET", "/scim/v2/Me").status == 401)
        let third = try await Visitor(service, ServiceUnderTest.engineer)
        #expect(await app.browse("DELETE", Self.base + "/sessions").status == 204)
        #expect(await third.request("GET", "/scim/v2/Me").status == 401)
        #expect(await stranger.request("GET", "/scim/v2/Me").status == 200)
        #expect(await app.browse("DELETE", Self.base + "/sessions/current").status == 204)
        #expect(await app.browse("GET", "/scim/v2/Me").status == 401)
    }

    @Test("The identifier of a session is no credential")
    func identifiers() async throws {
        _ = try await signedIn()
        let sessions = await app.browse("GET", Self.base + "/sessions").body["sessions"]?.elements ?? []
        let id = try #require(sessions.first?["id"]?.text)
        for name in ["roster_session", "__Host-roster_session", "SyncGatewaySession"] {
            #expect(await service.send("GET", "/scim/v2/Me", nil, headers: [("Cookie", "\(name)=\(id)")]).status == 401)
        }
    }

    @Test("An app that got a token without the right scope learns nothing of the account")
    func apps() async throws {
        for path in ["/account", "/sessions", "/apps", "/export"] {
            #expect(await service.request("GET", Self.base + path, as: .nobody).status == 401)
            #expect(await service.request("GET", Self.base + path, as: .disabled).status == 401)
            #expect(await service.request("GET", Self.base + path, as: .provisioning).status == 404, "\(path)")
            #expect(await service.request("GET", Self.base + path, as: .person).status == 200, "\(path)")
        }
    }

    @Test("What is kept about a user has what the user may read, and no secret")
    func export() async throws {
        _ = try await signedIn()
        let manager = ServiceUnderTest.lead
        _ = await service.request(
            "PUT", "/forms/\(ServiceUnderTest.engineer)", ["hireDate": "2020-01-01", "gender": "x"])
        let answer = await app.browse("GET", Self.base + "/export")
        let data = answer.body
        #expect(data["profile"]?["uid"]?.text == ServiceUnderTest.engineer && data["manager"]?.text == manager)
        #expect(data["profile"]?["attributes"]?["gender"]?.text == "x")
        #expect((data["sessions"]?.elements.count ?? 0) == 1 && !(data["roles"]?.elements ?? []).isEmpty)
        #expect(
            !answer.text.contains("$argon2") && !answer.text.contains("$scrypt")
                && !answer.text.contains(ServiceUnderTest.password))
        #expect(!answer.text.contains("root"), "another actor's name")
        let kinds = Set((data["changes"]?.elements ?? []).compactMap { $0["kind"]?.text })
        #expect(kinds.contains("modified"), "\(kinds)")
    }

    @Test("A second factor is asked for in a second step, which cannot be taken twice or by another browser")
    func secondStep() async throws {
        let user = ServiceUnderTest.engineer
        let begun = await service.request("POST", Self.base + "/totp", as: .person)
        let secret = try #require(begun["secret"]?.text.map(base32Decoded))
        func code(_ step: Int64) throws -> String {
            try OneTimePassword.code(secret, step: Int64(service.clock.now.timeIntervalSince1970) / 30 + step)
        }
        let confirmed = await service.request(
            "POST", Self.base + "/totp/confirm", as: .person, ["code": .string(try code(0))])
        #expect(confirmed.status == 200, "\(confirmed.text)")

        let second = try await signedIn()
        #expect(
            second.status == 401 && second.text.contains("name=\"otp\"") && !second.text.contains("name=\"password\""))
        let wrong = try await app.bring(second, to: "/oauth2/sign-in", [("otp", "000000")])
        #expect(wrong.status == 401 && wrong.text.contains("name=\"otp\"") && wrong.text.contains("role=\"alert\""))
        let right = try await app.bring(wrong, to: "/oauth2/sign-in", [("otp", try code(1))])
        #expect(right.status == 303, "\(right.text)")
        #expect(await app.browse("GET", "/scim/v2/Me").body["userName"]?.text == user)
        // The same page again, with another good code.
        service.clock.advance(by: 60)
        let again = try await app.bring(wrong, to: "/oauth2/sign-in", [("otp", try code(1))])
        #expect(again.status == 400, "\(again.text)")
        // The step ends after five minutes.
        let late = try await signedIn()
        service.clock.advance(by: 301)
        #expect(try await app.bring(late, to: "/oauth2/sign-in", [("otp", try code(1))]).status == 400)
        // Another browser has not the cookie of the visit.
        let other = try await signedIn()
        app.forgetCookies()
        #expect(try await app.bring(other, to: "/oauth2/sign-in", [("otp", try code(2))]).status == 400)
    }
}

@Suite("Forms and photos over HTTP")
struct FormTests {
    @Test(
        "A form tells for every attribute whether the caller may write it, and what it tells is true",
        arguments: [Client.person, .manager, .administrator, .provisioning])
    func writable(client: Client) async throws {
        let service = try await ServiceUnderTest()
        let form = await service.request("GET", "/forms/\(ServiceUnderTest.engineer)", as: client)
        let attributes = form.body["attributes"]?.elements ?? []
        #expect(attributes.count > 10, "\(form.text)")
        for attribute in attributes {
            let name = try #require(attribute["name"]?.text)
            #expect(!["password", "photo", "externalId"].contains(name))
            let value = attribute["value"] ?? .null
            let answer = await service.request(
                "PUT", "/forms/\(ServiceUnderTest.engineer)", as: client, .object([.init(name, value)]))
            if attribute["writable"] == true {
                #expect(answer.status == 200, "\(name): \(answer.text)")
            } else {
                #expect([400, 403].contains(answer.status), "\(name): \(answer.status)")
            }
        }
    }

    @Test("A form has the rules for new values of each attribute, and none where there is no rule")
    func rules() async throws {
        let service = try await ServiceUnderTest()
        let declared = await service.request(
            "POST", "/admin/attributes", as: .administrator,
            ["name": "desk", "pattern": "[A-Z][0-9]+", "maximumLength": 4, "unique": true])
        #expect(declared.status == 201, "\(declared.text)")
        let number = await service.request(
            "POST", "/admin/attributes", as: .administrator,
            ["name": "floor", "type": "decimal", "minimum": -2, "maximum": .decimal(8.5)])
        #expect(number.status == 201, "\(number.text)")
        let form = await service.request("GET", "/forms/\(ServiceUnderTest.engineer)", as: .administrator)
        func attribute(_ name: String) throws -> JSONValue {
            try #require(form.body["attributes"]?.elements.first { $0["name"]?.text == name })
        }
        let (desk, floor) = (try attribute("desk"), try attribute("floor"))
        #expect(desk["pattern"]?.text == "[A-Z][0-9]+" && desk["maximumLength"] == 4 && desk["unique"] == true)
        #expect(floor["minimum"] == -2 && floor["maximum"] == .decimal(8.5))
        #expect(floor["unique"] == nil && floor["pattern"] == nil)
        #expect(try attribute("hireDate")["format"]?.text == "date" && attribute("mail")["format"]?.text == "email")
        #expect(try attribute("title")["format"] == nil)
    }

    @Test("A form that is out of date changes nothing, and a password is no part of a form")
    func conditions() async throws {
        let service = try await ServiceUnderTest()
        let path = "/forms/~"
        let tag = try #require(await service.request("GET", path, as: .person).header("ETag"))
        #expect(
            await service.request("PUT", path, as: .person, ["nickName": "a"], headers: [("If-Match", tag)]).status
                == 200)
        #expect(
            await service.request("PUT", path, as: .person, ["nickName": "b"], headers: [("If-Match", tag)]).status
                == 412)
        #expect(await service.request("PUT", path, as: .person, ["password": "a horse with staples"]).status == 400)
        #expect(await service.request("PUT", path, as: .person, ["title": "Chief"]).status == 403)
        #expect(await service.request("GET", path, as: .provisioning).status == 404)
    }

    @Test(
        "Only pictures are sent as photos",
        arguments: [
            ("/9j/4AAQSkZJRg==", "image/jpeg"), ("iVBORw0KGgo=", "image/png"), ("R0lGODlh", "image/gif"),
            ("UklGRgAAAABXRUJQ", "image/webp"), ("PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+", nil), ("PGh0bWw+", nil), ("aA==", nil),
        ])
    func photos(data: String, type: String?) async throws {
        let service = try await ServiceUnderTest()
        #expect(await service.request("PUT", "/forms/~", as: .person, ["photo": .string(data)]).status == 200)
        let answer = await service.request("GET", "/photos/\(ServiceUnderTest.engineer)", as: .manager)
        #expect(answer.status == (type == nil ? 204 : 200) && answer.header("Content-Type") == type)
        #expect(answer.header("X-Content-Type-Options") == "nosniff")
        #expect(await service.request("GET", "/photos/\(ServiceUnderTest.engineer)", as: .nobody).status == 401)
        #expect(await service.request("GET", "/photos/nobody.at.all", as: .manager).status == 404)
    }
}
