package import Foundation
package import Roster
import RosterFixtures
import TestSupport

/// The small company of a test of its own, in memory, or in a database of the tests' server, which is removed when the value is
/// released.
package final class CompanyDirectory: Sendable {
    package let directory: Directory
    /// The name of the database; nil in memory.
    package let database: String?
    private let drop: (@Sendable () -> Void)?

    package init(clock: @escaping @Sendable () -> Date = { Date() }) throws {
        guard PostgreSQLCluster.shared != nil else {
            directory = try Directory.inMemory(image: Fixtures.company().memoryImage(), clock: clock)
            (drop, database) = (nil, nil)
            return
        }
        (directory, database, drop) = try serverDirectory(like: "company", clock: clock) {
            let seed = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../../Seeds/company.json")
            try $0.unrestricted.load(Seed(json: Data(contentsOf: seed), name: "company.json"))
        }
    }

    /// A copy of a directory in memory, in a database of the tests' server if there is one.
    package init(copying original: Directory, clock: @escaping @Sendable () -> Date) async throws {
        guard PostgreSQLCluster.shared != nil else {
            directory = try Directory.inMemory(image: original.memoryImage(), clock: clock)
            (drop, database) = (nil, nil)
            return
        }
        (directory, database, drop) = try serverDirectory(clock: clock)
        try await original.copy(to: directory)
    }

    deinit { drop?() }
}

extension Directory {
    /// All that the directory has stored, for tests of what it must not store.
    package func storedBytes() throws -> Data {
        guard isOnServer else { return try memoryImage() }
        let inMemory = try Directory.inMemory()
        try copy(to: inMemory)
        return try inMemory.memoryImage()
    }
}
