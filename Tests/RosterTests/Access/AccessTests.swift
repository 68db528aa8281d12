import Foundation
import Roster
import Testing
import TestSupport

@Suite("What a caller may see and do")
struct AccessTests {
    /// Who asks: boss is above lead, lead above ada; eve stands beside.
    enum Who: String, CaseIterable {
        case administrator, boss, lead, herself, stranger, disabled, deleted, nobody
    }

    /// The views of all of them.
    struct Callers {
        let directory: Directory
        let ids: [Who: UserID]

        func callAsFunction(_ who: Who) -> DirectoryView {
            if who == .administrator { return directory.acting(as: .administrator("root")) }
            return directory.acting(as: ids[who].map { .user($0) } ?? .nobody)
        }
    }

    static func withCallers(_ place: Place, _ body: (Directory, Callers) throws -> Void) throws {
        try withDirectory(place) { directory in
            let view = directory.unrestricted
            try view.attributes.declare([
                AttributeDefinition("salary", kind: .integer, readers: .managers),
                AttributeDefinition("diary", readers: .person, writers: .person),
                AttributeDefinition("file", readers: .administrators), AttributeDefinition("pin", readers: .nobody),
                AttributeDefinition("budget", of: .role, readers: .administrators),
            ])
            var ids: [Who: UserID] = [:]
            ids[.boss] = try view.users.create("boss").id
            ids[.lead] = try view.users.create("lead", manager: "boss").id
            ids[.herself] = try view.users.create(
                "ada",
                attributes: [
                    "title": "Countess", "salary": 7, "diary": "dear", "file": "f", "pin": "1", "hireDate": "2020",
                    "gender": "f",
                ], manager: "lead"
            ).id
            ids[.stranger] = try view.users.create("eve").id
            ids[.disabled] = try view.users.create("off", isActive: false).id
            ids[.deleted] = try view.users.create("gone").id
            try view.users.delete("gone")
            try view.roles.create("staff", attributes: ["description": "All", "budget": "100"])
            try view.roles.add([.user("ada")], to: "staff")
            try body(directory, Callers(directory: directory, ids: ids))
        }
    }

    static let ofHer: [AttributeName] = ["title", "salary", "hireDate", "diary", "gender", "file", "pin"]
    static let readable: [Who: Set<AttributeName>] = [
        .administrator: ["title", "salary", "hireDate", "diary", "gender", "file"],
        .boss: ["title", "salary", "hireDate"], .lead: ["title", "salary", "hireDate"],
        .herself: ["title", "salary", "hireDate", "diary", "gender"], .stranger: ["title"],
    ]

