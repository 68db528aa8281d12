import Foundation
import Roster
import RosterREST
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Ten thousand callers at once", .timeLimit(.minutes(5)))
struct ManyCallersTests {
    /// The pages of memory that the process holds, in bytes; nil where the system does not say.
    private static func residentBytes() -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 4_096 }
    }

    @Test("Each gets an answer: what was asked for, or that there are too many; what was acknowledged is there")
    func tenThousand() async throws {
        let service = try await ServiceUnderTest()
        let before = Self.residentBytes()
        let created = try await withThrowingTaskGroup(of: (name: String, status: Int).self) { group in
            for number in 0..<10_000 {
                group.addTask {
                    switch number % 10 {
                    case 0:
                        let name = "caller\(number)"
                        return (
                            name,
                            await service.request("POST", "people", as: .provisioning, ["uid": .string(name)]).status
                        )
                    case 1:
                        let path = "/scim/v2/Users?filter=title%20co%20%22lead%22&count=5"
                        return ("", await service.request("GET", path, as: .tokenAdministrator).status)
                    default:
                        return ("", await service.request("GET", "people/tom.evans", as: .tokenAdministrator).status)
                    }
                }
            }
            var created: [String] = []
            for try await (name, status) in group {
                #expect([200, 201, 429, 503].contains(status), "\(status)")
                if status == 201 { created.append(name) }
            }
            return created
        }
        #expect(!created.isEmpty)
        for name in created { #expect(await service.request("GET", "people/\(name)").status == 200) }
        #expect(try await service.directory.unrestricted.check().isEmpty)
        if let before, let after = Self.residentBytes() {
            #expect(after - before < 256 << 20, "\(after - before) bytes")
        }
    }
}
