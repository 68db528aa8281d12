import Foundation
import Roster
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Files that administrators send in parts")
struct UploadTests {
    private let type = [("Content-Type", "application/octet-stream")]

    private func upload(_ text: String, _ service: ServiceUnderTest) async throws -> String {
        let begun = await service.request("POST", "/admin/uploads")
        let id = try #require(begun.body["upload"]?.text, "\(begun.text)")
        let (first, second) = (Array(text.utf8.prefix(10)), Array(text.utf8.dropFirst(10)))
        // The first part is sent twice, as after an answer that was lost.
        for (part, place, size) in [(first, 0, 10), (first, 0, 10), (second, 10, text.utf8.count)] {
            let answer = await service.send(
                "PUT", "/admin/uploads/\(id)?at=\(place)", service.authorization(.administrator), part, headers: type)
            #expect(answer.status == 200 && answer.body["size"] == .integer(Int64(size)), "\(answer.text)")
        }
        return id
    }

    @Test("An import and a seed take a file that came in parts, once")
    func whole() async throws {
        let service = try await ServiceUnderTest()
        let people = try await upload("uid,title\nada,Lead\nbob,Engineer\n", service)
        let imported = await service.request("POST", "/admin/import?format=csv&upload=\(people)")
        #expect(imported.status == 200 && imported.body["users"]?["created"] == 2, "\(imported.text)")
        let again = await service.request("POST", "/admin/import?format=csv&upload=\(people)")
        #expect(again.status == 404 && again.text.contains("no such upload"), "\(again.text)")
        let seed = try await upload(#"{"people": [{"uid": "cleo"}]}"#, service)
        let loaded = await service.request("POST", "/admin/seed?upload=\(seed)")
        #expect(loaded.status == 200, "\(loaded.text)")
        #expect(try await service.directory.unrestricted.users.find("cleo") != nil)
    }

    @Test("A part behind the end, a body beside an upload, and an empty upload are refused, and the file stays")
    func refused() async throws {
        let service = try await ServiceUnderTest()
        let id = try await upload("uid,title\nada,Lead\n", service)
        for place in ["20", "-1", "x", "9223372036854775807"] {
            let answer = await service.send(
                "PUT", "/admin/uploads/\(id)?at=\(place)", service.authorization(.administrator), [1], headers: type)
            #expect(answer.status == 400, "\(place): \(answer.text)")
        }
        let both = await service.send(
            "POST", "/admin/import?format=csv&upload=\(id)", service.authorization(.administrator), [1], headers: type)
        #expect(both.status == 400, "\(both.text)")
        let empty = try #require(await service.request("POST", "/admin/uploads").body["upload"]?.text)
        #expect(await service.request("POST", "/admin/import?format=csv&upload=\(empty)").status == 400)
        #expect(await service.request("POST", "/admin/import?format=csv&upload=\(id)").status == 200)
    }

    @Test("A server keeps four files at a time, and a deleted one makes place for another")
    func number() async throws {
        let service = try await ServiceUnderTest()
        var ids: [String] = []
        for _ in 0..<4 {
            ids.append(try #require(await service.request("POST", "/admin/uploads").body["upload"]?.text))
        }
        #expect(await service.request("POST", "/admin/uploads").status == 429)
        #expect(await service.request("DELETE", "/admin/uploads/\(ids[0])").status == 204)
        #expect(await service.request("POST", "/admin/uploads").status == 201)
    }
}
