public import Foundation
public import Roster

/// Directories for tests, in one line each: `let directory = try Fixtures.company()`.
///
/// Each call returns a new directory in memory, always with the same users, identifiers and times.
public enum Fixtures {
    /// The moment at which every fixture was created, and at which its clock stays: 1 January 2026, 09:00 UTC.
    public static let moment = Date(timeIntervalSince1970: 1_767_258_000)

    /// The small company of `Seeds/company.json`: some 40 users in five levels, nested roles, a vacancy and a disabled
    /// account. The first call reads the seed; later calls copy the result, in well under two milliseconds.
    public static func company() throws -> Directory {
        try Directory.inMemory(image: try companyImage.get(), clock: { moment })
    }

    /// An empty directory with a fixed clock.
    public static func empty() throws -> Directory { try Directory.inMemory(clock: { moment }) }

    /// A directory with a generated organisation; see ``OrganizationGenerator``.
    public static func organization(people: Int, seedNumber: UInt64) throws -> Directory {
        let directory = try empty()
        try OrganizationGenerator(people: people, seedNumber: seedNumber).load(into: directory.unrestricted)
        return directory
    }

    /// The folder of seeds that belongs to the package.
    public static var seeds: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Seeds")
    }

    /// The image is created once, because creating a schema takes longer than copying a small directory.
    private static let companyImage = Result {
        let directory = try empty()
        try directory.unrestricted.load(Seed(contentsOf: seeds.appendingPathComponent("company.json")))
        return try directory.memoryImage()
    }
}
