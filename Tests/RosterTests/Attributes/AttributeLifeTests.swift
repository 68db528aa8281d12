import Foundation
import Roster
import Testing
import TestSupport

@Suite("The life of declared attributes")
struct AttributeLifeTests {
    /// Runs a test on a directory in memory, in a file, and in a file that was opened again after `prepare`.
    static func everywhere(
        _ prepare: (DirectoryView) throws -> Void, _ body: (DirectoryView) throws -> Void
    ) throws {
        for place in Place.allCases {
            try withDirectory(place) { directory in
                try prepare(directory.unrestricted)
                try body(directory.unrestricted)
            }
        }
        try withFolder { folder in
            let file = folder.appendingPathComponent("d.db")
            var directory = try Directory(at: file)
            try prepare(directory.unrestricted)
            directory.close()
            directory = try reopen(file)
            try body(directory.unrestricted)
            #expect(try directory.unrestricted.check().isEmpty)
        }
    }

    private func found(_ view: DirectoryView, _ filter: Filter) throws -> [String] {
        try view.users.search(Search(filter, sortedBy: .init("uid"))).elements.map(\.uid)
    }

    private func lastChange(_ view: DirectoryView) throws -> Change {
        try #require(try view.changes.since(view.changes.lastSequence() - 1).first)
    }

    // MARK: Widening

    @Test("A widened attribute keeps and finds every value, and accepts the wider ones")
    func widening() throws {
        try Self.everywhere {
            try $0.attributes.declare([
                AttributeDefinition("badge", kind: .integer), AttributeDefinition("joined", kind: .time),
                AttributeDefinition("remote", kind: .boolean), AttributeDefinition("rank", of: .role, kind: .integer),
            ])
            try $0.users.create(
                "ada", attributes: ["badge": 7, "joined": .time(Date(timeIntervalSince1970: 0)), "remote": true])
            try $0.users.create("bob", attributes: ["badge": 12])
            try $0.roles.create("staff", attributes: ["rank": 3])
            try $0.attributes.widen("badge", to: .decimal)
            try $0.attributes.widen("rank", isMultiValued: true)
        } _: { view in
            #expect(try view.users.user("ada")["badge"] == .decimal(7))
            #expect(try found(view, .attribute("badge").isLess(than: 7.5)) == ["ada"])
            #expect(try view.roles.role("staff").attributes["rank"] == [3])
            try view.users.modify("bob", attributes: ["badge": 12.5])
            try view.attributes.widen("badge", to: .string)
            #expect(try view.users.user("ada")["badge"] == "7.0")
            #expect(try found(view, .attribute("badge").equals("12.5")) == ["bob"])
            try view.attributes.widen("joined", to: .string, isMultiValued: true)
            #expect(try view.users.user("ada")["joined"] == ["1970-01-01T00:00:00.000Z"])
            try view.users.modify("ada", [.add("joined", ["later"])])
            #expect(try found(view, .attribute("joined").equals("later")) == ["ada"])
            try view.attributes.widen("remote", to: .string)
            #expect(try found(view, .attribute("remote").equals("TRUE")) == ["ada"])
            #expect(try view.check().isEmpty)
            let change = try lastChange(view)
            #expect(change.kind == .modified && change.entity == .attribute && change.name == "remote")
            #expect(change.before == ["type": "boolean"] && change.after == ["type": "string"])
        }
    }

    @Test("A change that could lose stored values is refused, with the reason and the number of users concerned")
    func refusedWidening() throws {
        try Self.everywhere {
            try $0.attributes.declare([
                AttributeDefinition("badge", kind: .integer), AttributeDefinition("tags", isMultiValued: true),
                AttributeDefinition("scan", kind: .binary),
                AttributeDefinition("code", isCaseExact: true, rules: [.unique]),
                AttributeDefinition("level", kind: .integer, rules: .minimum(0)),
            ])
            try $0.users.create("ada", attributes: ["badge": .integer(.max), "code": "a"])
            try $0.users.create("bob", attributes: ["badge": 7, "code": "A"])
        } _: { view in
            let attributes = view.attributes
            let before = try view.changes.lastSequence()
            for (name, kind) in [("tags", .integer), ("badge", .time), ("scan", .string), ("badge", .complex)]
                as [(AttributeName, AttributeDefinition.Kind)]
            { #expect(code { try attributes.widen(name, to: kind) } == .invalidAttribute, "\(name)") }
            #expect(code { try attributes.widen("tags", isMultiValued: false) } == .invalidAttribute)
            #expect(
                code { try attributes.widen("level", to: .string) } == .invalidAttribute, "text has no least number")
            #expect(code { try attributes.widen("code", isCaseExact: false) } == .alreadyExists)
            #expect(code { try attributes.widen("title", to: .integer) } == .invalidAttribute)
            #expect(code { try attributes.widen("nosuch", to: .integer) } == .invalidAttribute)
            let error = #expect(throws: DirectoryError.self) { try attributes.widen("badge", to: .decimal) }
            #expect(error?.message.contains("1 user, for example 'ada'") == true, "\(error?.message ?? "")")
            #expect(error?.message.contains("9223372036854775807") == false)
            #expect(try view.changes.lastSequence() == before)
            #expect(try view.users.user("ada")["badge"] == .integer(.max) && view.users.user("bob")["badge"] == 7)
            try attributes.widen("code")
            #expect(try view.changes.lastSequence() == before, "a change that changes nothing has no entry")
        }
    }

