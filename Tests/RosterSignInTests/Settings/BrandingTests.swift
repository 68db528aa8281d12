import Foundation
import Roster
import RosterFixtures
import RosterText
import Testing

@testable import RosterSignIn

@Suite("The name, the colour and the logo of the organization")
struct BrandingTests {
    private static func big(_ number: Int) -> [UInt8] { [UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)] }

    /// The beginning of a PNG of a size.
    static func png(_ width: Int, _ height: Int) -> [UInt8] {
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8) + [0, 0] + big(width)
            + [0, 0] + big(height) + [UInt8](repeating: 0, count: 20)
    }

    private static func jpeg(_ width: Int, _ height: Int) -> [UInt8] {
        [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xFF, 0xDB, 0, 3, 9, 0xFF, 0xC2, 0, 11, 8] + big(height)
            + big(width) + [1, 0, 0, 0]
    }

    private static func webP(_ form: String, _ rest: [UInt8]) -> [UInt8] {
        Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBP\(form)".utf8) + [0, 0, 0, 0] + rest
            + [UInt8](repeating: 0, count: 12)
    }

    @Test("The size of a picture is read from its header, for each type")
    func sizes() throws {
        let lossless = UInt32(300 - 1) | UInt32(200 - 1) << 14
        let pictures: [(bytes: [UInt8], type: String)] = [
            (Self.png(300, 200), "image/png"), (Self.jpeg(300, 200), "image/jpeg"),
            (Self.webP("VP8 ", [0, 0, 0, 0x9D, 0x01, 0x2A, 44, 1, 200, 0]), "image/webp"),
            (Self.webP("VP8L", [0x2F] + (0..<4).map { UInt8(lossless >> ($0 * 8) & 0xFF) }), "image/webp"),
            (Self.webP("VP8X", [0, 0, 0, 0, 43, 1, 0, 199, 0, 0]), "image/webp"),
        ]
        for (bytes, type) in pictures {
            let logo = try #require(Branding.Logo(bytes), "\(type)")
            #expect((logo.mediaType, logo.width, logo.height) == (type, 300, 200))
            for count in 0..<bytes.count { _ = Branding.Logo(Array(bytes.prefix(count))) }
        }
    }

    @Test("An SVG, a GIF, a page, a picture with a side too long or too short, and one of many bytes are no logo")
    func refusedPictures() {
        let refused: [[UInt8]] = [
            Array("<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"alert(1)\"/>".utf8), Array("GIF89a".utf8),
            Array("<!doctype html>".utf8) + Self.png(300, 200), Self.png(15, 200), Self.png(300, 2_049), [],
            Self.png(300, 200) + [UInt8](repeating: 0, count: Branding.Logo.maximumBytes),
            [0xFF, 0xD8, 0xFF, 0xE0, 0, 0], [0xFF, 0xD8] + [UInt8](repeating: 0xFF, count: 60_000),
        ]
        for bytes in refused { #expect(Branding.Logo(bytes) == nil) }
    }

    @Test("A colour is # with six digits, and nothing else")
    func colors() {
        #expect(Branding.Color("#1F5fbf")?.text == "#1f5fbf")
        let refused = [
            "1f5fbf", "#1f5fb", "#1f5fbf0", "#+f5fbf", "#-00000", "#1f5fbg", "red", "", "#１２３４５６", "#1f5fbf;",
        ]
        for text in refused { #expect(Branding.Color(text) == nil, "\(text)") }
    }

    @Test("A name has 1 to 100 characters, and none that controls, turns around or hides text")
    func names() throws {
        let policy = ServicePolicy.organizationName
        for name in ["A", "Brandt & Söhne GmbH", "株式会社サンプル", String(repeating: "a", count: 100), "<b>"] {
            #expect(try policy.organizationName(.string(name)) == name)
        }
        let refused = [
            "", " ", " A", "A ", "A\nB", "A\u{0}", "A\u{202E}B", "A\u{200B}B", "A\u{2028}B",
            String(repeating: "a", count: 101),
        ]
        for name in refused {
            #expect(throws: DirectoryError.self, "\(name)") { try policy.organizationName(.string(name)) }
        }
        #expect(throws: DirectoryError.self) { try policy.organizationName(7) }
    }

    @Test("Branding is stored as policies are, applies at once, and the feed does not have the logo's bytes")
    func stored() async throws {
        let directory = try Fixtures.company()
        let settings = try SignIn(directory, issuer: "https://id.example.com").oauth.settings
        let view = directory.unrestricted
        #expect(settings.current.branding == Branding() && settings.current.branding.title == "Roster")
        let logo = Base64.text(Self.png(300, 200))
        try await settings.store(
            policies: [
                .init("organization_name", "Example Ltd."), .init("organization_color", "#AA0000"),
                .init("organization_logo", .string(logo)),
            ], in: view)
        let branding = settings.current.branding
        #expect(branding.title == "Example Ltd." && branding.color?.text == "#aa0000" && branding.logo?.width == 300)
        let feed = try await view.changes.since(0).compactMap { $0.after["value"]?.text }
        #expect(feed.contains { $0.contains("Example Ltd.") } && !feed.contains { $0.contains(logo.prefix(40)) })
        await #expect(throws: DirectoryError.self) {
            try await settings.store(
                policies: [.init("organization_name", "Other"), .init("organization_color", "red")], in: view)
        }
        #expect(settings.current.branding == branding)
        try await settings.store(policies: [.init("organization_logo", .null)], in: view)
        #expect(settings.current.branding.logo == nil && settings.current.branding.name == "Example Ltd.")
    }

    @Test("The feed tells which views there are for everybody, and not their states")
    func views() async throws {
        let directory = try Fixtures.company()
        let settings = try SignIn(directory, issuer: "https://id.example.com").oauth.settings
        let view = directory.unrestricted
        #expect(try await settings.save("Leads", state: "q=a-long-state", in: view))
        #expect(try await settings.save("Heads", state: "q=head", former: "Leads", in: view))
        let feed = try await view.changes.since(0).compactMap { $0.after["value"]?.text }
        #expect(feed.contains { $0.contains("Leads") } && feed.contains { $0.contains("Heads") })
        #expect(!feed.contains { $0.contains("a-long-state") })
    }
}
