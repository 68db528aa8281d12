import Foundation
import Roster
import RosterPostgreSQL
import Testing
import TestSupport

/// PostgreSQL refuses an index entry of more than 2,704 bytes, after compression.
@Suite("Values longer than an index entry of PostgreSQL", .enabled(if: PostgreSQLCluster.shared != nil))
struct LongValueTests {
    private static let longName = AttributeName("x" + String(repeating: "y", count: 63))

    private func withView(_ body: (DirectoryView) async throws -> Void) async throws {
        let cluster = try #require(PostgreSQLCluster.shared)
        let database = try cluster.makeDatabase()
        defer { cluster.drop(database) }
        let directory = try Directory(connectedTo: cluster.address(database))
        defer { directory.close() }
        try await directory.unrestricted.attributes.declare(AttributeDefinition("locker", isUnique: true))
        try await directory.unrestricted.attributes.declare(AttributeDefinition(Self.longName))
        try await body(directory.unrestricted)
    }

    /// A text that cannot be compressed much.
    private static func text(_ length: Int, _ numbers: inout SeededNumbers) -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789äöüßéèñçŁœ山田語")
        return String((0..<length).map { _ in letters[Int.random(in: 0..<letters.count, using: &numbers)] })
    }

    @Test("Long values in indexes are found by each comparison where an index has space for them")
    func finds() async throws {
        var numbers = SeededNumbers(seed: randomSeed())
        try await withView { view in
            // The last one's key has as many bytes as a key can have.
            let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
            let longest = String((0..<2_600).map { _ in letters[Int.random(in: 0..<36, using: &numbers)] })
            let compressible = String(repeating: Self.text(60, &numbers), count: 700)
            let texts = [Self.text(700, &numbers), compressible, longest]
            let attributes = ["title", "familyName", "locker", Self.longName] as [AttributeName]
            for attribute in attributes {
                for (number, text) in texts.enumerated() {
                    let name = "\(attribute.rawValue.prefix(8))\(number)".lowercased()
                    try await view.users.create(.init(name), attributes: [attribute: .string(text)])
                    let path = Filter.attribute(attribute)
                    for filter in [
                        path.equals(.string(text)), path.starts(String(text.prefix(600))),
                        path.contains(String(text.dropFirst(50).prefix(300))), path.ends(String(text.suffix(300))),
                    ] {
                        #expect(try await view.users.search(Search(filter)).elements.map(\.uid) == [name], "\(filter)")
                    }
                }
            }
            let taken = await code { try await view.users.create("x", attributes: ["locker": .string(texts[1])]) }
            #expect(taken == .alreadyExists)
            #expect(try await view.check() == [])
        }
    }

    @Test("Each answer arrives, however many statements and bytes were sent before it")
    func answersArrive() async throws {
        try await withView { view in
            let roles = (0..<600).map { "r\($0)" }
            try await view.users.create("ada")
            try await view.transaction { view in
                for (number, role) in roles.enumerated() {
                    try view.roles.create(
                        role, attributes: ["description": .string(String(repeating: "d", count: 100))])
                    try view.roles.add([.user("ada")], to: .named(role))
                    #expect(try view.roles.role(.named(role)).name == role)
                    if number % 50 == 0 { #expect(try view.users.user("ada").uid == "ada") }
                }
            }
            #expect(try await view.roles.search(Search(pageSize: 1_000)).elements.count == 600)
            // Names whose text has more than 32,768 bytes together.
            let people = (0..<9_000).map { NewUser("p\($0)", manager: $0 > 0 ? .named("p0") : nil) }
            #expect(try await view.users.load(people) == 9_000)
            try await view.users.create("last")
            try await view.users.setManager("p8999", of: "last")
            let below = try await view.users.below("p0", limit: 10_000)
            #expect(below.count == 9_000 && below.last?.user.uid == "last" && below.last?.depth == 2)
        }
    }

    @Test("A value that no index has space for is refused by name, and nothing of its change is kept")
    func refuses() async throws {
        var numbers = SeededNumbers(seed: randomSeed())
        let text = AttributeValue.string(Self.text(12_000, &numbers))
        try await withView { view in
            try await view.users.create("ada")
            func refused(_ attribute: AttributeName, _ change: () async throws -> Void) async -> DirectoryError? {
                let error = await #expect(throws: DirectoryError.self) { try await change() }
                #expect(error?.code == .invalidAttribute && error?.attribute == attribute)
                return error
            }
            for attribute in ["title", "locker"] as [AttributeName] {
                _ = await refused(attribute) { try await view.users.create("bob", attributes: [attribute: text]) }
                _ = await refused(attribute) { try await view.users.modify("ada", [.set(attribute, text)]) }
                let batch = await refused(attribute) {
                    let bob = NewUser("bob", attributes: [attribute: text])
                    try await view.perform([.createUser(NewUser("eve")), .createUser(bob)])
                }
                #expect(batch?.place?.operation == 2)
                for count in [10, 3_000] {
                    let people = (0..<count).map { NewUser("u\($0)", attributes: $0 == 7 ? [attribute: text] : [:]) }
                    let load = await refused(attribute) { try await view.users.load(people) }
                    #expect(load?.problem.contains("u7") == true)
                }
            }
            _ = await refused("displayName") { try await view.roles.create("team", attributes: ["displayName": text]) }
            // No index has the values of these attributes.
            try await view.users.modify("ada", [.set("description", text)])
            try await view.attributes.declare(AttributeDefinition("story", isIndexed: false))
            try await view.users.modify("ada", [.set("story", text)])
            let searched = await refused("story") {
                try await view.attributes.index("story")
            }
            #expect(searched?.problem.contains("ada") == true)
            #expect(try await view.users.user("ada")["description"] == text)
            #expect(try await view.users.count() == 1)
            #expect(try await view.roles.search(Search()).elements.isEmpty)
            #expect(try await view.check() == [])
        }
    }

    @Test("A copy of a file names the user or the role with a value that no index has space for")
    func copies() async throws {
        var numbers = SeededNumbers(seed: randomSeed())
        let text = AttributeValue.string(Self.text(12_000, &numbers))
        let cluster = try #require(PostgreSQLCluster.shared)
        for isRole in [false, true] {
            let file = try Directory.inMemory()
            defer { file.close() }
            try await file.unrestricted.users.create("ada", attributes: isRole ? [:] : ["title": text])
            if isRole { try await file.unrestricted.roles.create("team", attributes: ["displayName": text]) }
            let database = try cluster.makeDatabase()
            defer { cluster.drop(database) }
            let target = try Directory(connectedTo: cluster.address(database))
            defer { target.close() }
            let error = #expect(throws: DirectoryError.self) { try file.copy(to: target) }
            #expect(error?.code == .invalidAttribute && error?.problem.contains(isRole ? "team" : "ada") == true)
            #expect(try await target.unrestricted.users.count() == 0)
        }
    }

    @Test("An import leaves out a new user with such a value, names the line, and takes the others")
    func leavesOut() async throws {
        var numbers = SeededNumbers(seed: randomSeed())
        let text = Self.text(4_000, &numbers)
        try await withView { view in
            for (number, last) in ["d1,x", "ada,changed", "d0,x"].enumerated() {
                // The first one is into an empty directory, whose indexes are dropped.
                if number == 1 { try await view.users.create("ada") }
                let csv = "uid,title\na\(number),x\nb\(number),\(text)\n\(last)\ne\(number),x\n"
                let data = Data(csv.utf8)
                let strict = await #expect(throws: DirectoryError.self) {
                    try await view.importPeople(from: data, named: "people.csv", options: .init(format: .csv))
                }
                #expect(strict?.place?.line == 3, "\(String(describing: strict))")
                let report = try await view.importPeople(
                    from: data, named: "people.csv", options: .init(format: .csv, onBadRow: .skip))
                #expect(report.problems.map(\.line) == [3] && report.leftOut == 1)
                #expect(report.users.created + report.users.changed == 3)
            }
            #expect(try await view.users.user("ada").title == "changed")
            #expect(try await view.check() == [])
            let names = try await view.users.search(Search(sortedBy: .init("uid"))).elements.map(\.uid)
            #expect(names == ["a0", "a1", "a2", "ada", "d0", "d1", "e0", "e1", "e2"])
        }
    }
}