    @Test("An attribute whose case no longer counts is found in any case, and back")
    func cases() throws {
        try Self.everywhere {
            try $0.attributes.declare(AttributeDefinition("code", isCaseExact: true))
            try $0.users.create("ada", attributes: ["code": "aBc"])
            #expect(try found($0, .attribute("code").equals("ABC")).isEmpty)
            try $0.attributes.widen("code", isCaseExact: false)
        } _: { view in
            #expect(try found(view, .attribute("code").equals("ABC")) == ["ada"])
            try view.attributes.widen("code", isCaseExact: true)
            #expect(try found(view, .attribute("code").equals("ABC")).isEmpty)
            #expect(try found(view, .attribute("code").equals("aBc")) == ["ada"])
        }
    }

    // MARK: Renaming

    @Test("A renamed attribute keeps its values, index, rights and rules, and its old name is free")
    func renaming() throws {
        try Self.everywhere {
            try $0.attributes.declare([
                AttributeDefinition("badge", rules: [.unique, .pattern("[A-Z][0-9]+")], readers: .person),
                AttributeDefinition("rank", of: .role, kind: .integer),
            ])
            try $0.users.create("ada", attributes: ["badge": "B7", "title": "the \"badge\" of Countess"])
            try $0.users.create("bob", attributes: ["description": "\"badge\""])
            try $0.roles.create("staff", attributes: ["rank": 3])
            try $0.attributes.rename("badge", to: "pass")
            try $0.attributes.rename("rank", to: "level")
        } _: { view in
            let ada = try view.users.user("ada")
            #expect(ada["pass"] == "B7" && ada["badge"] == nil && ada.title == "the \"badge\" of Countess")
            #expect(ada.version == 1)
            #expect(try found(view, .attribute("pass").equals("b7")) == ["ada"])
            #expect(code { try found(view, .attribute("badge").present) } == .invalidFilter)
            #expect(code { try view.users.modify("ada", attributes: ["badge": "X1"]) } == .invalidAttribute)
            #expect(
                code { try view.users.modify("bob", attributes: ["pass": "b7"]) } == .invalidAttribute, "the pattern")
            #expect(code { try view.users.modify("bob", attributes: ["pass": "B7"]) } == .alreadyExists)
            #expect(try view.roles.role("staff").attributes["level"] == 3)
            let bob = try view.users.user("bob").id
            #expect(view.attributes.vocabulary().definition(of: "pass")?.readers == .person)
            try view.users.modify(.id(bob), attributes: ["pass": "B8"])
            let change = try lastChange(view)
            #expect(change.after["pass"] == "B8" && change.after["badge"] == nil)
            let renaming = try #require(try view.changes.since(0).first { $0.after["name"] == "pass" })
            #expect(renaming.before == ["name": "badge"] && renaming.entity == .attribute)
            try view.attributes.declare("badge", .integer)
            try view.users.modify("ada", attributes: ["badge": 5])
            #expect(try view.users.user("ada")["pass"] == "B7" && view.users.user("ada")["badge"] == 5)
            #expect(try view.check().isEmpty)
        }
    }

    @Test("A new name must be valid and free; a name may change its case")
    func refusedRenaming() throws {
        try withDirectory(.usual) { directory in
            let attributes = directory.unrestricted.attributes
            try attributes.declare([AttributeDefinition("badge"), AttributeDefinition("other", of: .role)])
            try directory.unrestricted.users.create("ada", attributes: ["badge": "B7"])
            for name in ["title", "sn", "userName", "other", "uid"] as [AttributeName] {
                #expect(code { try attributes.rename("badge", to: name) } == .alreadyExists, "\(name)")
            }
            for name in ["", "1a", "a b", "members"] as [AttributeName] {
                #expect(code { try attributes.rename("badge", to: name) } == .invalidAttribute, "\(name)")
            }
            #expect(code { try attributes.rename("title", to: "heading") } == .invalidAttribute)
            #expect(code { try attributes.rename("nosuch", to: "heading") } == .invalidAttribute)
            try attributes.rename("badge", to: "Badge")
            #expect(try directory.unrestricted.users.user("ada").attributes["Badge"] == "B7")
        }
    }

    // MARK: Indexes

    @Test("An index finds older and newer values, and a search without the index finds the same")
    func indexing() throws {
        try Self.everywhere {
            try $0.attributes.declare(AttributeDefinition("tags", isMultiValued: true, isIndexed: false))
            for number in 0..<1_100 {
                try $0.users.create("u\(number)", attributes: ["tags": [.string("T\(number % 10)"), "all"]])
            }
            try $0.attributes.index("tags")
        } _: { view in
            #expect(view.attributes.vocabulary().definition(of: "tags")?.isIndexed == true)
            #expect(try view.users.count(matching: .attribute("tags").equals("t3")) == 110)
            try view.users.modify("u3", [.remove("tags", ["T3"])])
            #expect(try view.users.count(matching: .attribute("tags").equals("t3")) == 109)
            #expect(try view.check().isEmpty)
            try view.attributes.removeIndex(of: "tags")
            #expect(try view.users.count(matching: .attribute("tags").equals("t3")) == 109)
            let change = try lastChange(view)
            #expect(change.before == ["indexed": true] && change.after == ["indexed": false])
            try view.users.delete("u13")
            #expect(try view.check().isEmpty)
        }
    }

    @Test("Searches find the same while an index is built and removed", arguments: Place.allCases)
    func searchingMeanwhile(place: Place) async throws {
        try await withDirectory(place) { directory in
            let view = directory.unrestricted
            try await view.attributes.declare("badge")
            for number in 0..<50 {
                try await view.users.create("u\(number)", attributes: ["badge": .string("B\(number % 5)")])
            }
            try await withThrowingTaskGroup(of: Set<Int>.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        var counts: Set<Int> = []
                        for _ in 0..<300 {
                            counts.insert(
                                try view.users.search(Search(.attribute("badge").equals("b1"))).elements.count)
                        }
                        return counts
                    }
                }
                for _ in 0..<60 {
                    try await view.attributes.removeIndex(of: "badge")
                    try await view.attributes.index("badge")
                }
                for try await counts in group { #expect(counts == [10]) }
            }
        }
    }

    @Test("Unique attributes keep their index; roles and bytes have none")
    func refusedIndexing() throws {
        try withDirectory(.usual) { directory in
            let attributes = directory.unrestricted.attributes
            try attributes.declare([
                AttributeDefinition("badge", isUnique: true),
                AttributeDefinition("rank", of: .role, isIndexed: false),
                AttributeDefinition("scan", kind: .binary, isIndexed: false),
            ])
            #expect(code { try attributes.removeIndex(of: "badge") } == .invalidAttribute)
            for name in ["rank", "scan", "nosuch"] as [AttributeName] {
                #expect(code { try attributes.index(name) } == .invalidAttribute, "\(name)")
            }
        }
    }

    // MARK: Undeclaring

    @Test("An attribute with values is undeclared only together with its values, and each removal is a change")
    func undeclaring() throws {
        try Self.everywhere {
            try $0.attributes.declare([
                AttributeDefinition("badge", kind: .integer), AttributeDefinition("rank", of: .role, kind: .integer),
                AttributeDefinition("pin", readers: .nobody),
            ])
            for uid in ["ada", "bob"] {
                try $0.users.create(uid, attributes: ["badge": 7, "title": "x", "pin": "secret7"])
            }
            try $0.users.create("cleo")
            try $0.roles.create("staff", attributes: ["rank": 3])
        } _: { view in
            let before = try view.changes.lastSequence()
            let error = #expect(throws: DirectoryError.self) { try view.attributes.undeclare("badge") }
            #expect(error?.code == .invalidAttribute && error?.message.contains("2 users, for example 'ada'") == true)
            #expect(code { try view.attributes.undeclare("rank") } == .invalidAttribute)
            #expect(code { try view.attributes.undeclare("title") } == .invalidAttribute)
            #expect(try view.changes.lastSequence() == before)
            try view.attributes.undeclare("badge", removingValues: true)
            let changes = try view.changes.since(before)
            #expect(changes.map(\.name) == ["ada", "bob", "badge"])
            #expect(changes.map(\.kind) == [.modified, .modified, .deleted])
            #expect(changes[0].before == ["badge": 7] && changes[0].after.isEmpty)
            let ada = try view.users.user("ada")
            #expect(ada["badge"] == nil && ada.title == "x" && ada.version == 2)
            #expect(try view.users.user("cleo").version == 1)
            #expect(code { try view.users.modify("ada", attributes: ["badge": 7]) } == .invalidAttribute)
            try view.attributes.undeclare("rank", removingValues: true)
            #expect(try view.roles.role("staff").attributes["rank"] == nil)
            try view.attributes.undeclare("pin", removingValues: true)
            #expect(try !"\(view.changes.since(0))".contains("secret7"))
            #expect(try view.check().isEmpty)
            try view.attributes.declare(AttributeDefinition("badge"))
            try view.users.modify("ada", attributes: ["badge": "seven"])
            #expect(try found(view, .attribute("badge").equals("Seven")) == ["ada"])
        }
    }

    // MARK: Callers, transactions

    @Test("Administrators alone change attributes, and the asynchronous forms do the same")
    func callers() async throws {
        let directory = try emptyDirectory()
        let id = try await directory.unrestricted.users.create("ada").id
        try await directory.unrestricted.attributes.declare("badge", .integer, rules: .unique)
        for caller in [Caller.user(id), .provisioning("hr")] {
            let attributes = directory.acting(as: caller).attributes
            #expect(code { try attributes.widen("badge", to: .string) } == .notPermitted)
            #expect(code { try attributes.rename("badge", to: "pass") } == .notPermitted)
            #expect(code { try attributes.index("badge") } == .notPermitted)
            #expect(code { try attributes.setRules([], of: "badge") } == .notPermitted)
            #expect(code { try attributes.setRules(.unique, of: "mail") } == .notPermitted)
            #expect(code { try attributes.undeclare("badge") } == .notPermitted)
        }
        let attributes = directory.unrestricted.attributes
        try await attributes.setRules([], of: "badge")
        try await attributes.removeIndex(of: "badge")
        try await attributes.index("badge")
        try await attributes.widen("badge", to: .string)
        try await attributes.rename("badge", to: "pass")
        try await attributes.undeclare("pass")
        #expect(attributes.vocabulary().declared.isEmpty)
    }

    private struct Stop: Error {}

    @Test("A transaction changes attributes and values together, or neither", arguments: Place.allCases)
    func transactions(place: Place) throws {
        try withDirectory(place) { directory in
            let view = directory.unrestricted
            try view.attributes.declare("badge", .integer)
            try view.users.create("ada", attributes: ["badge": 7])
            #expect(throws: Stop.self) {
                try view.transaction { view in
                    try view.attributes.rename("badge", to: "pass")
                    try view.users.modify("ada", attributes: ["pass": 8])
                    #expect(try view.users.user("ada")["pass"] == 8)
                    throw Stop()
                }
            }
            #expect(try view.users.user("ada")["badge"] == 7)
            try view.transaction { view in
                try view.attributes.widen("badge", to: .string)
                try view.users.modify("ada", attributes: ["badge": "seven"])
                try view.attributes.rename("badge", to: "pass")
            }
            #expect(try view.users.user("ada")["pass"] == "seven")
            try view.transaction { view in
                #expect(throws: Stop.self) {
                    try view.transaction { view in
                        try view.attributes.rename("pass", to: "ticket")
                        throw Stop()
                    }
                }
                try view.users.modify("ada", attributes: ["pass": "eight"])
            }
            #expect(view.attributes.vocabulary().definition(of: "ticket") == nil)
            #expect(try view.users.user("ada")["pass"] == "eight")
            #expect(try view.check().isEmpty)
        }
    }

    @Test("A typed name reads and writes an attribute with rules")
    func typed() throws {
        let badge = Attribute<Int>("badge")
        let view = try emptyDirectory().unrestricted
        try view.attributes.declare(AttributeDefinition(badge, rules: [.unique, .pattern("[0-9]{4}")]))
        try view.users.create("ada", attributes: [badge.name: 1234])
        #expect(try view.users.user("ada")[badge] == 1234)
        #expect(code { try view.users.modify("ada", [.set(badge, 12)]) } == .invalidAttribute)
        let stored = try #require(view.attributes.vocabulary().definition(of: badge.name))
        let decoded = try JSONDecoder().decode(AttributeDefinition.self, from: JSONEncoder().encode(stored))
        #expect(decoded == stored && decoded.rules == [.unique, .pattern("[0-9]{4}")])
    }

    @Test("The example of the article about attributes does what the article says")
    func example() throws {
        let view = try emptyDirectory().unrestricted
        let badge = Attribute<Int>("badge")
        let attributes = view.attributes
        try attributes.declare(AttributeDefinition(badge, rules: [.unique, .pattern("[0-9]{4}")]))
        try view.users.create("ada", attributes: [badge.name: 1234, .mail: "ada@example.com"])
        #expect(code { try view.users.create("bob", attributes: [badge.name: 12]) } == .invalidAttribute)
        try attributes.widen(badge.name, to: .string)
        try attributes.setRules([.unique, .pattern("[A-Z]?[0-9]{4}")], of: badge.name)
        try attributes.rename(badge.name, to: "pass")
        try view.users.modify("ada", [.set("pass", "B1234")])
        try attributes.setRules(.unique, of: .mail)
        try attributes.undeclare("pass", removingValues: true)
        #expect(try view.users.user("ada").attributes.map(\.name) == ["emails"])
    }
}
