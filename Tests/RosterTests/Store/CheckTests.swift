import Foundation
import Roster
import RosterStore
import Testing
import TestSupport

@Suite("The check of a directory", .timeLimit(.minutes(5)))
struct CheckTests {
    private static func fill(_ directory: Directory, _ count: Int) throws {
        let view = directory.unrestricted
        try view.users.load(
            (0..<count).map { NewUser("u\($0)", attributes: ["title": "T"], manager: $0 == 0 ? nil : .named("u0")) })
        for number in 0..<20 { try view.roles.create("r\(number)", attributes: ["description": "D"]) }
        try view.users.modify("u1", attributes: ["uid": "renamed"])
        try view.roles.delete("r1")
        try view.users.delete("u2")
    }

    @Test("A check of a directory in order finds nothing, with work in proportion to it", arguments: Place.allCases)
    func isLinear(place: Place) throws {
        var found: [StatementWork] = []
        for count in [1_000, 4_000] {
            try withDirectory(place) { (directory: Directory) throws in
                try Self.fill(directory, count)
                var problems = ["not checked"]
                found.append(try work(on: directory) { problems = try directory.unrestricted.check() })
                #expect(problems.isEmpty)
            }
        }
        #expect(found[1].isInProportion(to: found[0]), "\(found)")
    }

    @Test(
        "A user or a role that the feed does not know, or knows otherwise, is found", arguments: Place.allCases,
        [
            ("DELETE FROM change WHERE kind = 3 AND entity = 1", "was deleted"),
            ("DELETE FROM change WHERE kind = 3 AND entity = 2", "was deleted"),
            ("UPDATE users SET name = 'other' WHERE name = 'renamed'", "another state"),
            ("UPDATE role SET description_key = 'other' WHERE name = 'r2'", "search keys of role 'r2'"),
        ])
    func findsDamage(place: Place, damage: (String, String)) throws {
        let (statement, words) = damage
        try withDirectory(place) { (directory: Directory) throws in
            try Self.fill(directory, 10)
            try directory.unrestricted.write { transaction in
                try transaction.connection.run(script: statement)
            }
            let problems = try directory.unrestricted.check()
            #expect(problems.contains { $0.contains(words) }, "\(problems)")
        }
    }
}
