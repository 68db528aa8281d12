import Foundation
import Roster
import Testing
import TestSupport

@Suite("Rules for the values of attributes")
struct RulesTests {
    static let definitions = [
        AttributeDefinition("badge", rules: .pattern("[A-Z]{2}[0-9]{2}")),
        AttributeDefinition("nick", rules: [.minimumLength(2), .maximumLength(4)]),
        AttributeDefinition("tags", isMultiValued: true, rules: [.pattern(#"\p{L}+"#), .unique]),
        AttributeDefinition("level", kind: .integer, rules: [.minimum(1), .maximum(5)]),
        AttributeDefinition("share", kind: .decimal, rules: [.minimum(0), .maximum(0.5)]),
        AttributeDefinition("code", of: .role, rules: .pattern("[a-z]+")),
    ]
    static let good: [AttributeSet] = [
        ["badge": "AB12"], ["badge": ""], ["nick": "éé"], ["nick": "\u{1F600}abc"], ["tags": ["Zoë", "漢"]],
        ["level": 5],
        ["share": 0.5], ["share": 0], ["mail": "ada@example.com"], ["hireDate": "2026-01-31"], ["dateOfBirth": "1815"],
    ]
    static let bad: [AttributeSet] = [
        ["badge": "ab12"], ["badge": "AB123"], ["badge": "xAB12"], ["nick": "a"], ["nick": "abcde"],
        ["tags": ["ok", "no 1"]], ["level": 0], ["level": .integer(.max)], ["level": .integer(.min)], ["share": 0.51],
        ["share": -0.1], ["mail": "nobody"], ["emails": ["a@x", ["value": "b c@x", "type": "home"]]],
        ["emails": [["value": 5]]], ["hireDate": "2025-02-30"], ["dateOfBirth": "31.12.1990"],
        ["activeStartDate": "now"],
        ["activeEndDate": "2026-13-01"],
    ]

    private func withRules(_ place: Place, _ body: (DirectoryView) throws -> Void) throws {
        try withDirectory(place) { directory in
            try directory.unrestricted.attributes.declare(Self.definitions)
            try body(directory.unrestricted)
        }
    }

    @Test("Every way to write a value accepts a value that obeys the rules", arguments: Place.allCases)
    func taken(place: Place) throws {
        try withRules(place) { view in
            for (number, attributes) in Self.good.enumerated() {
                try view.users.create("u\(number)", attributes: attributes)
                try view.users.modify(.named("u\(number)"), attributes: attributes)
            }
            try view.roles.create("r", attributes: ["code": "abc"])
            #expect(try view.check().isEmpty)
        }
    }

    @Test("Every way to write a value refuses a value that breaks the rules, and names the attribute but no value")
    func refused() throws {
        try withRules(.memory) { view in
            try view.users.create("old")
            let before = try view.changes.lastSequence()
            for attributes in Self.bad {
                let name = try #require(attributes.first { _ in true }?.name)
                let changes = attributes.map { AttributeChange.set($0.name, $0.value) }
                var writes: [() throws -> Void] = [
                    { try view.users.create("new", attributes: attributes) },
                    { try view.users.modify("old", attributes: attributes) },
                    { _ = try view.users.load([NewUser("new", attributes: attributes)]) },
                    { _ = try view.perform([.createUser(NewUser("new", attributes: attributes))]) },
                    { _ = try view.perform([.modifyUser("old", changes)]) },
                    { try view.transaction { _ = try $0.users.create("new", attributes: attributes) } },
                ]
                if name == "tags" || name == "emails" {
                    writes.append {
                        try view.users.modify("old", changes.map { .add($0.name, attributes[$0.name]?.elements ?? []) })
                    }
                }
                for write in writes {
                    let error = #expect(throws: DirectoryError.self, "\(attributes)") { try write() }
                    #expect(
                        error?.code == .invalidAttribute && error?.attribute == name, "\(String(describing: error))")
                    for value in attributes[name]?.elements ?? [] {
                        guard case .string(let text) = value, text.count > 4 else { continue }
                        #expect(error?.message.contains(text) == false)
                    }
                }
            }
            #expect(code { try view.roles.create("r", attributes: ["code": "A"]) } == .invalidAttribute)
            try view.roles.create("r")
            #expect(code { try view.roles.modify("r", attributes: ["code": "A"]) } == .invalidAttribute)
            #expect(try view.changes.lastSequence() == before + 1)
        }
    }

    @Test("Imports report a row that breaks a rule and leave it out, or stop at it")
    func importing() throws {
        try withRules(.memory) { view in
            let files: [(ExchangeFormat, String)] = [
                (.csv, "uid,mail,badge,hireDate\na,a@x,AB12,2020\nb,bad,,\nc,,ab,\nd,,,2025-02-30\ne,e@x,,\n"),
                (
                    .ldif,
                    """
                    dn: uid=a,ou=people
                    uid: a
                    mail: a@x

                    dn: uid=b,ou=people
                    uid: b
                    mail: bad

                    dn: uid=c,ou=people
                    uid: c
                    badge: ab

                    dn: uid=d,ou=people
                    uid: d
                    hireDate: 2025-02-30

                    dn: uid=e,ou=people
                    uid: e

                    """
                ),
                (
                    .json,
                    """
                    {"people": [{"uid": "a", "mail": "a@x"}, {"uid": "b", "mail": "bad"}, {"uid": "c", "badge": "ab"},
                    {"uid": "d", "hireDate": "2025-02-30"}, {"uid": "e"}]}
                    """
                ),
            ]
            for (format, text) in files {
                let data = Data(text.utf8)
                #expect(throws: DirectoryError.self) {
                    try view.importPeople(from: data, named: "f", options: .init(format: format))
                }
                let report = try view.importPeople(
                    from: data, named: "f", options: .init(format: format, onBadRow: .skip))
                #expect(report.users.created + report.users.unchanged + report.users.changed == 2, "\(format)")
                #expect(report.problems.map(\.uid) == ["b", "c", "d"] && report.leftOut == 3, "\(format)")
                let mail = format == .ldif ? "emails" : "mail"
                #expect(report.problems.map(\.field) == [mail, "badge", "hireDate"], "\(format) \(report.problems)")
                #expect(try view.users.count() == 2)
                for uid in ["a", "e"] { try view.users.delete(.named(uid)) }
            }
        }
    }

    @Test("A seed declares rules, including the rules of mail, and an export contains them")
    func seeds() throws {
        let json = """
            {"attributes": [
            {"name": "badge", "type": "integer", "pattern": "[0-9]{4}", "unique": true, "minimum": 1000, "maximum": 2000.5},
            {"name": "nick", "minimumLength": 2, "maximumLength": 4}, {"name": "mail", "unique": true}],
            "people": [{"uid": "ada", "badge": 1234, "nick": "abc", "mail": "ada@x"}]}
            """
        let view = try emptyDirectory().unrestricted
        let seed = try Seed(json: Data(json.utf8), name: "s")
        #expect(try view.load(seed).attributes.created == 2)
        #expect(try view.load(seed).attributes.unchanged == 3, "loading it again changes nothing")
        #expect(code { try view.users.create("eve", attributes: ["mail": "ADA@x"]) } == .alreadyExists)
        func export(_ view: DirectoryView) throws -> Data {
            var data = Data()
            try view.export(.json) { data += $0 }
            return data
        }
        let copy = try emptyDirectory().unrestricted
        try copy.load(Seed(json: try export(view), name: "copy"))
        #expect(try export(copy) == export(view))
        #expect(
            copy.attributes.vocabulary().definition(of: "badge")?.rules == [
                .unique, .pattern("[0-9]{4}"), .minimum(1000), .maximum(2000.5),
            ])
        for (text, line) in [
            ("{\"attributes\": [\n{\"name\": \"a\", \"pattern\": \"(\"}]}", 2),
            ("{\"attributes\": [\n{\"name\": \"a\",\n\"minimumLength\": \"2\"}]}", 3),
            ("{\"attributes\": [\n{\"name\": \"title\", \"unique\": true}]}", 2),
            (
                "{\"attributes\": [{\"name\": \"b\", \"pattern\": \"[0-9]\"}], \"people\": [{\"uid\": \"x\",\n\"b\": \"a\"}]}",
                2
            ),
        ] {
            let error = #expect(throws: DirectoryError.self) {
                try copy.load(Seed(json: Data(text.utf8), name: "s.json"))
            }
            #expect(error?.message.hasPrefix("s.json, line \(line)") == true, "\(error?.message ?? "")")
        }
    }

    @Test("Rules that an attribute cannot have are refused")
    func impossible() throws {
        let attributes = try emptyDirectory().unrestricted.attributes
        for (kind, rules) in [
            (.string, .pattern("(")), (.string, .pattern("(a{1000}){1000}")), (.boolean, .pattern("true")),
            (.integer, .minimumLength(1)), (.string, .minimum(1)), (.string, .minimumLength(-1)),
            (.string, .maximumLength(0)), (.string, [.minimumLength(3), .maximumLength(2)]),
            (.integer, [.minimum(3), .maximum(2)]), (.decimal, .minimum(.nan)), (.decimal, .maximum(.infinity)),
            (.binary, .unique), (.binary, .maximumLength(3)),
        ] as [(AttributeDefinition.Kind, AttributeRules)] {
            #expect(code { try attributes.declare("a", kind, rules: rules) } == .invalidAttribute, "\(kind) \(rules)")
        }
        #expect(
            code { try attributes.declare(AttributeDefinition("a", of: .role, rules: .unique)) } == .invalidAttribute)
        for name in ["title", "employeeNumber", "phoneNumbers", "uid", "nosuch"] as [AttributeName] {
            #expect(code { try attributes.setRules(.maximumLength(5), of: name) } == .invalidAttribute, "\(name)")
        }
        #expect(attributes.vocabulary().declared.isEmpty)
    }

    // MARK: Later rules

    @Test("Rules can be added and removed later; rules that stored values break are refused with a count and a name")
    func later() throws {
        try AttributeLifeTests.everywhere {
            try $0.attributes.declare([
                AttributeDefinition("badge"), AttributeDefinition("tags", isMultiValued: true, isIndexed: false),
            ])
            for (uid, badge, tags) in [("ada", "AB12", ["a"]), ("bob", "sec-ret", ["b", "c"]), ("cleo", "no", ["C"])] {
                try $0.users.create(
                    .init(uid), attributes: ["badge": .string(badge), "tags": .list(tags.map { .string($0) })])
            }
        } _: { view in
            let attributes = view.attributes
            let before = try view.changes.lastSequence()
            let broken = #expect(throws: DirectoryError.self) {
                try attributes.setRules(.pattern("[A-Z]{2}[0-9]{2}"), of: "badge")
            }
            #expect(broken?.code == .invalidAttribute)
            #expect(broken?.message.contains("2 users, for example 'bob'") == true, "\(broken?.message ?? "")")
            #expect(broken?.message.contains("sec-ret") == false && broken?.advice?.contains("sec-ret") == false)
            let shared = #expect(throws: DirectoryError.self) { try attributes.setRules(.unique, of: "tags") }
            #expect(shared?.code == .alreadyExists, "case does not count")
            #expect(shared?.message.contains("2 users") == true && shared?.message.contains("'bob'") == true)
            #expect(try view.changes.lastSequence() == before)
            #expect(attributes.vocabulary().definition(of: "tags")?.isIndexed == false)

            try view.users.modify("bob", [.set("badge", "BB22"), .remove("tags", ["c"])])
            try view.users.modify("cleo", [.clear("badge")])
            try attributes.setRules(.pattern("[A-Z]{2}[0-9]{2}"), of: "badge")
            try attributes.setRules(.unique, of: "tags")
            #expect(attributes.vocabulary().definition(of: "tags")?.isIndexed == true)
            let change = try #require(try view.changes.since(view.changes.lastSequence() - 1).first)
            #expect(change.name == "tags" && change.after == ["unique": true, "indexed": true])
            #expect(code { try view.users.modify("ada", [.add("tags", ["B"])]) } == .alreadyExists)
            #expect(code { try view.users.modify("ada", attributes: ["badge": "x"]) } == .invalidAttribute)
            #expect(try view.check().isEmpty)
            try attributes.setRules([], of: "badge")
            try attributes.setRules([], of: "tags")
            try view.users.modify("ada", [.set("badge", "x"), .add("tags", ["B"])])
        }
    }

    @Test("Rules cannot be used to ask for the values of a secret")
    func secrets() throws {
        let view = try emptyDirectory().unrestricted
        try view.attributes.declare(AttributeDefinition("pin", rules: .minimumLength(4), readers: .nobody))
        try view.attributes.setRules([.minimumLength(4), .pattern("[0-9]+")], of: "pin")
        #expect(code { try view.users.create("ada", attributes: ["pin": "abcd"]) } == .invalidAttribute)
        try view.users.create("ada", attributes: ["pin": "1234"])
        let errors = ["1.*", "2.*"].map { pattern in
            #expect(throws: DirectoryError.self) { try view.attributes.setRules(.pattern(pattern), of: "pin") }?.message
        }
        #expect(errors[0] == errors[1])
        try view.attributes.setRules([], of: "pin")
    }

    // MARK: mail

    @Test("mail can be unique among all addresses of all users, and can cease to be")
    func uniqueMail() throws {
        try AttributeLifeTests.everywhere {
            try $0.users.create("ada", attributes: ["emails": ["ada@x.org", ["value": "Home@x.org", "type": "home"]]])
            try $0.users.create("bob", attributes: ["mail": "home@X.org"])
            let error = #expect(throws: DirectoryError.self) { [view = $0] in
                try view.attributes.setRules(.unique, of: "mail")
            }
            #expect(error?.code == .alreadyExists && error?.message.contains("'ada'") == true)
            try $0.users.modify("bob", attributes: ["mail": "bob@x.org"])
            try $0.attributes.setRules([.unique, .pattern(#".*@x\.org"#)], of: "mail")
        } _: { view in
            let vocabulary = view.attributes.vocabulary()
            #expect(
                vocabulary.definition(of: "emails")?.isUnique == true
                    && vocabulary.definition(of: "mail")?.isUnique == true)
            #expect(vocabulary.declared.isEmpty)
            #expect(code { try view.users.create("eve", attributes: ["mail": "HOME@x.org"]) } == .alreadyExists)
            #expect(code { try view.users.create("eve", attributes: ["mail": "eve@y.org"]) } == .invalidAttribute)
            #expect(code { try view.users.modify("bob", [.add("emails", ["ADA@x.org"])]) } == .alreadyExists)
            try view.users.modify("ada", [.set("emails", ["ada@x.org"])])
            try view.users.modify("bob", [.add("emails", ["home@x.org"])])
            try view.users.create("cleo")
            #expect(try view.users.load([NewUser("dora", attributes: ["mail": "d@x.org"])]) == 1)
            #expect(code { try view.users.load([NewUser("ed", attributes: ["mail": "D@x.org"])]) } == .alreadyExists)
            try view.attributes.setRules([], of: "emails")
            try view.users.modify("cleo", attributes: ["mail": "ada@x.org"])
            #expect(try view.check().isEmpty)
        }
    }

    // MARK: Many at once

    @Test("Of eight writers of the same value one succeeds, whatever the attribute", arguments: Place.allCases)
    func racing(place: Place) async throws {
        try await withDirectory(place) { directory in
            let view = directory.unrestricted
            try await view.attributes.declare([
                AttributeDefinition("badge", rules: .unique),
                AttributeDefinition("tags", isMultiValued: true, rules: .unique),
            ])
            try await view.attributes.setRules(.unique, of: "mail")
            for round in 0..<20 {
                for (name, value) in [
                    ("badge", .string("B\(round)")), ("tags", .list([.string("T\(round)")])),
                    ("mail", .string("m\(round)@x.org")),
                ] as [(AttributeName, AttributeValue)] {
                    let winners = await withTaskGroup(of: Int.self) { group in
                        for writer in 0..<8 {
                            group.addTask {
                                let uid = "\(name)-\(round)-\(writer)"
                                var value = value
                                if case .list(let elements) = value { value = .list([elements[0], .string(uid)]) }
                                return (try? await view.users.create(uid, attributes: [name: value])) == nil ? 0 : 1
                            }
                        }
                        return await group.reduce(0, +)
                    }
                    #expect(winners == 1, "\(name) \(round)")
                }
            }
            #expect(try await view.users.count() == 60)
        }
    }

    @Test("A writer in the same commit as a new rule obeys the rule", arguments: Place.allCases)
    func racingRules(place: Place) async throws {
        for round in 0..<15 {
            try await withDirectory(place) { directory in
                let view = directory.unrestricted
                try await view.attributes.declare("badge")
                await withTaskGroup(of: Void.self) { group in
                    for writer in 0..<8 {
                        group.addTask {
                            for number in 0..<4 {
                                _ = try? await view.users.create(
                                    "u\(writer)-\(number)", attributes: ["badge": .string("B\(number)")])
                            }
                        }
                        if writer == 3 {
                            group.addTask {
                                try? await view.attributes.setRules([.unique, .maximumLength(2)], of: "badge")
                            }
                        }
                        if writer == 5 {
                            group.addTask { try? await view.attributes.rename("badge", to: "pass") }
                        }
                    }
                }
                let definition = view.attributes.vocabulary().declared.first
                #expect(definition?.name == "pass", "round \(round)")
                let values = try await view.users.search(Search(pageSize: 100)).elements.compactMap { $0["pass"]?.text }
                if definition?.isUnique == true { #expect(Set(values).count == values.count, "round \(round)") }
                #expect(try await view.check().isEmpty)
                for user in try await view.users.search(Search(pageSize: 100)).elements {
                    #expect(!user.attributes.contains { $0.name == "badge" }, "no value keeps the old name")
                }
            }
        }
    }
}
