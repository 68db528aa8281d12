import Foundation
import Roster
import RosterStore
import Testing
import TestSupport

@Suite("The work of exports", .timeLimit(.minutes(5)))
struct ExportWorkTests {
    /// The work of a second export.
    private func work(of format: ExchangeFormat, _ place: Place, people: Int) throws -> StatementWork {
        try withDirectory(place) { directory in
            try SingleWorkTests.fill(directory, people)
            let view = directory.unrestricted
            try view.export(format) { _ in }
            return try TestSupport.work(on: directory) { try view.export(format) { _ in } }
        }
    }

    @Test(
        "An export runs as many statements for 200 people as for 20", arguments: Place.allCases,
        ExchangeFormat.allCases)
    func statements(place: Place, format: ExchangeFormat) throws {
        let (small, large) = (
            try work(of: format, place, people: 20), try work(of: format, place, people: 200)
        )
        #expect(small.statements > 0 && large.statements == small.statements, "\(small) and \(large)")
        #expect(large.trips == small.trips)
    }

    @Test(
        "An export of four times as many people takes four times the work", arguments: Place.allCases,
        ExchangeFormat.allCases)
    func proportion(place: Place, format: ExchangeFormat) throws {
        let (small, large) = (
            try work(of: format, place, people: 1_000), try work(of: format, place, people: 4_000)
        )
        #expect(large.isInProportion(to: small), "\(small) and \(large)")
    }

    @Test("The members of several roles, more than one statement reads, are exported to the last")
    func manyMembers() throws {
        try withDirectory(.usual) { (directory: Directory) throws in
            let view = directory.unrestricted
            try view.users.load((0..<2_500).map { NewUser("u\($0)") })
            for role in ["a", "b", "c"] { try view.roles.create(role) }
            let names = (0..<2_500).map { RoleSubject.user(.named("u\($0)")) }
            for start in stride(from: 0, to: names.count, by: 500) {
                try view.roles.add(Array(names[start..<start + 500]), to: "a")
            }
            try view.roles.add(Array(names.prefix(7)) + [.role("a")], to: "c")
            try view.roles.add([.user("u3")], to: "c", as: .owner)
            for format in [ExchangeFormat.json, .ldif] {
                var first = Data()
                try view.export(format) { first += $0 }
                try withDirectory(.usual) { (copy: Directory) throws in
                    try copy.unrestricted.importPeople(
                        from: first, named: "out", options: .init(format: format, grants: .roles))
                    var second = Data()
                    try copy.unrestricted.export(format) { second += $0 }
                    #expect(second == first)
                }
            }
        }
    }

    @Test("Exported CSV has the same columns whoever has values")
    func columns() throws {
        func header(_ directory: Directory) throws -> String {
            var text = Data()
            try directory.unrestricted.export(.csv) { text += $0 }
            return String(String(decoding: text, as: UTF8.self).prefix { !$0.isNewline })
        }
        let (one, other) = (try emptyDirectory(), try emptyDirectory())
        for directory in [one, other] {
            try directory.unrestricted.attributes.declare([
                AttributeDefinition("badge", kind: .integer), AttributeDefinition("pin", readers: .nobody),
            ])
        }
        try one.unrestricted.users.create("ada", attributes: ["title": "Dr.", "badge": 7, "pin": "1234"])
        #expect(try header(one) == header(other))
        let columns = try header(one).split(separator: ",")
        #expect(columns.prefix(4) == ["uid", "manager", "active", "memberOf"])
        #expect(columns.contains("badge") && columns.contains("photo"))
        #expect(!columns.contains("pin") && !columns.contains("mail") && !columns.contains("password"))
    }
}
