import Foundation
import Roster
import RosterFixtures
import RosterText
import Synchronization
import Testing
import TestSupport

@Suite("Imports in steps", .timeLimit(.minutes(5)))
struct SteppedImportTests {
    private static func table(_ rows: [(uid: String, manager: String?)]) -> Data {
        let lines = rows.map { "\($0.uid),\($0.uid)@x.org,\($0.manager ?? "-")" }
        return Data((["uid,mail,manager"] + lines).joined(separator: "\n").utf8)
    }

    private static var options: ImportOptions {
        var options = ImportOptions(format: .csv)
        options.noManager = ["-"]
        return options
    }

    /// The directory's people with their managers, in the order of their names.
    private static func people(_ directory: Directory) throws -> [String] {
        let users = try directory.unrestricted.users.search(Search(pageSize: 10_000)).elements
        let names = Dictionary(uniqueKeysWithValues: users.map { ($0.id, $0.uid) })
        return users.map { user in
            let manager = user.managerID.flatMap { names[$0] } ?? ""
            return "\(user.uid) \(user.isActive) \(user["mail"]?.text ?? "") \(manager)"
        }.sorted()
    }

    @Test(
        "Steps lead to what one transaction leads to, also when all reporting lines turn around",
        arguments: Place.allCases)
    func isTheSame(place: Place) async throws {
        let count = 1_500
        let first = Self.table((0..<count).map { ("u\($0)", $0 == 0 ? nil : "u\(($0 - 1) / 2)") })
        // The last one is on top now, and managers come later in the file.
        let second = Self.table(
            (0..<count).map { ("u\($0)", $0 == count - 1 ? nil : "u\(min(count - 1, $0 * 2 + 1))") })
        try await withDirectory(place) { (stepped: Directory) async throws in
            try await withDirectory(place) { (whole: Directory) async throws in
                for data in [first, second, second] {
                    let (view, other) = (stepped.unrestricted, whole.unrestricted)
                    let report = try await view.importInSteps(from: data, named: "hr.csv", options: Self.options)
                    let expected = try await other.importPeople(from: data, named: "hr.csv", options: Self.options)
                    #expect(report == expected)
                    #expect(try Self.people(stepped) == Self.people(whole))
                }
                #expect(try await stepped.unrestricted.check().isEmpty)
            }
        }
    }

    @Test("Others write between the steps of an import", arguments: Place.allCases)
    func othersWrite(place: Place) async throws {
        try await withDirectory(place) { (directory: Directory) async throws in
            let view = directory.unrestricted
            try await view.users.create("other")
            let data = Self.table((0..<3_000).map { ("u\($0)", nil) })
            let steps = Locked<[Int]>([])
            let report = try await view.importInSteps(from: data, named: "hr.csv", options: Self.options) { rows in
                steps.withLock { $0.append(rows) }
                // A change within the import's own transaction would throw.
                _ = try? view.users.modify("other", [.set("title", .string("\(rows)"))])
            }
            #expect(report.users.created == 3_000)
            let kept = steps.withLock { $0 }
            #expect(kept.count > 3 && kept == kept.sorted() && kept.last == 3_000)
            #expect(try await view.users.user("other").version > 3)
        }
    }

    @Test(
        "An import that stops tells how many rows are kept, and the same file again finishes", arguments: Place.allCases
    )
    func stops(place: Place) async throws {
        try await withDirectory(place) { (directory: Directory) async throws in
            let view = directory.unrestricted
            try await view.users.create("taken", attributes: ["mail": "same@x.org"])
            var rows = (0..<2_000).map { (uid: "u\($0)", manager: Optional("u\($0 / 2 + 1)")) }
            rows[0].manager = nil
            rows[1].manager = "u0"
            rows[2].manager = "u0"
            let good = Self.table(rows)
            let bad = Data((String(decoding: good, as: UTF8.self) + "\nbad\u{1},x@x.org,-").utf8)
            let error = try #require(
                await #expect(throws: DirectoryError.self) {
                    try await view.importInSteps(from: bad, named: "hr.csv", options: Self.options)
                })
            #expect(error.place?.line == 2_002)
            let kept = try await view.users.count() - 1
            #expect(kept > 0 && kept <= 2_000)
            #expect(error.advice?.contains("The first \(kept) rows of the file are kept.") == true, "\(error)")
            let again = try await view.importInSteps(from: good, named: "hr.csv", options: Self.options)
            #expect(again.users.created == 2_000 - kept)
            #expect(try await view.users.manager(of: "u1999")?.uid == "u1000")
        }
    }

    @Test("A cancelled import keeps its finished steps", arguments: Place.allCases)
    func isCancelled(place: Place) async throws {
        try await withDirectory(place) { (directory: Directory) async throws in
            let view = directory.unrestricted
            let data = Self.table((0..<5_000).map { ("u\($0)", nil) })
            let kept = Locked(0)
            let task = Task {
                try await view.importInSteps(from: data, named: "hr.csv", options: Self.options) { rows in
                    kept.withLock { $0 = rows }
                    withUnsafeCurrentTask { $0?.cancel() }
                }
            }
            await #expect(throws: (any Error).self) { try await task.value }
            let count = kept.withLock { $0 }
            #expect(count > 0 && count < 5_000)
            #expect(try await view.users.count() == count)
        }
    }

    @Test("Leavers are disabled after all rows, and roles get their members", arguments: Place.allCases)
    func ends(place: Place) async throws {
        try await withDirectory(place) { (directory: Directory) async throws in
            let view = directory.unrestricted
            for name in ["ann", "ben", "cid"] {
                try await view.users.create(name, attributes: ["department": "Sales"])
            }
            var options = ImportOptions(format: .csv, grants: .roles)
            options.leavers = .init(scope: .compare(AttributePath("department"), .equal, "Sales"), most: 1)
            let data = Data("uid,memberOf\nann,sales\nben,sales".utf8)
            let report = try await view.importInSteps(from: data, named: "hr.csv", options: options)
            #expect(report.disabled == 1)
            #expect(try await !view.users.user("cid").isActive)
            #expect(try await view.roles.userCount(of: "sales") == 2)
            options.leavers?.most = 0
            await #expect(throws: DirectoryError.self) {
                try await view.importInSteps(from: Data("uid\nann".utf8), named: "hr.csv", options: options)
            }
            #expect(try await view.users.user("ben").isActive)
        }
    }

    @Test("A seed is imported in steps like a table")
    func seeds() async throws {
        try await withDirectory(.usual) { (directory: Directory) async throws in
            let view = directory.unrestricted
            let seed = """
                {"attributes": [{"name": "badge", "type": "integer"}],
                 "people": [{"uid": "ann", "badge": 1, "manager": "ben"}, {"uid": "ben", "badge": 2}],
                 "roles": [{"name": "team", "members": ["ann", "ben"]}]}
                """
            let options = ImportOptions(format: .json, grants: .roles)
            let report = try await view.importInSteps(from: Data(seed.utf8), named: "seed", options: options)
            #expect(report.users.created == 2)
            #expect(try await view.users.user("ann")["badge"] == 1)
            #expect(try await view.users.manager(of: "ann")?.uid == "ben")
            #expect(try await view.roles.userCount(of: "team") == 2)
        }
    }
}
