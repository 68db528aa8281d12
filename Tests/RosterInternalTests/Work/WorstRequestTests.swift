import Foundation
import RosterStore
import RosterText
import Testing
import TestSupport

@testable import Roster

/// Builds, for each change that a client can send, the request of about a megabyte that keeps the writer longest, and counts the
/// work. The counts are instructions of SQLite and changed rows, so that a slow machine fails no test.
@Suite("The worst request of one person", .timeLimit(.minutes(10)), .enabled(if: Place.usual == .memory))
struct WorstRequestTests {
    /// A change of some size.
    private typealias Worst = @Sendable (_ size: Int) -> any ChangeOperation

    private struct Work {
        let steps: Int
        let rows: Int
        let code: DirectoryError.Code?
        let bytes: Int
    }

    private static let people = 6_000
    /// The most instructions of one change, which take some hundredths of a second.
    private static let mostSteps = 1_200_000
    private static let mostRows = 25_000

    private static func named(_ number: Int) -> UserReference { .named("u\(number)") }

    private static func words(_ count: Int) -> [AttributeValue] { (0..<count).map { .string("w\($0)") } }

    /// The changes that grow with a size; see ``small`` for the others.
    private static let worst: [String: [Worst]] = [
        "modifyUser": [
            { ModifyUser(user: .named("ada"), changes: [.remove("phoneNumbers", words($0 * 100))], ifVersion: nil) },
            { ModifyUser(user: .named("ada"), changes: [.add("phoneNumbers", words($0 / 4))], ifVersion: nil) },
            { size in
                let changes = (0..<size * 10).map { AttributeChange.add("phoneNumbers", [.string("\($0)")]) }
                return ModifyUser(user: .named("ada"), changes: changes, ifVersion: nil)
            },
            { size in
                let changes = (0..<size * 20).map { _ in AttributeChange.remove("title", ["x"]) }
                return ModifyUser(user: .named("ada"), changes: changes, ifVersion: nil)
            },
            { size in
                let changes = (0..<size * 20).map { AttributeChange.set("manager", .string("u\($0 % 100)")) }
                return ModifyUser(user: .named("u200"), changes: changes, ifVersion: nil)
            },
            { ModifyUser(user: .named("u201"), changes: [.set("tags", .list(words($0 / 4)))], ifVersion: nil) },
        ],
        "createUser": [
            { CreateUser(user: NewUser("new", attributes: ["tags": .list(words($0 / 4))])) },
            { CreateUser(user: NewUser("new", attributes: ["phoneNumbers": .list(words($0 / 4))])) },
        ],
        "createUserOfAttributes": [
            { CreateUserOfAttributes(attributes: ["uid": "new", "tags": .list(words($0 / 4))]) }
        ],
        "upsertUser": [{ UpsertUser(uid: "new", attributes: ["tags": .list(words($0 / 4))]) }],
        "deleteUser": [
            { DeleteUser(user: .named("top\($0)"), reportees: .reassign, ifVersion: nil, isErasing: false) }
        ],
        "addToRole": [
            { size in
                let subjects = (0..<size).map { RoleSubject.user(named($0)) }
                return AddToRole(subjects: subjects, role: "team", relation: .member, ifVersion: nil)
            },
            { size in
                let subjects = (0..<size).map { RoleSubject.role(.named("r\($0 % 300)")) }
                return AddToRole(subjects: subjects, role: "team", relation: .member, ifVersion: nil)
            },
        ],
        "removeFromRole": [
            { size in
                let subjects = (0..<size).map { RoleSubject.user(named($0)) }
                return RemoveFromRole(subjects: subjects, role: "crowd", relation: .member, ifVersion: nil)
            }
        ],
        "perform": [
            { size in
                PerformBatch(batch: Batch((0..<size).map { .createUser(NewUser("new\($0)")) }))
            },
            { size in
                PerformBatch(
                    batch: Batch((0..<size).map { .modifyUser(.named("ada"), [.set("title", .string("t\($0)"))]) }))
            },
            { size in
                PerformBatch(
                    batch: Batch((0..<size).map { .add([.user(named($0 % people))], to: "team", as: .member) }))
            },
            { size in
                PerformBatch(batch: Batch((0..<size).map { .deleteUser(named($0 % people)) }))
            },
        ],
        "eraseUsers": [{ EraseUsers(users: (1...$0).map { UserID(rawValue: Int64($0)) }) }],
    ]

