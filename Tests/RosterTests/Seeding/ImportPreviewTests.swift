import Foundation
import Roster
import RosterStore
import RosterText
import Testing
import TestSupport

@Suite("Previews of imports", .timeLimit(.minutes(5)))
struct ImportPreviewTests {
    /// A change without its number, time and identifiers.
    private struct Difference: Equatable {
        let kind: Change.Kind
        let entity: Change.Entity
        let name: String
        let before: AttributeSet
        let after: AttributeSet

        init(_ change: Change) {
            (kind, entity, name) = (change.kind, change.entity, change.name)
            (before, after) = (change.before, change.after)
        }
    }

    private static let places = Place.allCases.filter { $0 != .memory }

    @Test("A preview ends while somebody else's change goes on, and keeps nothing", arguments: Self.places)
    func waitsForNobody(place: Place) async throws {
        try await onThread {
            try withDirectory(place) { (directory: Directory) throws in
                let view = directory.unrestricted
                try view.users.create("ada")
                let (change, isOver) = (Gate(), Gate())
                let document = Data("uid,title\nada,Head\nnew,Clerk".utf8)
                Thread.detachNewThread {
                    _ = try? view.transaction { view in
                        try view.users.create("late")
                        change.pass()
                    }
                    isOver.pass()
                }
                #expect(change.waitForArrivals())
                let preview = try view.previewImport(
                    from: document, named: "hr.csv", options: ImportOptions(format: .csv))
                #expect(preview.report.users.created == 1 && preview.report.users.changed == 1)
                #expect(preview.changes.map(\.name) == ["ada", "new"])
                change.open()
                #expect(isOver.waitForArrivals())
                isOver.open()
                #expect(try view.users.search(Search()).elements.map(\.uid) == ["ada", "late"])
                #expect(try view.check().isEmpty)
            }
        }
    }

    @Test("Changes that are made during a preview are not in it", arguments: Self.places)
    func oneSnapshot(place: Place) async throws {
        try await onThread {
            try withDirectory(place) { (directory: Directory) throws in
                let view = directory.unrestricted
                try view.users.load((0..<50).map { NewUser("u\($0)", attributes: ["title": "Old"]) })
                let rows = (0..<4_000).map { "u\($0),Old" }
                let document = Data((["uid,title"] + rows).joined(separator: "\n").utf8)
                for round in 0..<3 {
                    let isOver = Gate()
                    Thread.detachNewThread {
                        for number in 0..<50 {
                            _ = try? view.users.modify(.named("u\(number)"), [.set("title", .string("\(round)"))])
                        }
                        isOver.pass()
                    }
                    let preview = try view.previewImport(
                        from: document, named: "hr.csv", options: ImportOptions(format: .csv))
                    #expect(preview.report.users.created == 3_950)
                    #expect(preview.report.users.changed + preview.report.users.unchanged == 50)
                    #expect(isOver.waitForArrivals())
                    isOver.open()
                }
                #expect(try view.users.count() == 50)
            }
        }
    }

    // MARK: Random files

