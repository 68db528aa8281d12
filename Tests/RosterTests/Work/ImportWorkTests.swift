import Foundation
import Roster
import RosterStore
import RosterText
import Testing
import TestSupport

@Suite("The work of imports", .timeLimit(.minutes(5)))
struct ImportWorkTests {
    /// The work of some imports of everybody that change nothing.
    private func work(_ place: Place, people: Int, inSteps: Bool = false) async throws -> StatementWork {
        try await withDirectory(place) { (directory: Directory) async throws in
            try SingleWorkTests.fill(directory, people)
            let view = directory.unrestricted
            let document = Locked(Data())
            try await view.export(.csv) { piece in document.withLock { $0 += piece } }
            let data = document.withLock { $0 }
            func takeAgain() async throws {
                let options = ImportOptions(format: .csv, onBadRow: .skip, grants: .roles)
                let report = try await view.importPeople(from: data, named: "out", options: options)
                #expect(report.users.unchanged == people && report.isComplete)
            }
            try await takeAgain()
            guard place != .server else {
                var runs: [StatementWork] = []
                for _ in 0..<5 { runs.append(try await TestSupport.work(on: directory) { try await takeAgain() }) }
                return runs.sorted { $0.steps < $1.steps }[2]
            }
            // A connection of an import can end a moment after the import, and counts from then on. Of several imports together, it is a
            // small part.
            try await Task.sleep(for: .milliseconds(100))
            return try await TestSupport.work(on: directory) {
                for _ in 0..<6 { try await takeAgain() }
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    @Test("An import that changes nothing sends a server as many statements for 200 people as for 20")
    func statements() async throws {
        guard Place.allCases.contains(.server) else { return }
        let (small, large) = (try await work(.server, people: 20), try await work(.server, people: 200))
        #expect(small.statements > 0 && large.statements == small.statements, "\(small) and \(large)")
    }

    @Test(
        "An import of four times as many people that changes nothing takes four times the work",
        arguments: Place.allCases)
    func proportion(place: Place) async throws {
        let (small, large) = (try await work(place, people: 1_000), try await work(place, people: 4_000))
        #expect(large.isInProportion(to: small), "\(small) and \(large)")
    }

    @Test("A row that comes twice is refused the second time, however many rows are between", arguments: Place.allCases)
    func twins(place: Place) async throws {
        try await withDirectory(place) { (directory: Directory) async throws in
            let view = directory.unrestricted
            try await view.users.load((0..<1_200).map { NewUser("u\($0)") })
            var rows = (0..<2_400).map { "u\($0),x" }
            rows += ["U3,y", "u1199,y", "U1200,y", "u2399,y", "u5000,x", "u5000,y"]
            let document = Data((["uid,title"] + rows).joined(separator: "\n").utf8)
            let report = try await view.importPeople(
                from: document, named: "hr.csv", options: ImportOptions(format: .csv, onBadRow: .skip))
            #expect(report.users.created == 1_201 && report.users.changed == 1_200)
            #expect(report.problems.map(\.line) == [2_402, 2_403, 2_404, 2_405, 2_407])
            #expect(report.problems.allSatisfy { $0.message.contains("is in an earlier row already") })
        }
    }

    @Test(
        "Only those whom the document does not name are disabled, also if it creates others", arguments: Place.allCases)
    func leavers(place: Place) async throws {
        try await withDirectory(place) { (directory: Directory) async throws in
            let view = directory.unrestricted
            try await view.users.load((0..<900).map { NewUser("u\($0)") })
            let rows = (0..<1_500).compactMap { $0 % 300 == 7 && $0 < 900 ? nil : "u\($0)" }
            var options = ImportOptions(format: .csv, onBadRow: .skip)
            options.leavers = .init(
                scope: try Filter(scim: "uid pr", vocabulary: view.attributes.vocabulary(), for: .user))
            let document = Data((["uid"] + rows).joined(separator: "\n").utf8)
            let report = try await view.importInSteps(from: document, named: "hr.csv", options: options)
            #expect(report.users.created == 600 && report.disabled == 3)
            for number in [7, 307, 607] {
                #expect(try await view.users.user("u\(number)").isActive == false)
            }
        }
    }
}
