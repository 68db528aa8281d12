import Roster
import RosterFixtures
import Testing

@Suite("Users and roles by names, identifiers and as they were read", .timeLimit(.minutes(1)))
struct AnyReferenceTests {
    let view: DirectoryView
    let name = "emma.mueller"
    let boss: String
    let emma: User
    let id: UserID

    init() throws {
        view = try Fixtures.company().unrestricted
        emma = try view.users.user(name)
        id = emma.id
        boss = try #require(try view.users.manager(of: name)).uid
    }

    @Test("A variable works wherever a literal does")
    func variables() throws {
        let users = view.users
        let reference = UserReference.either(name)
        for found in [
            try users.user(name), try users.user("emma.mueller"), try users.user(id), try users.user(emma),
            try users.user(reference), try users.user(.id(id)), try users.user(.named(name)),
            try users.user(.either(id.description)), try users.user("emma.\("mueller")"),
        ] {
            #expect(found == emma)
        }
        #expect(try users.manager(of: name)?.uid == boss && users.manager(of: emma)?.uid == boss)
        #expect(try users.isBelow(emma, boss) && !users.isBelow(boss, id) && users.isBelow("emma.mueller", boss))
        #expect(try users.chain(of: emma, upTo: .user(boss)).map(\.uid) == [boss])
        #expect(try users.users([name, "nobody"]).map { $0?.uid } == [name, nil])
        #expect(try users.users([.id(id), "nobody"]).map { $0?.uid } == [name, nil])
        #expect(try users.users([emma]).count == 1 && users.users([id]).count == 1)
        #expect(try users.lowestCommonManager(of: [name, boss])?.uid == boss)
        #expect(try users.count(matching: .below(boss)) == users.reporteeCounts(of: boss).all)
    }

    @Test("The calls with await take variables as well")
    func awaiting() async throws {
        let users = view.users
        #expect(try await users.user(name) == emma)
        #expect(try await users.user(emma) == emma)
        #expect(try await users.manager(of: id)?.uid == boss)
        #expect(try await users.users([name, "nobody"]).map { $0?.uid } == [name, nil])
        #expect(try await users.setManager(nil, of: name).managerID == nil)
        #expect(try await users.setManager(boss, of: emma).managerID != nil)
    }

    @Test("Changes take variables, and a manager or none")
    func changes() throws {
        let users = view.users
        let noManager: UserReference? = nil
        for (number, user) in [
            try users.create("a", manager: boss), try users.create("b", manager: id),
            try users.create("c", manager: emma), try users.create("d", manager: .id(id)),
            try users.create("e", manager: "emma.mueller"), try users.create("f"), try users.create("g", manager: nil),
            try users.create("h", manager: noManager),
        ].enumerated() {
            #expect((user.managerID == nil) == (number > 4), "\(user.uid)")
        }
        #expect(try users.setManager(nil, of: "a").managerID == nil)
        #expect(try users.setManager(emma, of: "a").managerID == id)
        #expect(try users.setManager(noManager, of: "a").managerID == nil)
        #expect(try users.setManager(.id(id), of: .named("a")).managerID == id)
        let title = "Lead"
        #expect(try users.modify(emma, [.set(.title, title)]).title == title)
        #expect(try users.count(matching: .title.equals(title)) > 0)
        #expect(NewUser("i", manager: boss).manager == .named(boss) && NewUser("i", manager: emma).manager == .id(id))
        try users.delete(try users.user("f"))
        #expect(try !users.exists("f"))
    }

    @Test("Roles and their members take variables")
    func roles() throws {
        let roles = view.roles
        let role = try roles.create("testers")
        let name = role.name
        try roles.add([.user(emma), .user(boss)], to: name)
        #expect(try roles.contains(role, emma) && roles.contains(name, boss) && roles.contains(role.id, id))
        #expect(try roles.users(of: role).map(\.uid).sorted() == [boss, emma.uid].sorted())
        #expect(try view.users.count(matching: .member(of: role)) == 2)
        #expect(try view.users.count(matching: .member(of: name)) == 2)
        try roles.remove([.user(id)], from: role)
        #expect(try roles.roles(having: .user(boss)).contains { $0.id == role.id })
        #expect(try view.may(.write(.title, of: emma)) && view.may(.change(name)) && view.may(.delete(boss)))
        let batch: Batch = [
            .modifyUser(emma, [.set(.title, "Lead")]), .add([.user(emma), .role(role)], to: "engineering"),
            .deleteRole(name),
        ]
        try view.perform(batch)
        #expect(try roles.find(role) == nil)
    }
}