    @Test("Each circle of readers reads what is for it, by every way there is", arguments: Place.allCases, Who.allCases)
    func reading(place: Place, who: Who) throws {
        try Self.withCallers(place) { (_: Directory, view: Callers) throws in
            let view = view(who)
            guard let expected = Self.readable[who] else { return }
            func seen(_ user: User?) -> Set<AttributeName> { Set(user?.attributes.map(\.name) ?? []) }
            #expect(seen(try view.users.user("ada")) == expected)
            #expect(seen(try view.users.user("ada", attributes: .only(Self.ofHer))) == expected, "asked for by name")
            #expect(
                seen(try view.users.search(Search(.uid.equals("ada"), attributes: .only(Self.ofHer))).elements.first)
                    == expected)
            #expect(seen(try view.users.reportees(of: "lead", attributes: .only(Self.ofHer)).first) == expected)
            #expect(seen(try view.users.below("boss", attributes: .only(Self.ofHer)).last?.user) == expected)
            #expect(seen(try view.users.user("lead", prefetch: .reportees).reports?.first) == expected)
            #expect(seen(try view.roles.role("staff").members().first) == expected)
            #expect(seen(try view.roles.member("ada", of: "staff", attributes: .only(Self.ofHer))) == expected)
            for name in Self.ofHer {
                #expect((try view.users.user("ada").attribute(name) != nil) == expected.contains(name), "\(name)")
            }
            #expect((try view.roles.role("staff").attributes["budget"] != nil) == (who == .administrator))
        }
    }

    @Test(
        "What not everyone may read cannot be filtered or sorted on, or counted", arguments: Place.allCases,
        Who.allCases)
    func searching(place: Place, who: Who) throws {
        try Self.withCallers(place) { (_: Directory, view: Callers) throws in
            let users = view(who).users
            guard let expected = Self.readable[who] else { return }
            for name in Self.ofHer {
                let may = who == .administrator ? expected.contains(name) : name == "title"
                let filters: [Filter] = [
                    .attribute(name).present, .not(.attribute(name).present),
                    .all(.everything, .any(.attribute(name).present)),
                    .attribute(name).differs(from: name == "salary" ? 7 : "7"), .element(name, .everything),
                ]
                for filter in filters {
                    let search = Search(filter, pageSize: 0, includesTotal: true)
                    #expect(code { try users.search(search) } == (may ? nil : .invalidFilter), "\(filter)")
                }
                #expect(
                    code { try users.search(Search(sortedBy: .init(name))) } == (may ? nil : .invalidFilter), "\(name)")
            }
            let roles = view(who).roles
            let secret = code { try roles.search(Search(.attribute("budget").equals("100"))) }
            #expect(secret == (who == .administrator ? nil : .invalidFilter))
        }
    }

    @Test(
        "Only administrators create, delete, and change roles, managers and attributes", arguments: Place.allCases,
        Who.allCases)
    func changing(place: Place, who: Who) throws {
        try Self.withCallers(place) { (directory: Directory, view: Callers) throws in
            let view = view(who)
            let expected: DirectoryError.Code? = who == .administrator ? nil : .notPermitted
            let verbs: [(String, () throws -> Void)] = [
                ("create user", { try view.users.create("new") }),
                ("rename", { try view.users.modify("ada", attributes: ["uid": "a"]) }),
                (
                    "rename back",
                    { try view.users.modify(who == .administrator ? "a" : "ada", attributes: ["uid": "ada"]) }
                ),
                ("title", { try view.users.modify("ada", attributes: ["title": "x"]) }),
                ("mail", { try view.users.modify("ada", attributes: ["mail": "x@x.org"]) }),
                ("disable", { try view.users.modify("ada", attributes: ["active": false]) }),
                ("manager", { try view.users.setManager("boss", of: "ada") }),
                ("no manager", { try view.users.setManager(nil, of: "ada") }),
                ("create role", { try view.roles.create("new") }),
                ("modify role", { try view.roles.modify("staff", attributes: ["description": "x"]) }),
                ("add", { try view.roles.add([.user("eve")], to: "staff") }),
                ("remove", { try view.roles.remove([.user("eve")], from: "staff") }),
                ("own", { try view.roles.add([.user("ada")], to: "staff", as: .owner) }),
                ("delete role", { try view.roles.delete("new") }),
                ("declare", { try view.attributes.declare([AttributeDefinition("own")]) }),
                ("changes", { _ = try view.changes.forAdministrators.since(0) }),
                ("compact", { try view.changes.compact(through: 1) }), ("check", { _ = try view.check() }),
                ("delete user", { try view.users.delete("new") }),
            ]
            let before = try directory.unrestricted.changes.lastSequence()
            for (name, verb) in verbs { #expect(code(of: verb) == expected, "\(name)") }
            if expected != nil { #expect(try directory.unrestricted.changes.lastSequence() == before) }
        }
    }

    @Test("A person writes what is theirs of their own, and of nobody else", arguments: Place.allCases, Who.allCases)
    func ownAttributes(place: Place, who: Who) throws {
        try Self.withCallers(place) { (directory: Directory, view: Callers) throws in
            let users = view(who).users
            let expected: DirectoryError.Code? = who == .administrator || who == .herself ? nil : .notPermitted
            let own: AttributeSet = ["mobile": "1", "description": "x", "displayName": "A", "diary": "d"]
            for entry in own {
                let result = code { try users.modify("ada", [.set(entry.name, entry.value)]) }
                #expect(result == expected, "\(entry.name)")
            }
            let mixed = code { try users.modify("ada", attributes: ["mobile": "9", "title": "Queen"]) }
            let mayMix: DirectoryError.Code? = who == .administrator ? nil : .notPermitted
            #expect(mixed == mayMix)
            if who == .herself {
                let ada = try users.user("ada")
                #expect(ada.mobile == "1", "nothing of a mixed change is kept")
            }
            let actor = try directory.unrestricted.changes.since(0).last?.actor
            if who == .administrator { #expect(actor == "root") }
            if who == .herself {
                let id = try users.user("ada").id.description
                #expect(actor == id)
            }
        }
    }

    @Test(
        "Who has not signed in, is disabled or deleted may not even read", arguments: Place.allCases,
        [Who.nobody, .disabled, .deleted])
    func closedDoor(place: Place, who: Who) throws {
        try Self.withCallers(place) { (directory: Directory, view: Callers) throws in
            let view = view(who)
            let verbs: [(String, () throws -> Void)] = [
                ("user", { _ = try view.users.user("ada") }), ("no user", { _ = try view.users.user("nobody") }),
                ("count", { _ = try view.users.count() }), ("search", { _ = try view.users.search(Search()) }),
                ("manager", { _ = try view.users.manager(of: "ada") }),
                ("chain", { _ = try view.users.chain(of: "ada") }),
                ("below", { _ = try view.users.below("boss") }), ("role", { _ = try view.roles.role("staff") }),
                ("members", { _ = try view.roles.users(of: "staff") }),
                ("roles", { _ = try view.roles.search(Search()) }),
                ("own", { _ = try view.users.user("off") }), ("top", { _ = try view.users.withoutManager() }),
                ("common", { _ = try view.users.lowestCommonManager(of: ["ada", "lead"]) }),
            ]
            for (name, verb) in verbs { #expect(code(of: verb) == .notPermitted, "\(name)") }
            if who == .disabled {
                try directory.unrestricted.users.modify("off", attributes: ["active": true])
                #expect(try view.users.user("ada").uid == "ada", "enabled again, at once")
                try directory.unrestricted.users.modify("off", attributes: ["active": false])
                #expect(code { try view.users.user("ada") } == .notPermitted, "and at once disabled")
            }
        }
    }

    @Test("Nobody is a manager of people who report to them no longer", arguments: Place.allCases)
    func formerManager(place: Place) throws {
        try Self.withCallers(place) { (directory: Directory, view: Callers) throws in
            #expect(try view(.boss).users.user("ada")["salary"] == 7)
            try directory.unrestricted.users.setManager(nil, of: "lead")
            #expect(try view(.boss).users.user("ada")["salary"] == nil)
            #expect(try view(.lead).users.user("ada")["salary"] == 7)
        }
    }
}
