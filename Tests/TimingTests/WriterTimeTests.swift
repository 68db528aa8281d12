import Foundation
import Roster
import Testing
import TestSupport

@Suite("How long one change keeps the writer", .timeLimit(.minutes(5)))
struct WriterTimeTests {
    /// The time for one change of a megabyte in an optimized program; `ROSTER_OPTIMIZED=1` has the tests hold it.
    private static let most =
        ProcessInfo.processInfo.environment["ROSTER_OPTIMIZED"] == "1" ? Duration.milliseconds(50) : nil

    @Test("Values are added and removed in time that grows with their number, not with its product with the elements")
    func values() async throws {
        let directory = try Directory.inMemory()
        try await directory.unrestricted.users.create(
            "ada", attributes: ["phoneNumbers": .list((0..<1_000).map { .string("+49 \($0)") })])
        let view = directory.acting(as: .user(try await directory.unrestricted.users.user("ada").id))
        let values = (0..<100_000).map { AttributeValue.string("n\($0)") }
        try await expectWithinRounds("removing 25,000 and 100,000 values from 1,000 elements") {
            func time(_ count: Int) throws -> Duration {
                try processorTime {
                    try view.users.modify("ada", [.remove("phoneNumbers", Array(values[..<count]))])
                }
            }
            let (quarter, whole) = (try time(25_000), try time(100_000))
            let isShort = Self.most.map { whole <= $0 } ?? true
            return (isShort && whole < quarter * 6, "\(quarter) and \(whole)")
        }
        let photos = (0..<1_000).map { number in
            AttributeValue.binary(Data(repeating: 7, count: 100) + Data("\(number)".utf8))
        }
        try await directory.unrestricted.attributes.declare(
            AttributeDefinition("badges", kind: .binary, isMultiValued: true, isSearchable: false, writers: .person))
        try await expectWithinRounds("250 and 1,000 photos that begin alike") {
            func time(_ count: Int) throws -> Duration {
                try view.users.modify("ada", [.clear("badges")])
                return try processorTime { try view.users.modify("ada", [.add("badges", Array(photos[..<count]))]) }
            }
            let (quarter, whole) = (try time(250), try time(1_000))
            return (whole < quarter * 8, "\(quarter) and \(whole)")
        }
    }
}
