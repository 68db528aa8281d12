import Roster
import RosterStore
import Testing
import TestSupport

/// The work of single operations, which may not depend on the number of people.
@Suite("The work of one operation", .timeLimit(.minutes(5)))
struct SingleWorkTests {
    static let people = 1_000

    /// Users, of whom the first is the manager of the next 50, and has a role and values.
    static func fill(_ directory: Directory, _ count: Int) throws {
        let view = directory.unrestricted
        try view.users.load(
            (0..<count).map { number in
                NewUser(
                    "u\(number)",
                    attributes: [
                        "title": .string("Engineer \(number % 10)"), "mail": .string("u\(number)@example.com"),
                    ], manager: (1...50).contains(number) ? .named("u0") : nil)
            })
        try view.roles.create("team")
        try view.roles.add([.user("u0"), .user("u1")], to: "team")
    }

    @Test("A look-up by name takes the same work among four times as many people", arguments: Place.allCases)
    func lookUp(place: Place) throws {
        let (small, large) = try Self.workAtTwoSizes(place) { directory, number in
            _ = try directory.unrestricted.users.user(.named("u\(number)"), attributes: [.mail, .title])
        }
        #expect(large.isSame(as: small), "\(small) and \(large)")
        #expect(small.statements > 0)
    }

    /// The work of an operation on the second person of a directory, and of one with four times as many people. The operation has run
    /// for the first person before.
    static func workAtTwoSizes(
        _ place: Place, _ body: (Directory, Int) throws -> Void
    ) throws -> (small: StatementWork, large: StatementWork) {
        var found: [StatementWork] = []
        for count in [people, 4 * people] {
            try withDirectory(place) { (directory: Directory) throws in
                try fill(directory, count)
                try body(directory, count / 2)
                found.append(try work(on: directory) { try body(directory, count / 2 + 1) })
            }
        }
        return (found[0], found[1])
    }

    @Test("Deleting a user takes the same work among four times as many people", arguments: Place.allCases)
    func deletes(place: Place) throws {
        let deleted = try Self.workAtTwoSizes(place) { directory, number in
            try directory.unrestricted.users.delete(.named("u\(number)"))
        }
        // The text index merges its parts now and then, which takes some thousand instructions.
        #expect(Double(deleted.large.steps) <= 1.1 * Double(deleted.small.steps) + 3_000, "\(deleted)")
        #expect(deleted.large.fullScanSteps <= deleted.small.fullScanSteps, "\(deleted)")
        #expect(deleted.large.trips == deleted.small.trips, "\(deleted)")
    }

    @Test(
        "The rights to all attributes of a user cost the same statements however many attributes there are",
        arguments: Place.allCases)
    func rights(place: Place) throws {
        try withDirectory(place) { (directory: Directory) throws in
            let view = directory.unrestricted
            for name in ["ada", "bob", "cid"] { try view.users.create(name) }
            try view.users.setManager("ada", of: "bob")
            let role = try view.write { try $0.asPresentAdministrator(to: "test").powers.administratorsRole() }
            try view.roles.add([.user("cid")], to: .id(role.id))
            func statements(of caller: UserReference) throws -> Int {
                let acting = directory.acting(as: .user(try view.users.user(caller).id))
                func rights() throws {
                    try acting.read { transaction in
                        let user = try transaction.users.user("bob", .all)
                        let definitions = transaction.vocabulary.definitions(for: .user)
                        let found = try transaction.access.rights(to: definitions, of: user)
                        for (definition, rights) in zip(definitions, found) {
                            let isReadable = try transaction.access.isAllowed(.read(definition.name, of: "bob"))
                            let isWritable = try transaction.access.isAllowed(.write(definition.name, of: "bob"))
                            #expect(rights.isReadable == isReadable, "\(definition.name) by \(caller)")
                            #expect(rights.isWritable == isWritable, "\(definition.name) by \(caller)")
                        }
                    }
                }
                func few() throws {
                    try acting.read { transaction in
                        let user = try transaction.users.user("bob", .all)
                        _ = try transaction.access.rights(to: transaction.vocabulary.definitions(for: .user), of: user)
                    }
                }
                try rights()
                return try work(on: directory) { try few() }.statements
            }
            let callers: [UserReference] = ["ada", "bob", "cid"]
            let before = try callers.map(statements)
            for number in 0..<20 {
                try view.attributes.declare(AttributeDefinition(AttributeName("more\(number)"), writers: .person))
            }
            #expect(try callers.map(statements) == before)
            #expect(before.allSatisfy { $0 <= 30 }, "\(before)")
        }
    }

    @Test("A server reads the same rows to look up and to delete a user among four times as many people")
    func rows() throws {
        guard let cluster = PostgreSQLCluster.shared else { return }
        var found: [(lookUp: Int, deletion: Int)] = []
        for count in [Self.people, 4 * Self.people] {
            let database = try cluster.makeDatabase()
            defer { cluster.drop(database) }
            _ = try cluster.rowsRead(in: database) { try Self.fill($0, count) }
            _ = try cluster.output(of: "ANALYZE", in: database)
            let lookUp = try cluster.rowsRead(in: database) { directory in
                _ = try directory.unrestricted.users.user(.named("u\(count / 2)"))
            }
            let deletion = try cluster.rowsRead(in: database) { directory in
                _ = try directory.unrestricted.users.delete(.named("u\(count / 2)"))
            }
            found.append((lookUp, deletion))
        }
        #expect(found[0].lookUp > 0 && found[1].lookUp <= found[0].lookUp + 20, "\(found)")
        #expect(found[0].deletion > 0 && found[1].deletion <= found[0].deletion + 20, "\(found)")
    }
}