    /// Makes the same random numbers for the same seed.
    private struct Choices {
        var numbers: SeededNumbers
        mutating func number(_ count: Int) -> Int { Int.random(in: 0..<count, using: &numbers) }
        mutating func isTrue(oneIn count: Int) -> Bool { number(count) == 0 }
        mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(elements.count)] }
    }

    private static let people = 30

    private static func fill(_ view: DirectoryView, _ choices: inout Choices) throws {
        try view.attributes.declare([
            AttributeDefinition("badge", kind: .integer, isUnique: true),
            AttributeDefinition("tags", isMultiValued: true),
        ])
        for role in ["staff", "guests", "helpers"] { try view.roles.create(role) }
        for number in 0..<people {
            var attributes: AttributeSet = ["title": .string(choices.pick(["Clerk", "Head"]))]
            if !choices.isTrue(oneIn: 3) { attributes["mail"] = .string("u\(number)@x.org") }
            if choices.isTrue(oneIn: 2) { attributes["badge"] = .integer(Int64(number)) }
            if choices.isTrue(oneIn: 3) { attributes["department"] = "Sales" }
            try view.users.create(
                "u\(number)", attributes: attributes,
                manager: number > 0 && !choices.isTrue(oneIn: 4) ? .named("u\(choices.number(number))") : nil,
                isActive: !choices.isTrue(oneIn: 6))
            if choices.isTrue(oneIn: 3) { try view.roles.add([.user(.named("u\(number)"))], to: "staff") }
        }
        try view.roles.add([.role("guests")], to: "staff")
    }

    /// A table with rows that change something or nothing, new ones, twins, managers from anywhere, and mistakes.
    private static func table(_ choices: inout Choices, managersBy key: AttributeName) -> Data {
        var text = "uid,title,mail,badge,department,manager,active,memberOf\r\n"
        for _ in 0..<(5 + choices.number(30)) {
            let number = choices.number(people + 12)
            let other = choices.number(people + 12)
            let name = choices.isTrue(oneIn: 25) ? choices.pick(["", "U\(number)", "u\(number) "]) : "u\(number)"
            let manager = key == "mail" ? "u\(other)@x.org" : "u\(other)"
            let fields = [
                name, choices.pick(["Clerk", "Head", "", "Boss"]),
                choices.pick(["u\(number)@x.org", "", "u\(other)@x.org", "broken"]),
                choices.pick(["", "\(number)", "\(other)", "x"]), choices.pick(["Sales", "", "IT"]),
                choices.pick(["", manager, manager, "nobody"]), choices.pick(["true", "false", "", "perhaps"]),
                choices.pick(["", "staff", "staff;guests", "fresh"]),
            ]
            text += fields.joined(separator: ",") + "\r\n"
        }
        return Data(text.utf8)
    }

    private static func seed(_ choices: inout Choices) -> Data {
        let entries = (0..<(3 + choices.number(20))).map { _ in
            let (number, other) = (choices.number(people + 8), choices.number(people + 8))
            var members = [#""uid": "u\#(number)""#, #""title": "\#(choices.pick(["Clerk", "Head"]))""#]
            if choices.isTrue(oneIn: 2) { members.append(#""manager": "u\#(other)""#) }
            if choices.isTrue(oneIn: 3) { members.append(#""badge": \#(choices.number(people))"#) }
            return "{\(members.joined(separator: ", "))}"
        }
        let roles = ["staff", "guests", "new"].filter { _ in choices.isTrue(oneIn: 2) }.map { role in
            let members = Set((0..<3).map { _ in "\"u\(choices.number(people + 8))\"" }).sorted()
            return #"{"name": "\#(role)", "members": [\#(members.joined(separator: ", "))]}"#
        }
        let attributes = choices.isTrue(oneIn: 3) ? #"[{"name": "locker"}]"# : "[]"
        return Data(
            """
            {"attributes": \(attributes), "people": [\(entries.joined(separator: ",\n"))],
            "roles": [\(roles.joined(separator: ",\n"))]}
            """.utf8)
    }

    /// The preview, or the message of the error.
    private static func outcome(_ body: () throws -> ImportPreview) throws -> Result<ImportPreview, DirectoryError> {
        do {
            return .success(try body())
        } catch let error as DirectoryError {
            return .failure(error)
        }
    }

    @Test("A preview of a random file is what the import then does", arguments: Place.allCases)
    func randomFiles(place: Place) throws {
        let seedNumber = randomSeed()
        for round in 0..<UInt64(place == .server ? 12 : 40) {
            var choices = Choices(numbers: SeededNumbers(seed: seedNumber &+ round))
            try withDirectory(place) { (directory: Directory) throws in
                let view = directory.unrestricted
                try Self.fill(view, &choices)
                var options = ImportOptions(
                    format: choices.isTrue(oneIn: 4) ? .json : .csv, onBadRow: choices.isTrue(oneIn: 5) ? .stop : .skip,
                    grants: choices.pick([.nothing, .roles, .administrators]))
                if options.format == .csv {
                    options.keepsEmpty = choices.isTrue(oneIn: 2)
                    options.managersBy = choices.pick(["uid", "uid", "mail"])
                    if choices.isTrue(oneIn: 2) { options.mostCleared = 100 }
                }
                if choices.isTrue(oneIn: 2) {
                    let scope = choices.pick(["department eq \"Sales\"", "uid pr", "groups.display eq \"staff\""])
                    options.leavers = .init(
                        scope: try Filter(scim: scope, vocabulary: view.attributes.vocabulary(), for: .user),
                        most: choices.isTrue(oneIn: 3) ? nil : 100)
                }
                let document =
                    options.format == .json
                    ? Self.seed(&choices) : Self.table(&choices, managersBy: options.managersBy)
                let chosen = options
                let (note, last) = (Comment(rawValue: "round \(round)"), try view.changes.lastSequence())
                let tried = try Self.outcome {
                    try view.previewImport(from: document, named: "file", options: chosen)
                }
                #expect(try view.changes.lastSequence() == last, note)
                let within = try Self.outcome {
                    try Self.rolledBack(view) { try $0.previewImport(from: document, named: "file", options: chosen) }
                }
                switch (tried, within) {
                case (.success(let tried), .success(let within)):
                    #expect(tried.report == within.report, note)
                    #expect(tried.changes.map { Difference($0) } == within.changes.map { Difference($0) }, note)
                    let report = try view.importPeople(from: document, named: "file", options: options)
                    #expect(report == tried.report, note)
                case (.failure(let tried), .failure(let within)):
                    #expect(tried.code == within.code && tried.message == within.message, note)
                    let error = try #require(throws: DirectoryError.self) {
                        try view.importPeople(from: document, named: "file", options: options)
                    }
                    #expect(error.message == tried.message, note)
                default: Issue.record("One fails, the other does not, in \(note): \(tried) and \(within)")
                }
                #expect(try view.check().isEmpty, note)
            }
        }
    }

    @Test("A preview shows all who come to a role, by their names")
    func members() throws {
        let view = try emptyDirectory().unrestricted
        for name in ["ada", "bob", "cleo"] { try view.users.create(name) }
        for role in ["staff", "guests"] { try view.roles.create(role) }
        try view.roles.add([.user("ada")], to: "guests")
        let csv = "uid,memberOf\nada,staff\nbob,staff;guests\ncleo,staff\n"
        let preview = try view.previewImport(
            from: Data(csv.utf8), named: "x", options: .init(format: .csv, grants: .roles))
        let found = preview.changes.map { change in
            (change.name, change.after["members"]?.elements.compactMap(\.text).sorted() ?? [])
        }.sorted { $0.0 < $1.0 }
        #expect(found.map(\.0) == ["guests", "staff"])
        #expect(found.map(\.1) == [["bob"], ["ada", "bob", "cleo"]])
    }

    private struct NotKept: Error {
        let preview: ImportPreview
    }

    /// Runs work in a transaction of the directory itself, and rolls it back.
    private static func rolledBack(
        _ view: DirectoryView, _ body: @escaping @Sendable (DirectoryView) throws -> ImportPreview
    ) throws -> ImportPreview {
        do {
            return try view.transaction { view -> ImportPreview in throw NotKept(preview: try body(view)) }
        } catch let error as NotKept {
            return error.preview
        }
    }
}
