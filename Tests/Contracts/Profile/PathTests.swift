import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("The two paths of profiles and of the feed")
struct PathTests {
    private static let dialect = "/oic_rest/rest/userprofile"

    @Test("Both paths give the same answers, each with links on its own path")
    func same() async throws {
        let service = try await ServiceUnderTest()
        let paths = [
            "/people/emma.mueller", "/people/emma.mueller?prefetch=manager,reports", "/people?pagesize=3",
            "/people/kenji.sato/reports", "/people/kenji.sato/reports?scope=all&pagesize=2", "/groups/engineering",
            "/groups/engineering/members?pagesize=2", "/groups?pagesize=2", "/people/emma.mueller/manager/haruka.ito",
        ]
        for path in paths {
            let old = await service.request("GET", Self.dialect + path)
            let new = await service.request("GET", "/profile/v1" + path)
            #expect(old.status == new.status && old.text.contains(Self.dialect) == new.text.contains("/profile/v1"))
            // Cursors are sealed, and no two of them are alike.
            let texts = [old, new].map { $0.text.replacing(#/cursor=[^"]*/#, with: "cursor") }
            #expect(texts[0].replacing(Self.dialect, with: "/profile/v1") == texts[1], "\(path)")
            #expect(!new.text.contains("oic_rest"), "\(path)")
        }
        let changes = await service.request("GET", "/changes?limit=2")
        #expect(changes["next"]?.text == "/changes?since=\(changes["last"]?.written ?? "")&limit=2", "\(changes.text)")
        let old = await service.request("GET", Self.dialect + "/changes?limit=2")
        #expect(old["elements"] == changes["elements"])
        #expect(old["next"]?.text == Self.dialect + (changes["next"]?.text ?? ""))
    }

    @Test("What is made on the own path has its address there, and errors are problems")
    func made() async throws {
        let service = try await ServiceUnderTest()
        let made = await service.request("POST", "/profile/v1/people", ["uid": "new.one", "lastname": "One"])
        #expect(made.status == 201 && made.header("Location")?.hasSuffix("/profile/v1/people/new.one") == true)
        let related = await service.request(
            "POST", "/profile/v1/people/new.one/manager", ["manager-uri": "/profile/v1/people/kenji.sato"])
        #expect(related.status == 201, "\(related.text)")
        #expect(related["uri"] == "/profile/v1/people/new.one/manager/kenji.sato", "\(related.text)")
        let missing = await service.request("GET", "/profile/v1/people/nobody.here")
        #expect(missing.status == 404 && missing.header("Content-Type") == "application/problem+json")
        #expect(missing["detail"] != nil && missing["oicErrorCode"] == nil, "\(missing.text)")
        let old = await service.request("GET", Self.dialect + "/people/nobody.here")
        #expect(old.status == 404 && old["oicErrorCode"] != nil && old["detail"] == nil, "\(old.text)")
    }
}
