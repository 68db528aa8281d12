import Foundation
import Roster
import Testing
import TestSupport

@Suite("Attributes")
struct AttributeTests {
    static func withAda(
        _ place: Place, _ attributes: AttributeSet = [:], _ body: (UserManager, DirectoryView) throws -> Void
    )
        throws
    {
        try withDirectory(place) { directory in
            try directory.unrestricted.attributes.declare([
                AttributeDefinition("badge", isUnique: true), AttributeDefinition("pin", readers: .nobody),
                AttributeDefinition("key", isCaseExact: true), AttributeDefinition("level", kind: .integer),
                AttributeDefinition("share", kind: .decimal), AttributeDefinition("joined", kind: .time),
                AttributeDefinition("isRemote", kind: .boolean), AttributeDefinition("scan", kind: .binary),
                AttributeDefinition("tags", isMultiValued: true),
            ])
            try directory.unrestricted.users.create("ada", attributes: attributes)
            try body(directory.unrestricted.users, directory.unrestricted)
        }
    }

    @Test("Set, add to, remove from and clear change what they name, in their order", arguments: Place.allCases)
    func changes(place: Place) throws {
        try Self.withAda(place, ["title": "Countess", "tags": ["a", "b"]]) {
            (users: UserManager, _: DirectoryView) throws in
            try users.modify("ada", [.add("tags", ["b", "c"])])
            #expect(try users.user("ada")["tags"] == ["a", "b", "c"], "what is there is not added again")
            try users.modify("ada", [.remove("tags", ["b", "x"])])
            #expect(try users.user("ada")["tags"] == ["a", "c"])
            try users.modify("ada", [.set("tags", ["z"]), .add("tags", ["y"]), .set("title", "Duchess")])
            #expect(try users.user("ada")["tags"] == ["z", "y"])
            #expect(try users.user("ada").title == "Duchess")
            try users.modify("ada", [.remove("tags", ["y", "z"])])
            #expect(try users.user("ada")["tags"] == nil, "without its last value it has none")
            try users.modify("ada", [.clear("title")])
            #expect(try users.user("ada").title == nil)
            #expect(
                code { try users.modify("ada", [.set("tags", ["q"]), .set("nonsense", "x")]) } == .invalidAttribute)
            #expect(try users.user("ada")["tags"] == nil, "all of it or nothing")
        }
    }

    @Test("What changes nothing writes nothing", arguments: Place.allCases)
    func noChange(place: Place) throws {
        try Self.withAda(place, ["title": "Countess", "tags": ["a"]]) {
            (users: UserManager, view: DirectoryView) throws in
            let before = try users.user("ada")
            let sequence = try view.changes.lastSequence()
            for changes in [
                [AttributeChange.set("title", "Countess")], [.add("tags", ["a"])], [.remove("tags", ["x"])],
                [.clear("description")], [.set("active", true)], [.clear("manager")], [.set("uid", "ada")], [],
                [.set("title", "x"), .set("title", "Countess")], [.set("description", "")],
            ] {
                #expect(try users.modify("ada", changes) == before, "\(changes)")
            }
            #expect(try view.changes.lastSequence() == sequence)
        }
    }

    @Test("A stale version is refused and nothing is lost", arguments: Place.allCases)
    func versions(place: Place) throws {
        try Self.withAda(place) { (users: UserManager, _: DirectoryView) throws in
            let ada = try users.user("ada")
            let newer = try users.modify("ada", [.set("title", "A")], ifVersion: ada.version)
            #expect(newer.version == ada.version + 1)
            #expect(code { try users.modify("ada", [.set("title", "B")], ifVersion: ada.version) } == .versionConflict)
            #expect(code { try users.delete("ada", ifVersion: ada.version) } == .versionConflict)
            #expect(code { try users.setManager(nil, of: "ada", ifVersion: ada.version) } == .versionConflict)
            #expect(try users.user("ada").title == "A")
            try users.delete("ada", ifVersion: newer.version)
            #expect(code { try users.user("ada") } == .notFound)
        }
    }

    @Test("mail is a view of the primary or first of the e-mail addresses", arguments: Place.allCases)
    func mail(place: Place) throws {
        try Self.withAda(place, ["mail": "ada@example.com"]) { (users: UserManager, _: DirectoryView) throws in
            #expect(try users.user("ada")["emails"] == ["ada@example.com"])
            try users.modify(
                "ada", [.set("emails", ["a@x.org", ["value": "b@x.org", "primary": true, "type": "work"]])])
            #expect(try users.user("ada").mail == "b@x.org")
            try users.modify("ada", [.set("mail", "c@x.org")])
            let emails = try users.user("ada")["emails"]
            #expect(emails == ["a@x.org", ["value": "c@x.org", "primary": true, "type": "work"]])
            #expect(try users.search(Search(.mail.equals("A@X.ORG"))).elements.count == 1, "any address is found")
            #expect(try users.search(Search(.mail.equals("b@x.org"))).elements.count == 0)
            try users.modify("ada", [.remove("emails", ["c@x.org"])])
            #expect(try users.user("ada").mail == "a@x.org")
            try users.modify("ada", [.clear("mail")])
            #expect(try users.user("ada")["emails"] == nil)
            #expect(
                code {
                    try users.modify(
                        "ada",
                        [.set("emails", [["value": "a@x", "primary": true], ["value": "b@x", "primary": true]])])
                }
                    == .invalidAttribute, "one primary at most")
        }
    }

    @Test("Telephone numbers and addresses are views of their element by its type", arguments: Place.allCases)
    func views(place: Place) throws {
        try Self.withAda(
            place, ["mobile": "1", "telephoneNumber": "2", "fax": "3", "country": "UK", "locality": "London"]
        ) {
            (users: UserManager, _: DirectoryView) throws in
            let ada = try users.user("ada")
            #expect([ada.mobile, ada.telephoneNumber, ada["fax"]?.text, ada["pager"]?.text] == ["1", "2", "3", nil])
            #expect(ada["phoneNumbers"]?.elements.count == 3)
            #expect(ada.country == "UK")
            #expect(ada["addresses"]?.elements.count == 1, "parts of one address stand together")
            try users.modify("ada", [.set("mobile", "4"), .clear("fax")])
            let later = try users.user("ada")
            #expect([later.mobile, later.telephoneNumber, later["fax"]?.text] == ["4", "2", nil])
            #expect(try users.search(Search(Filter.attribute("mobile").equals("4"))).elements.count == 1)
            #expect(try users.search(Search(Filter.attribute("mobile").equals("2"))).elements.count == 0)
            #expect(try users.user("ada", attributes: ["mobile"]).mobile == "4")
        }
    }

    static let wrongTypes: [(AttributeName, AttributeValue)] = [
        ("title", 1), ("title", true), ("title", ["a", "b"]), ("title", ["part": "x"]), ("level", "1"), ("level", 1.5),
        ("isRemote", "yes"), ("joined", "2020-01-01"), ("scan", "text"), ("share", "1"), ("share", .decimal(.nan)),
        ("share", .decimal(.infinity)), ("emails", [1]), ("emails", [["value": ["deep": "x"]]]), ("title", "a\0b"),
        ("active", "perhaps"), ("active", 1), ("uid", 1), ("nonsense", "x"), ("id", "x"), ("version", 1),
        ("created", .time(Date())), ("memberOf", ["x"]), ("tags", .list([.binary(Data([1]))])),
        ("addresses", [["$time": "x"]]),
    ]

    @Test("A value of the wrong type, or of what is not the caller's to set, is refused", arguments: wrongTypes)
    func types(name: AttributeName, value: AttributeValue) throws {
        try Self.withAda(.memory, ["title": "Countess"]) { (users: UserManager, view: DirectoryView) throws in
            let before = try users.user("ada")
            let last = try view.changes.lastSequence()
            #expect(code { try users.modify("ada", [.set(name, value)]) } != nil)
            if name != "uid", name != "active" {
                #expect(code { try users.create("eve", attributes: [name: value]) } == .invalidAttribute)
            }
            #expect(try users.user("ada") == before)
            #expect(try view.changes.lastSequence() == last)
        }
    }

    @Test("Values of every type come back as they were", arguments: Place.allCases)
    func roundTrip(place: Place) throws {
        let time = Date(timeIntervalSince1970: 1_700_000_000.123)
        let values: AttributeSet = [
            "level": .integer(.min), "share": 0.1, "joined": .time(time), "isRemote": false,
            "scan": .binary(Data((0...255).map(UInt8.init))),
            "tags": ["\"quoted\"", "back\\slash", "line\nfeed", "\u{1}", "😀"],
            "title": "漢字 é e\u{301} \u{7F}", "photo": .binary(Data([1, 2, 3])),
            "addresses": [
                ["type": "work", "country": "UK", "primary": true, "floor": 3, "since": .time(time), "size": 1.5]
            ],
        ]
        try Self.withAda(place, values) { (users: UserManager, _: DirectoryView) throws in
            let names = values.map(\.name)
            let ada = try users.user("ada", attributes: .only(names))
            for entry in values { #expect(ada[entry.name] == entry.value, "\(entry.name)") }
            #expect(ada.photo == Data([1, 2, 3]))
            #expect(ada.title?.unicodeScalars.elementsEqual("漢字 é e\u{301} \u{7F}".unicodeScalars) == true)
            let usual = try users.user("ada")
            #expect(usual.photo == nil, "large ones come when they are asked for")
            #expect(usual["scan"] == nil)
            #expect(try users.modify("ada", values.map { .set($0.name, $0.value) }).version == 1, "they are the same")
            try users.modify("ada", attributes: ["level": .integer(.max)])
            #expect(try users.user("ada")["level"] == .integer(.max))
        }
    }

    @Test("What is too large is refused, what just fits is taken", arguments: Place.allCases)
    func limits(place: Place) throws {
        try Self.withAda(place) { (users: UserManager, _: DirectoryView) throws in
            func set(_ name: AttributeName, _ value: AttributeValue) -> DirectoryError.Code? {
                code { try users.modify("ada", [.set(name, value)]) }
            }
            let text = String(repeating: "a", count: DirectoryLimits.maximumTextBytes)
            #expect(set("title", .string(text)) == nil)
            #expect(set("title", .string(text + "a")) == .invalidAttribute)
            #expect(set("photo", .binary(Data(count: DirectoryLimits.maximumBinaryBytes))) == nil)
            #expect(set("photo", .binary(Data(count: DirectoryLimits.maximumBinaryBytes + 1))) == .invalidAttribute)
            let values = (0..<DirectoryLimits.maximumValues).map { AttributeValue.string("t\($0)") }
            #expect(set("tags", .list(values)) == nil)
            #expect(code { try users.modify("ada", [.add("tags", ["one more"])]) } == .invalidAttribute)
            #expect(try users.user("ada")["tags"]?.elements.count == values.count)
        }
    }

    @Test("A unique value has one holder, without regard to case, until they let go of it", arguments: Place.allCases)
    func unique(place: Place) throws {
        try Self.withAda(place, ["badge": "B7"]) { (users: UserManager, _: DirectoryView) throws in
            #expect(code { try users.create("bob", attributes: ["badge": "b7"]) } == .alreadyExists)
            try users.create("bob")
            #expect(code { try users.modify("bob", attributes: ["badge": "ｂ７"]) } == .alreadyExists)
            try users.modify("ada", attributes: ["badge": "b7"])
            try users.modify("ada", [.clear("badge")])
            try users.modify("bob", attributes: ["badge": "B7"])
            try users.delete("bob")
            try users.modify("ada", attributes: ["badge": "B7"])
        }
    }

    @Test("A secret is kept, but never shown, searched, sorted by or told in changes", arguments: Place.allCases)
    func secrets(place: Place) throws {
        try Self.withAda(place, ["pin": "1234"]) { (users: UserManager, view: DirectoryView) throws in
            try users.modify("ada", attributes: ["pin": "9876", "title": "x"])
            #expect(try users.user("ada")["pin"] == nil)
            #expect(try users.user("ada", attributes: ["pin"]).attributes.isEmpty)
            #expect(try users.user("ada").attribute("pin") == nil)
            for filter in [
                Filter.attribute("pin").equals("9876"), .attribute("pin").present, .not(.attribute("pin").present),
            ] {
                #expect(code { try users.search(Search(filter)) } == .invalidFilter)
                #expect(
                    code { try users.search(Search(.any(.everything, filter), pageSize: 0, includesTotal: true)) }
                        == .invalidFilter)
            }
            #expect(code { try users.search(Search(sortedBy: .init("pin"))) } == .invalidFilter)
            #expect(
                code { try users.search(["pin": "9876"], isSimpleSearch: true, pageSize: 1, pagePosition: 1) }
                    == .invalidFilter)
            try users.delete("ada")
            for change in try view.changes.since(0) {
                #expect(change.before["pin"] == nil && change.after["pin"] == nil)
                #expect(!String(describing: change).contains("9876") && !String(describing: change).contains("1234"))
            }
        }
    }

    @Test("Case counts where it was declared to, numbers and times compare as such", arguments: Place.allCases)
    func comparisons(place: Place) throws {
        let time = Date(timeIntervalSince1970: 1000)
        try Self.withAda(place, ["key": "aBc", "level": 9, "joined": .time(time), "share": 2.5]) {
            (users: UserManager, _: DirectoryView) throws in
            func found(_ filter: Filter) throws -> Int { try users.search(Search(filter)).elements.count }
            #expect(try found(Filter.attribute("key").equals("aBc")) == 1)
            #expect(try found(Filter.attribute("key").equals("abc")) == 0)
            #expect(try found(Filter.attribute("key").contains("Bc")) == 1)
            #expect(try found(Filter.attribute("key").starts("ab")) == 0)
            #expect(try found(Filter.attribute("level").isLess(than: 10)) == 1, "9 < 10, though not as text")
            #expect(try found(Filter.attribute("level").isLess(than: 9.5)) == 1)
            #expect(try found(Filter.attribute("share").isAtLeast(2.5)) == 1)
            #expect(try found(Filter.attribute("joined").isAtLeast(.time(time))) == 1)
            #expect(try found(Filter.attribute("joined").isGreater(than: .time(time))) == 0)
            #expect(code { try found(Filter.attribute("level").equals("9")) } == .invalidFilter)
            for comparison in [Filter.Comparison.contains, .starts, .ends] {
                for (name, value) in [("level", 1), ("version", 5)] as [(AttributeName, AttributeValue)] {
                    #expect(
                        code { try found(.compare(AttributePath(name), comparison, value)) } == .invalidFilter,
                        "a number has no beginning and no end: \(name) \(comparison)")
                }
            }
        }
    }

    @Test("What is declared is known again, and a name means one thing", arguments: Place.allCases)
    func declaring(place: Place) throws {
        try Self.withAda(place) { (users: UserManager, view: DirectoryView) throws in
            let count = view.attributes.vocabulary().declared.count
            try view.attributes.declare([AttributeDefinition("tags", isMultiValued: true)])
            #expect(view.attributes.vocabulary().declared.count == count, "a second time changes nothing")
            for definition in [
                AttributeDefinition("tags"), AttributeDefinition("TAGS", isMultiValued: true),
                AttributeDefinition("givenName"),
                AttributeDefinition("sn"), AttributeDefinition("userName"), AttributeDefinition("memberOf"),
            ] { #expect(code { try view.attributes.declare([definition]) } == .alreadyExists, "\(definition.name)") }
            for name in ["", "1a", "a b", "a.b", "a:b", "ä", "a\"", String(repeating: "a", count: 65)] {
                #expect(
                    code { try view.attributes.declare([AttributeDefinition(AttributeName(name))]) }
                        == .invalidAttribute)
            }
            #expect(
                code { try view.attributes.declare([AttributeDefinition("c", kind: .complex)]) } == .invalidAttribute)
            #expect(
                code { try view.attributes.declare([AttributeDefinition("ok"), AttributeDefinition("sn")]) }
                    == .alreadyExists)
            #expect(view.attributes.vocabulary().definition(of: "ok") == nil, "all of them or none")
            #expect(code { try users.modify("ada", attributes: ["ok": "x"]) } == .invalidAttribute)
        }
    }
}
