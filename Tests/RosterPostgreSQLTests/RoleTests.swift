import Foundation
import Roster
import RosterPostgreSQL
import Testing
import TestSupport

@Suite(
    "Roles for migrating and running", .serialized, .enabled(if: PostgreSQLCluster.shared != nil),
    .timeLimit(.minutes(3)))
struct RoleTests {
    /// The documentation's script for psql.
    private static func script() throws -> String {
        let article = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Sources/RosterPostgreSQL/RosterPostgreSQL.docc/Roles.md")
        let text = try String(contentsOf: article, encoding: .utf8)
        let start = try #require(text.range(of: "```sql\n"))
        let end = try #require(text[start.upperBound...].range(of: "```"))
        return String(text[start.upperBound..<end.lowerBound])
    }

    /// Runs the documentation's script, and a test with the database's addresses for both roles.
    private func withRoles(_ body: (_ owner: String, _ server: String) async throws -> Void) async throws {
        let cluster = try #require(PostgreSQLCluster.shared)
        #expect(try cluster.output(of: Self.script(), in: "postgres") == "")
        defer {
            cluster.drop("company")
            _ = try? cluster.output(of: "DROP ROLE roster_owner; DROP ROLE roster_server;", in: "postgres")
        }
        try await body(
            cluster.address("company", as: "roster_owner"), cluster.address("company", as: "roster_server"))
    }

    @Test("A role with rights to rows only does everything in a directory whose tables another role has made")
    func runs() async throws {
        try await withRoles { owner, server in
            try Directory(connectedTo: owner).close()
            let directory = try Directory(connectedTo: server)
            defer { directory.close() }
            let view = directory.unrestricted
            let seeds = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../../Seeds")
            try await view.load(Seed(contentsOf: seeds.appendingPathComponent("company.json")))
            let count = try await view.users.count()
            try await view.attributes.declare(AttributeDefinition("locker", isUnique: true))
            try await view.users.create("zoe", attributes: ["locker": "7", "title": "Gardener"])
            try await view.users.modify("zoe", [.set(.title, "Head Gardener")])
            try await view.roles.create("gardeners")
            try await view.roles.add([.user("zoe")], to: "gardeners")
            #expect(try await view.users.search(Search(.attribute(.title).contains("gard"))).elements.count == 1)
            try await view.users.delete("zoe", erasing: true)
            #expect(try await view.users.count() == count)
            try await directory.endAllSignIns()
            #expect(try await view.check() == [])
        }
    }

    @Test("A role with rights to rows only loads many users into an empty directory")
    func loads() async throws {
        try await withRoles { owner, server in
            try Directory(connectedTo: owner).close()
            let directory = try Directory(connectedTo: server)
            defer { directory.close() }
            let view = directory.unrestricted
            let people = (0..<1_200).map { NewUser("p\($0)", attributes: ["familyName": .string("Fam\($0)")]) }
            #expect(try await view.users.load(people) == 1_200)
            #expect(try await view.users.search(Search(.familyName.contains("am119"))).elements.count == 11)
            #expect(try await view.check() == [])
        }
    }

    @Test("A role with rights to rows only is told what to do where the tables are missing or older")
    func refuses() async throws {
        try await withRoles { owner, server in
            let cluster = try #require(PostgreSQLCluster.shared)
            func refusal() -> DirectoryError? {
                do {
                    try Directory(connectedTo: server).close()
                    return nil
                } catch { return error as? DirectoryError }
            }
            let missing = refusal()
            #expect(missing?.code == .storageFailed)
            #expect(missing?.message.contains("has no directory yet") == true)
            #expect(missing?.advice?.contains("Migrate the database as the role that owns it") == true)
            try Directory(connectedTo: owner).close()
            #expect(refusal() == nil)
            // The state that a database has before its migration to a later version.
            #expect(
                try cluster.output(
                    of: "DELETE FROM migration WHERE number = (SELECT max(number) FROM migration);", in: "company")
                    == "")
            let older = refusal()
            #expect(older?.code == .storageFailed)
            #expect(older?.message.contains("has schema version") == true)
            #expect(older?.advice?.contains("Migrate the database as the role that owns it") == true)
        }
    }

    @Test("A role without any right is refused, with what it needs")
    func needsRights() async throws {
        try await withRoles { owner, server in
            let cluster = try #require(PostgreSQLCluster.shared)
            try Directory(connectedTo: owner).close()
            #expect(
                try cluster.output(
                    of: "REVOKE ALL ON ALL TABLES IN SCHEMA public FROM roster_server;", in: "company") == "")
            #expect {
                try Directory(connectedTo: server).close()
            } throws: { error in
                (error as? DirectoryError)?.advice?.contains("rights that the documentation names") == true
            }
        }
    }
}
