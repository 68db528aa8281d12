import Foundation
import Roster
import RosterStore
import Testing
import TestSupport

/// The work of a copy, which may not grow faster than the directory, whoever manages whom.
@Suite("The work of a copy", .timeLimit(.minutes(5)))
struct CopyWorkTests {
    /// A company in which half of the managers were created after their reportees, with administrators, and members of a role.
    private static func fill(_ directory: Directory, _ count: Int) throws {
        let view = directory.unrestricted
        try view.users.load(
            (0..<count).map { number in
                NewUser("u\(number)", attributes: ["mail": .string("u\(number)@example.com"), "title": "Engineer"])
            })
        try view.roles.create("team")
        try view.roles.add((0..<count).map { .user(.named("u\($0)")) }, to: "team")
        for start in stride(from: 0, to: count, by: 100) {
            try view.write { transaction in
                for number in start..<start + 100 where number != count / 2 {
                    _ = try transaction.lines.setManager(
                        .named("u\(count / 2)"), of: .named("u\(number)"), ifVersion: nil)
                }
            }
        }
    }

    @Test("A copy takes four times the work for four times as many people", arguments: Place.allCases)
    func isLinear(place: Place) throws {
        var found: [StatementWork] = []
        for count in [500, 2_000] {
            try withDirectory(place) { (origin: Directory) throws in
                try Self.fill(origin, count)
                try withFolder { folder in
                    let copy = try Directory(at: folder.appendingPathComponent("copy.db"))
                    defer { copy.close() }
                    var tables: [CopiedTable] = []
                    found.append(try work(on: copy) { tables = try origin.copy(to: copy) })
                    #expect(tables.first { $0.name == "users" }?.rows == count)
                    #expect(try copy.unrestricted.users.user("u1").managerID != nil)
                    #expect(try copy.unrestricted.users.reportees(of: .named("u\(count / 2)"), limit: 10).count == 10)
                    #expect(try copy.unrestricted.check().isEmpty)
                }
            }
        }
        #expect(found[1].isInProportion(to: found[0]), "\(found)")
    }
}