    /// The changes whose requests have one form.
    private static let small: [String: Worst] = [
        "setManager": { _ in SetManager(manager: .named("u1"), user: .named("u2"), ifVersion: nil) },
        "createRole": { _ in CreateRole(role: "new", attributes: [:]) },
        "createRoleOfAttributes": { _ in CreateRoleOfAttributes(attributes: ["name": "new"]) },
        "modifyRole": { _ in ModifyRole(role: "team", changes: [.set("description", "x")], ifVersion: nil) },
        "deleteRole": { _ in DeleteRole(role: "crowd", ifVersion: nil) },
        "setPower": { _ in SetPower(power: .peopleEditor, role: "team") },
        "declareAttributes": { _ in DeclareAttributes(definitions: [AttributeDefinition("more")]) },
        "setAttributeRights": { _ in
            SetAttributeRights(attribute: "tags", entity: .user, readers: .signedIn, writers: nil)
        },
        "setAttributeTexts": { _ in
            let descriptions = (100..<150).map { ("de-\($0)", String(repeating: "x", count: 1_000)) }
            let texts = AttributeTexts(descriptions: Dictionary(uniqueKeysWithValues: descriptions))
            return SetAttributeTexts(texts: texts, attribute: "tags")
        },
        "changeAttributeTexts": { _ in
            let texts = (100..<150).map { ("de-\($0)", Optional(String(repeating: "x", count: 1_000))) }
            return ChangeAttributeTexts(
                labels: [:], descriptions: Dictionary(uniqueKeysWithValues: texts), attribute: "tags")
        },
        "resetAttributeRights": { _ in ResetAttributeRights(attribute: "title", entity: .user) },
        "compactChanges": { _ in CompactChanges(through: 10) },
        "pruneChanges": { _ in PruneChanges() },
        "beginBatch": { _ in BeginBatch() },
        "undoBatch": { _ in UndoBatch(batch: 1, isPreview: false) },
    ]

    private static func withCompany(_ body: (Directory, _ callers: [(name: String, id: UserID)]) throws -> Void) throws
    {
        try withDirectory(.file) { (directory: Directory) throws in
            let view = directory.unrestricted
            try view.attributes.declare(
                AttributeDefinition("tags", kind: .string, isMultiValued: true, writers: .person))
            try view.users.load((0..<people).map { NewUser("u\($0)") })
            for size in [250, 1_000] {
                try view.users.create("top\(size)")
                for number in 0..<size { try view.users.setManager(.named("top\(size)"), of: named(number + size * 2)) }
            }
            try view.users.create(
                "ada", attributes: ["phoneNumbers": .list((0..<900).map { .string("+49 \($0)") }), "title": "Engineer"])
            try view.users.create("olga")
            try view.users.create("ed")
            for number in 0..<300 { try view.roles.create("r\(number)") }
            try view.roles.create("team")
            try view.roles.create("crowd")
            try view.roles.create("editors")
            try view.roles.setPower(.peopleEditor, of: "editors")
            try view.roles.add([.user("ed")], to: "editors")
            for role in ["team", "crowd"] as [RoleReference] {
                try view.roles.add([.user("olga")], to: role, as: .owner)
            }
            try view.roles.add((0..<people).map { .user(named($0)) }, to: "crowd")
            let callers = try ["ada", "olga", "ed"].map { (name: $0, id: try view.users.user($0).id) }
            try body(directory, callers)
        }
    }

    private struct Undone: Error {}

    /// Counts the work of a change, and takes the change back.
    private static func work<Change: ChangeOperation>(
        of change: Change, _ directory: Directory, _ caller: UserID
    ) throws -> Work {
        let counted = Locked((steps: 0, rows: 0))
        let bytes = try JSONEncoder().encode(change).count
        var code: DirectoryError.Code?
        do {
            let change = try change.prepared()
            try directory.acting(as: .user(caller)).write { transaction in
                let engine = transaction.connection.engine
                let (steps, rows) = (engine.work.steps, engine.totalChangedRows)
                defer { counted.withLock { $0 = (engine.work.steps - steps, engine.totalChangedRows - rows) } }
                _ = try change.made(in: transaction.forClient())
                throw Undone()
            }
        } catch let error as DirectoryError {
            code = error.code
        } catch is Undone {}
        let (steps, rows) = counted.withLock { $0 }
        return Work(steps: steps, rows: rows, code: code, bytes: bytes)
    }

    @Test("Each change that a client can send has a worst request here")
    func isComplete() {
        // These take a definition or a period of time, and are for administrators only, as the others of their folder.
        let alike: Set = [
            "widenAttribute", "renameAttribute", "setAttributeIndex", "setAttributeRules", "undeclareAttribute",
            "setRetention",
        ]
        let known = Set(Self.worst.keys).union(Self.small.keys).union(alike)
        #expect(known == Set(ServedOperations.changesByName.keys))
    }

    /// The work of each change by each caller, at a quarter of a size, at the size, and at a larger one.
    private static func allWork() throws -> [(what: String, quarter: Work, whole: Work, most: Work)] {
        var found: [(what: String, quarter: Work, whole: Work, most: Work)] = []
        try withCompany { directory, callers in
            for (name, changes) in worst.merging(small.mapValues { [$0] }, uniquingKeysWith: { $1 }) {
                for (index, make) in changes.enumerated() {
                    for caller in callers {
                        found.append(
                            (
                                "\(name) \(index) of \(caller.name)", try work(of: make(250), directory, caller.id),
                                try work(of: make(1_000), directory, caller.id),
                                try work(of: make(6_000), directory, caller.id)
                            ))
                    }
                }
            }
        }
        return found
    }

