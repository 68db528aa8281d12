internal import CSeeds
public import Foundation
public import Roster

/// Directories for tests, in one line each: `let directory = try Fixtures.company()`.
///
/// Each call returns a new directory in memory, always with the same users, identifiers and times. The seed of the company is
/// compiled in, so that a test finds it on every device and wherever its bundle was moved.
public enum Fixtures {
    /// The moment at which every fixture was created, and at which its clock stays unless a test brings its own: 1 January
    /// 2026, 09:00 UTC.
    public static let moment = Date(timeIntervalSince1970: 1_767_258_000)

    /// The small company of `Seeds/company.json`: some 40 users in five levels, nested roles, a vacancy and a disabled
    /// account. The first call reads the seed; later calls copy the result, in well under two milliseconds.
    ///
    /// - Parameter clock: The source of the time of later changes.
    public static func company(clock: @escaping @Sendable () -> Date = { moment }) throws -> Directory {
        try Directory.inMemory(image: try companyImage.get(), clock: clock)
    }

    /// An empty directory.
    ///
    /// - Parameter clock: The source of the time.
    public static func empty(clock: @escaping @Sendable () -> Date = { moment }) throws -> Directory {
        try Directory.inMemory(clock: clock)
    }

    /// A directory with the users and roles of a seed.
    ///
    /// Passwords in plain text are refused, because only the sign-in module can hash them: `SignIn.forTests(_:seed:)` loads such
    /// a seed.
    ///
    /// - Parameters:
    ///   - seed: The text of a seed, as `Seeds/seed.schema.json` describes it.
    ///   - clock: The source of the time.
    /// - Throws: `DirectoryError` `invalidInput` with the line and the field if the seed cannot be loaded.
    public static func directory(
        seed: String, clock: @escaping @Sendable () -> Date = { moment }
    ) throws -> Directory {
        let directory = try empty(clock: clock)
        try directory.unrestricted.load(Seed(json: Data(seed.utf8), name: "seed"))
        return directory
    }

    /// A directory with a generated organisation; see ``OrganizationGenerator``.
    public static func organization(
        people: Int, seedNumber: UInt64, clock: @escaping @Sendable () -> Date = { moment }
    ) throws -> Directory {
        let directory = try empty(clock: clock)
        try OrganizationGenerator(people: people, seedNumber: seedNumber).load(into: directory.unrestricted)
        return directory
    }

    /// The image is created once, because creating a schema takes longer than copying a small directory.
    private static let companyImage = Result {
        var size = 0
        let start = roster_company_seed(&size)
        let seed = Data(UnsafeRawBufferPointer(start: start, count: size))
        let directory = try empty()
        try directory.unrestricted.load(Seed(json: seed, name: "company.json"))
        return try directory.memoryImage()
    }
}
