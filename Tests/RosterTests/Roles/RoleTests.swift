import Foundation
import Roster
import Testing
import TestSupport

@Suite("Roles")
struct RoleTests {
    /// all ⊃ staff ⊃ kitchen; ada in kitchen, bob in staff and all; board owns all, eve in board, cleo owns staff.
    static func withRoles(_ place: Place, _ body: (RoleManager, DirectoryView) throws -> Void) throws {
        try withDirectory(place) { directory in
            let (roles, users) = (directory.unrestricted.roles, directory.unrestricted.users)
            for uid in ["ada", "bob", "cleo", "eve"] { try users.create(uid) }
            for name in ["all", "staff", "kitchen", "board"] { try roles.create(name) }
            try roles.add([.role("staff"), .user("bob")], to: "all")
            try roles.add([.role("kitchen"), .user("bob")], to: "staff")
            try roles.add([.user("ada")], to: "kitchen")
            try roles.add([.user("eve")], to: "board")
            try roles.add([.role("board")], to: "all", as: .owner)
            try roles.add([.user("cleo")], to: "staff", as: .owner)
            try body(roles, directory.unrestricted)
        }
    }

    @Test(
        "Each of the relations reads the same from both sides, directly and through nested roles",
        arguments: Place.allCases)
    func inverses(place: Place) throws {
        try Self.withRoles(place) { (roles: RoleManager, view: DirectoryView) throws in
            let users = ["ada", "bob", "cleo", "eve"]
            let names = ["all", "staff", "kitchen", "board"]
            for relation in RoleRelation.allCases {
                for reach in Reach.allCases {
                    for name in names {
                        let people = try roles.users(of: .named(name), as: relation, reach: reach).map(\.uid)
                        let inside = try roles.roles(of: .named(name), as: relation, reach: reach).map(\.name)
                        #expect(try roles.userCount(of: .named(name), as: relation, reach: reach) == people.count)
                        for uid in users {
                            let has = try roles.roles(having: .user(.named(uid)), as: relation, reach: reach).map(
                                \.name)
                            #expect(has.contains(name) == people.contains(uid), "\(relation) \(reach) \(uid) \(name)")
                        }
                        for other in names {
                            let has = try roles.roles(having: .role(.named(other)), as: relation, reach: reach).map(
                                \.name)
                            #expect(
                                has.contains(name) == inside.contains(other), "\(relation) \(reach) \(other) \(name)")
                        }
                    }
                }
            }
            func people(_ role: RoleReference, _ relation: RoleRelation, _ reach: Reach) throws -> [String] {
                try roles.users(of: role, as: relation, reach: reach).map(\.uid)
            }
            #expect(try people("all", .member, .direct) == ["bob"])
            #expect(try people("all", .member, .effective) == ["ada", "bob"])
            #expect(try people("all", .owner, .direct) == [])
            #expect(try people("all", .owner, .effective) == ["eve"])
            #expect(try people("staff", .owner, .effective) == ["cleo"], "owning a role is not owning what is in it")
            #expect(try roles.roles(of: "all", as: .member, reach: .effective).map(\.name) == ["staff", "kitchen"])
        }
    }

    @Test("Members come in pages", arguments: Place.allCases)
    func pages(place: Place) throws {
        try Self.withRoles(place) { (roles: RoleManager, view: DirectoryView) throws in
            let first = try roles.users(of: "all", limit: 1)
            #expect(first.map(\.uid) == ["ada"])
            #expect(try roles.users(of: "all", limit: 1, after: first.last?.id).map(\.uid) == ["bob"])
            let outer = try roles.roles(having: .user("ada"), limit: 2)
            #expect(outer.map(\.name) == ["all", "staff"])
            #expect(try roles.roles(having: .user("ada"), after: outer.last?.id).map(\.name) == ["kitchen"])
            #expect(code { try roles.users(of: "all", limit: 0) } == .invalidPage)
            #expect(code { try roles.users(of: "all", attributes: ["nonsense"]) } == .invalidAttribute)
        }
    }

    @Test(
        "A role is not nested in, and not owned by, itself through others, and then nobody is added",
        arguments: Place.allCases)
    func circles(place: Place) throws {
        try Self.withRoles(place) { (roles: RoleManager, view: DirectoryView) throws in
            for (inner, outer) in [("all", "all"), ("all", "staff"), ("all", "kitchen"), ("staff", "kitchen")] {
                let result = code { try roles.add([.user("eve"), .role(.named(inner))], to: .named(outer)) }
                #expect(result == .circle, "\(inner) in \(outer)")
            }
            #expect(code { try roles.add([.role("all")], to: "board", as: .owner) } == .circle)
            #expect(code { try roles.add([.role("all")], to: "all", as: .owner) } == .circle)
            try roles.add([.role("all")], to: "board")
            #expect(try roles.roles(having: .user("eve")).map(\.name) == ["board"], "nobody was added on the way")
        }
    }

    @Test("Many come and leave at once, by names and by identifiers", arguments: Place.allCases)
    func many(place: Place) throws {
        try Self.withRoles(place) { (roles: RoleManager, view: DirectoryView) throws in
            let names = (0..<400).map { "many\($0)" }
            try view.users.load(names.map { NewUser($0) })
            let ids = try names.prefix(100).map { try view.users.user($0).id }
            let subjects =
                ids.map { RoleSubject.user(.id($0)) } + names[100..<200].map { .user(.named($0.uppercased())) }
                + names[200...].map { .user(.either($0)) }
            let version = try roles.role("board").version
            try roles.add(subjects + [.user(.named(names[0])), .role("kitchen")], to: "board")
            #expect(try roles.users(of: "board", reach: .direct).filter { $0.uid.hasPrefix("many") }.count == 400)
            #expect(try roles.role("board").version == version + 2, "one change of the users, and one of the roles")
            try roles.add(subjects, to: "board")
            #expect(try roles.role("board").version == version + 2, "nobody came")
            #expect(code { try roles.add(subjects + [.user("nobody")], to: "kitchen") } == .notFound)
            #expect(code { try roles.remove(subjects + [.user("ada")], from: "board") } == .notFound)
            #expect(try roles.users(of: "board", reach: .direct).filter { $0.uid.hasPrefix("many") }.count == 400)
            try roles.remove(subjects, from: "board")
            #expect(try roles.users(of: "board", reach: .direct).filter { $0.uid.hasPrefix("many") }.isEmpty)
        }
    }

    @Test("Who is deleted leaves their roles, and a deleted role leaves its members", arguments: Place.allCases)
    func deletion(place: Place) throws {
        try Self.withRoles(place) { (roles: RoleManager, view: DirectoryView) throws in
            let version = try roles.role("kitchen").version
            try view.users.delete("ada")
            #expect(try roles.role("kitchen").members().isEmpty)
            #expect(try roles.role("kitchen").version > version)
            try roles.delete("staff")
            #expect(try roles.users(of: "all").map(\.uid) == ["bob"])
            #expect(try roles.roles(having: .user("cleo"), as: .owner).isEmpty)
            #expect(try roles.roles(having: .role("kitchen")).isEmpty)
            #expect(try view.users.count() == 3)
            #expect(try view.check() == [])
        }
    }

    @Test("A stale version of a role is refused by every verb", arguments: Place.allCases)
    func versions(place: Place) throws {
        try Self.withRoles(place) { (roles: RoleManager, view: DirectoryView) throws in
            let stale = try roles.role("staff").version
            try roles.add([.user("eve")], to: "staff", ifVersion: stale)
            #expect(try roles.role("staff").version > stale, "memberships count")
            #expect(code { try roles.add([.user("ada")], to: "staff", ifVersion: stale) } == .versionConflict)
            #expect(code { try roles.remove([.user("eve")], from: "staff", ifVersion: stale) } == .versionConflict)
            #expect(
                code { try roles.modify("staff", [.set("description", "x")], ifVersion: stale) } == .versionConflict)
            #expect(code { try roles.delete("staff", ifVersion: stale) } == .versionConflict)
            let current = try roles.role("staff").version
            try roles.add([.user("eve")], to: "staff", ifVersion: current)
            #expect(try roles.role("staff").version == current, "what changes nothing counts nothing")
            try roles.delete("staff", ifVersion: current)
        }
    }

    @Test("memberOf finds direct members, by the role's name or id", arguments: Place.allCases)
    func memberOf(place: Place) throws {
        try Self.withRoles(place) { (roles: RoleManager, view: DirectoryView) throws in
            func found(_ filter: Filter) throws -> [String] {
                try view.users.search(Search(filter, sortedBy: .init("uid"))).elements.map(\.uid)
            }
            #expect(try found(Filter.memberOf.equals("KITCHEN")) == ["ada"])
            #expect(try found(Filter.memberOf.equals(.string(roles.role("all").id.description))) == ["bob"])
            #expect(try found(Filter.memberOf.starts("k")) == ["ada"])
            #expect(try found(Filter.memberOf.present) == ["ada", "bob", "eve"])
            #expect(try found(.not(Filter.memberOf.present)) == ["cleo"])
            #expect(try found(Filter.memberOf.differs(from: "staff")) == ["ada", "cleo", "eve"])
            #expect(try found(Filter.memberOf.equals("nothing")) == [])
        }
    }

    @Test(
        "'memberOf' among the attributes gives the names of a user's roles, wherever attributes are chosen",
        arguments: Place.allCases)
    func roleNames(place: Place) throws {
        try withDirectory(place) { directory in
            let view = directory.unrestricted
            try view.users.create("boss")
            let ada = try view.users.create("ada", attributes: ["title": "Countess"], manager: "boss")
            for name in ["writers", "engineers", "all"] { try view.roles.create(name) }
            try view.roles.add([.user("ada")], to: "writers")
            try view.roles.add([.user("ada")], to: "engineers")
            try view.roles.add([.role("writers")], to: "all")
            let names: AttributeValue = .list(["engineers", "writers"])
            for caller in [Caller.user(ada.id), .administrator("test"), .provisioning("hr")] {
                let users = directory.acting(as: caller).users
                let one = try users.user("ada", attributes: ["memberOf"])
                #expect(one["memberOf"] == names)
                #expect(one.attributes.isEmpty)
                var search = Search(.active)
                search.attributes = ["memberOf", "title"]
                let found = try users.search(search).elements
                #expect(found.map { $0["memberOf"] } == [nil, names])
                #expect(found.map(\.title) == [nil, "Countess"])
                #expect(try users.reportees(of: "boss", attributes: ["memberOf"]).first?["memberOf"] == names)
                #expect(try users.below("boss", attributes: ["memberOf"]).first?.user["memberOf"] == names)
                let prefetched = try users.user("boss", attributes: ["memberOf"], prefetch: .reportees)
                #expect(prefetched.reports?.first?["memberOf"] == names)
                #expect(prefetched["memberOf"] == nil)
                #expect(try users.user("ada")["memberOf"] == nil, "unless it is asked for")
                #expect(try users.user("ada").attribute("memberOf") == names)
            }
            #expect(
                code { try directory.acting(as: .nobody).users.user("ada", attributes: ["memberOf"]) } == .notPermitted)
        }
    }
}