    @Test("Nobody but an administrator can keep the writer longer than some hundredths of a second")
    func isBounded() async throws {
        let found = try await onThread { try Self.allWork() }
        #expect(found.count >= 3 * Self.worst.count)
        for (what, quarter, whole, most) in found {
            for work in [quarter, whole, most] {
                #expect(work.steps <= Self.mostSteps && work.rows <= Self.mostRows, "\(what): \(work)")
            }
            if quarter.code == nil, whole.code == nil {
                #expect(
                    Double(whole.steps) <= 4.4 * Double(quarter.steps) + 5_000, "\(what): \(quarter) and \(whole)")
            }
        }
    }

    @Test("An administrator's change takes work in proportion to the rows that change")
    func isLinear() throws {
        try Self.withCompany { directory, _ in
            let administrator = try directory.unrestricted.users.create("root").id
            let role = try directory.unrestricted.write {
                try $0.asPresentAdministrator(to: "test").powers.administratorsRole()
            }
            try directory.unrestricted.roles.add([.user("root")], to: .id(role.id))
            for name in ["addToRole", "removeFromRole", "perform"] {
                for (index, make) in (Self.worst[name] ?? []).enumerated() {
                    let quarter = try Self.work(of: make(250), directory, administrator)
                    let whole = try Self.work(of: make(1_000), directory, administrator)
                    #expect(quarter.code == nil && whole.code == nil, "\(name) \(index): \(whole)")
                    #expect(
                        Double(whole.steps) <= 4.4 * Double(quarter.steps) + 5_000,
                        "\(name) \(index): \(quarter) and \(whole)")
                }
            }
        }
    }

    @Test("Changes of one attribute again and again are refused before they take the product of changes and elements")
    func limitsEffort() throws {
        try Self.withCompany { directory, callers in
            let view = directory.acting(as: .user(callers[0].id))
            for change in [
                AttributeChange.add("phoneNumbers", ["x"]), .remove("phoneNumbers", ["x"]), .set("mobile", "x"),
            ] {
                let error = #expect(throws: DirectoryError.self) {
                    try view.users.modify("ada", Array(repeating: change, count: 1_000))
                }
                #expect(error?.code == .limitExceeded, "\(change)")
                try view.users.modify("ada", Array(repeating: change, count: 3))
            }
        }
    }

    @Test("A batch whose answer would be too long is refused before its first change")
    func knowsTheAnswerBefore() throws {
        try withDirectory(.file) { (directory: Directory) throws in
            let filler = String(repeating: "x", count: 60_000)
            try directory.unrestricted.users.create(
                "ada", attributes: ["phoneNumbers": .list((0..<10).map { .string("\($0)" + filler) })])
            let rows = Locked(0)
            let batch = Batch((0..<100).map { .modifyUser("ada", [.set("title", .string("\($0)"))]) })
            let error = #expect(throws: DirectoryError.self) {
                try directory.unrestricted.write { transaction in
                    let before = transaction.connection.engine.totalChangedRows
                    defer { rows.withLock { $0 = transaction.connection.engine.totalChangedRows - before } }
                    _ = try PerformBatch(batch: batch).run(in: transaction.forClient())
                }
            }
            #expect(error?.code == .limitExceeded)
            #expect(rows.withLock { $0 } == 0)
        }
    }

    // MARK: Readers

    @Test("The lowest common manager of many people is found with work in proportion to their number")
    func commonManagers() throws {
        try withDirectory(.file) { (directory: Directory) throws in
            let view = directory.unrestricted
            try view.users.load(
                (0..<4_000).map { NewUser("u\($0)", manager: $0 == 0 ? nil : Self.named(($0 - 1) / 2)) })
            func steps(_ count: Int) throws -> Int {
                try view.read(isBrief: false) { transaction in
                    let engine = transaction.connection.engine
                    let before = engine.work.steps
                    let users = (0..<count).map { Self.named(3_999 - $0 * (3_999 / count)) }
                    let lowest = try transaction.lines.lowestCommonManager(of: users)
                    #expect(lowest?.uid == "u0")
                    return engine.work.steps - before
                }
            }
            _ = try steps(10)
            let (quarter, whole) = (try steps(900), try steps(3_600))
            #expect(Double(whole) <= 4.4 * Double(quarter) + 5_000, "\(quarter) and \(whole)")
        }
    }

    @Test("Large filters leave no memory behind on the connections")
    func forgetsLargeFilters() throws {
        try withDirectory(.file) { (directory: Directory) throws in
            let view = directory.unrestricted
            try view.users.create("ada")
            func bytes() throws -> Int {
                try view.read(isBrief: false) { transaction in
                    try #require(transaction.connection.engine as? SQLiteEngine).bytesOfStatements
                }
            }
            func search(_ round: Int) throws {
                let parts = (0..<500).map {
                    Filter.compare(AttributePath("title"), .equal, .string("\(round) \($0)"))
                }
                _ = try view.users.search(
                    Search(round.isMultiple(of: 2) ? .or(parts) : .not(.or(parts.dropLast(round)))))
            }
            try search(0)
            let before = try bytes()
            for round in 1..<20 { try search(round) }
            #expect(try bytes() <= before + 200_000)
        }
    }
}
