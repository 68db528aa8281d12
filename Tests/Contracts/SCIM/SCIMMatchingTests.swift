import RosterREST
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("SCIM: people found by words", .inBothForms)
struct SCIMMatchingTests {
    /// For tests that only read.
    private static let shared = Task { try await SCIMServer() }

    @Test(
        "People are found by words, the best first",
        arguments: [
            ("okafor gr", "grace.okafor"), ("Okafor, Grace", "grace.okafor"), ("okafro", "grace.okafor"),
            ("grace.okafor", "grace.okafor"), ("muller emma", "emma.mueller"),
        ])
    func found(words: String, name: String) async throws {
        let answer = try await Self.shared.value.get("/Users?matching=\(PercentEncoding.segment(words))")
        #expect(answer.names.first == name, "\(answer.body)")
        #expect(answer.body["totalResults"] == .integer(Int64(answer.names.count)))
        #expect(answer.body["startIndex"] == 1)
    }

    @Test("The number and the attributes are chosen; nobody is found for nothing")
    func chosen() async throws {
        let server = try await Self.shared.value
        let answer = try await server.get("/Users?matching=nordwind&count=3&attributes=title")
        #expect(answer.resources.count == 3 && answer.names.isEmpty)
        #expect(try await server.get("/Users?matching=nordwind").resources.count == 20)
        #expect(try await server.get("/Users?matching=nordwind&count=0").resources.isEmpty)
        for words in ["qqqzz", "", "%20", ",."] {
            #expect(try await server.get("/Users?matching=\(words)").resources.isEmpty)
        }
    }

    @Test(
        "What does not go with words is refused",
        arguments: [
            "matching=a&filter=title%20pr", "matching=a&sortBy=userName", "matching=a&startIndex=2",
            "matching=a&cursor=",
            "matching=a&matching=b",
        ])
    func refused(query: String) async throws {
        #expect(try await Self.shared.value.get("/Users?\(query)").status == 400)
    }

    @Test("A text of more than 256 characters is refused")
    func long() async throws {
        let text = String(repeating: "a", count: 257)
        #expect(try await Self.shared.value.get("/Users?matching=\(text)").status == 400)
    }
}
