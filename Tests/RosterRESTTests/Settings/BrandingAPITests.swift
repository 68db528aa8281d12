import Foundation
import RosterREST
import RosterText
import ServiceTestSupport
import Testing

@Suite("The organization's name, colour and logo over HTTP")
struct BrandingAPITests {
    /// A PNG of 32 by 32 pixels, as far as its header.
    private static let png =
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
        + [0, 0, 0, 32, 0, 0, 0, 32] + [UInt8](repeating: 0, count: 20)

    private func get(_ path: String, _ service: ServiceUnderTest, _ known: String? = nil) async -> HTTPResponse {
        var headers: HTTPHeaders = [:]
        if let known { headers.add("If-None-Match", known) }
        return await service.respond(to: HTTPRequest("GET", path, headers: headers))
    }

    private func text(_ response: HTTPResponse) -> String {
        guard case .bytes(let bytes) = response.body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("Everybody reads it, with a tag that changes with it; only administrators set it")
    func reading() async throws {
        let service = try await ServiceUnderTest()
        let before = await get("/branding", service)
        let tag = try #require(before.headers["ETag"])
        #expect(text(before) == #"{"name":null,"color":null,"logo":null,"shades":null}"#)
        #expect(await get("/branding", service, tag).status == 304)
        #expect(await get("/branding/logo", service).status == 404)
        #expect(text(await get("/branding/style.css", service)).isEmpty)

        let body: JSONValue = ["name": "Example Ltd.", "color": "#FFCC00", "logo": .string(Base64.text(Self.png))]
        for client in [Client.person, .manager, .provisioning, .monitoring] {
            #expect(await service.request("PUT", "/admin/branding", as: client, body).status == 403)
        }
        let set = await service.request("PUT", "/admin/branding", body)
        #expect(set.status == 200 && set["name"] == "Example Ltd." && set["color"] == "#ffcc00", "\(set.text)")
        let after = await get("/branding", service, tag)
        #expect(after.status == 200 && after.headers["ETag"] != tag && after.headers["Cache-Control"] == "no-cache")

        let style = text(await get("/branding/style.css", service))
        #expect(style.contains("prefers-color-scheme: dark") && !style.contains("#ffcc00; --accent-ink: #ffffff"))
        let logo = await get("/branding/logo", service)
        #expect(logo.headers["Content-Type"] == "image/png" && logo.headers["X-Content-Type-Options"] == "nosniff")
        #expect(logo.headers["Content-Security-Policy"] == "default-src 'none'; sandbox")
        #expect(await get("/branding/logo", service, logo.headers["ETag"]).status == 304)
        #expect(await service.request("GET", "/branding/logo").status == 200)
    }

    @Test("A wrong part changes nothing, and null takes a part away")
    func refusals() async throws {
        let service = try await ServiceUnderTest()
        let svg = Base64.text(Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8))
        let wrong: [JSONValue] = [
            ["name": ""], ["name": "A\nB"], ["color": "red"], ["color": "#12345"], ["logo": .string(svg)],
            ["logo": "no base64"], ["name": "Example", "color": "url(x)"], ["title": "Example"], ["name": 7],
        ]
        for body in wrong {
            let refused = await service.request("PUT", "/admin/branding", body)
            #expect(refused.status == 400, "\(body.written): \(refused.text)")
        }
        #expect(text(await get("/branding", service)).hasPrefix(#"{"name":null,"color":null"#))
        #expect(await get("/branding?color=red", service).status == 400)
        #expect(text(await get("/branding?color=%23ff0000", service)).contains("\"shades\":{\"light\""))
        #expect(await service.request("PUT", "/admin/branding", ["name": "A", "color": "#000000"]).status == 200)
        #expect(await service.request("PUT", "/admin/branding", ["name": .null])["color"] == "#000000")
    }

    @Test(
        "The sign-in page has the name, the logo and the shades, as text and digits, and its policy allows them alone")
    func signInPage() async throws {
        let service = try await ServiceUnderTest()
        let before = await get("/oauth2/sign-in", service)
        #expect(text(before).contains("· Roster</title>") && !text(before).contains("class=\"brand\""))
        #expect(before.headers["Content-Security-Policy"]?.contains("img-src") == false)
        let body: JSONValue = ["name": "<b>A & B", "color": "#ffcc00", "logo": .string(Base64.text(Self.png))]
        #expect(await service.request("PUT", "/admin/branding", body).status == 200)
        let page = await get("/oauth2/sign-in", service)
        #expect(
            text(page).contains("· &lt;b&gt;A &amp; B</title>") && text(page).contains("<img src=\"../branding/logo"))
        let policy = try #require(page.headers["Content-Security-Policy"])
        #expect(policy.contains("img-src 'self'; ") && !policy.contains("unsafe"))
        #expect(policy != before.headers["Content-Security-Policy"], "the style has another digest")
    }
}
