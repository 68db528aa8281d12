import Foundation
import Roster
import Testing
import TestSupport

@Suite("Private addresses, numbers and mail")
struct PrivateElementTests {
    static func element(_ value: String, _ type: String?, _ part: String = "value") -> AttributeValue {
        type.map { [part: .string(value), "type": .string($0)] } ?? [part: .string(value)]
    }

    /// The callers of ``AccessTests``, where ada has public and private addresses of each kind.
    static func withCallers(_ place: Place, _ body: (Directory, AccessTests.Callers) throws -> Void) throws {
        try AccessTests.withCallers(place) { directory, view in
            try directory.unrestricted.users.modify(
                "ada",
                attributes: [
                    "emails": [
                        element("ada@work.example", "work"), element("ada@home.example", "home"), "plain@work.example",
                    ],
                    "phoneNumbers": [
                        element("+1 work", "work"), element("+2 home", "home"), element("+3 mobile", "Mobile"),
                        element("+4 fax", "fax"), element("+5 other", "other"), element("+6 own", "club"),
                    ],
                    "addresses": [
                        ["type": "work", "locality": "Berlin"],
                        ["type": "home", "locality": "Potsdam", "streetAddress": "Elm 1"],
                    ],
                    "ims": [element("ada-im", "home")], "photos": [element("https://x/y", "photo")],
                ])
            try directory.unrestricted.users.modify("eve", attributes: ["mail": "eve@work.example"])
            try body(directory, view)
        }
    }

    static let insiders: Set<AccessTests.Who> = [.administrator, .boss, .lead, .herself]

    @Test(
        "Colleagues see work addresses; the person, those above and administrators see all", arguments: Place.allCases,
        [AccessTests.Who.administrator, .boss, .lead, .herself, .stranger])
    func reading(place: Place, who: AccessTests.Who) throws {
        try Self.withCallers(place) { (_: Directory, view: AccessTests.Callers) throws in
            let view = view(who)
            let isInside = Self.insiders.contains(who)
            func check(_ user: User?, _ way: String) {
                func texts(_ name: AttributeName, _ part: String = "value") -> [String] {
                    (user?.attributes[name]?.elements ?? []).compactMap { $0.part(part)?.text }
                }
                let expected = isInside ? 6 : 2
                #expect(texts("phoneNumbers").count == expected, "\(way)")
                #expect(texts("phoneNumbers").contains("+3 mobile") == isInside, "\(way)")
                #expect(texts("emails").contains("ada@home.example") == isInside, "\(way)")
                #expect(texts("emails").contains("plain@work.example"), "\(way)")
                #expect(texts("addresses", "locality") == (isInside ? ["Berlin", "Potsdam"] : ["Berlin"]), "\(way)")
                #expect(texts("ims") == ["ada-im"] && texts("photos").count == 1, "\(way)")
                #expect((user?.mobile != nil) == isInside, "\(way)")
                #expect((user?["homePhone"] != nil) == isInside, "\(way)")
                #expect(user?.telephoneNumber == "+1 work", "\(way)")
            }
            check(try view.users.user("ada"), "by name")
            check(try view.users.search(Search(.uid.equals("ada"))).elements.first, "found")
            check(try view.users.search(Search(.mail.contains("ada@work"))).elements.first, "found by text")
            check(try view.users.reportees(of: "lead").first, "as a reportee")
            check(try view.users.below("boss").last?.user, "below")
            check(try view.users.user("lead", prefetch: .reportees).reports?.first, "prefetched")
            check(try view.roles.role("staff").members().first, "as a member")
            #expect((try view.users.user("ada").attribute("mobile") != nil) == isInside)
            let only = try view.users.user("ada", attributes: ["homeAddress"])
            #expect((only.attributes["addresses"]?.elements.count ?? 0) == (isInside ? 2 : 1))
        }
    }

    private static func part(_ attribute: AttributeName, _ part: String, _ value: AttributeValue) -> Filter {
        AttributePath(attribute, part: part).equals(value)
    }

    /// Filters that only a private element satisfies.
    static let byPrivateValues: [Filter] = [
        part("phoneNumbers", "value", "+2 home"), .attribute("phoneNumbers").equals("+3 mobile"),
        .attribute("phoneNumbers").contains("mobile"), .attribute("phoneNumbers").ends("other"),
        part("phoneNumbers", "type", "home"), part("phoneNumbers", "type", "club"),
        .element("phoneNumbers", .all(part("type", "type", "home"), .attribute("value").starts("+2"))),
        part("addresses", "locality", "Potsdam"), part("addresses", "streetAddress", "Elm 1"),
        .element("addresses", .attribute("type").equals("home")), part("addresses", "type", "home"),
        .attribute("emails").equals("ada@home.example"), part("emails", "value", "ada@home.example"),
        part("emails", "type", "home"), .mail.equals("ADA@home.example"), .mail.contains("home.exam"),
        .mail.starts("ada@home"), .mail.ends("home.example"), .attribute("emails").contains("a@home"),
        .element("emails", .attribute("value").equals("ada@home.example")),
        .element("emails", .all(.attribute("type").equals("home"), .attribute("value").contains("home"))),
        .all(.uid.contains("ada"), .mail.contains("home.exam")),
        .any(.uid.contains("nobody"), .mail.contains("home.exam")),
        .all(.active, .mail.contains("home.exam")), .all(.active, .any(.mail.contains("home.exam"), .mail.equals("x"))),
        .not(.any(.not(.mail.contains("home.exam")), .mail.equals("x"))),
        .all(.uid.equals("ada"), .not(.attribute("phoneNumbers").differs(from: "+2 home"))),
    ]

    @Test("No filter of a colleague's finds anybody by a private element, nor counts one", arguments: Place.allCases)
    func filtering(place: Place) throws {
        try Self.withCallers(place) { (_: Directory, view: AccessTests.Callers) throws in
            for filter in Self.byPrivateValues {
                for sort in [nil, Search.Sort("uid"), Search.Sort("mail")] {
                    let search = Search(filter, sortedBy: sort, includesTotal: true)
                    let all = try view(.administrator).users.search(search)
                    #expect(all.elements.map(\.uid) == ["ada"] && all.total == 1, "\(filter)")
                    for who in [AccessTests.Who.stranger, .lead, .herself] {
                        let page = try view(who).users.search(search)
                        #expect(page.elements.isEmpty && page.total == 0, "\(who): \(filter)")
                        let count = try view(who).users.search(Search(filter, pageSize: 0, includesTotal: true))
                        #expect(count.total == 0, "\(who): \(filter)")
                    }
                }
            }
        }
    }

    @Test("Work addresses are found by everyone, by every way of asking", arguments: Place.allCases)
    func publicSearch(place: Place) throws {
        try Self.withCallers(place) { (_: Directory, view: AccessTests.Callers) throws in
            let filters: [Filter] = [
                .mail.equals("ADA@work.example"), .mail.contains("a@work.exam"), .mail.starts("ada@w"),
                .attribute("emails").equals("plain@work.example"), Self.part("emails", "type", "work"),
                .element("emails", .attribute("value").equals("ada@work.example")),
                .attribute("phoneNumbers").equals("+1 work"), Self.part("phoneNumbers", "type", "fax"),
                Self.part("addresses", "locality", "Berlin"), .attribute("locality").equals("berlin"),
                .all(.uid.contains("ada"), .mail.contains("a@work.exam")),
                .any(.uid.contains("nobody"), .mail.contains("a@work.exam")),
                .attribute("addresses").present, .attribute("telephoneNumber").present,
            ]
            for who in [AccessTests.Who.stranger, .herself, .administrator] {
                for filter in filters {
                    let page = try view(who).users.search(Search(filter, includesTotal: true))
                    #expect(page.elements.map(\.uid) == ["ada"] && page.total == 1, "\(who): \(filter)")
                }
            }
        }
    }

    @Test("Views of private elements can be neither filtered nor sorted on by colleagues", arguments: Place.allCases)
    func views(place: Place) throws {
        try Self.withCallers(place) { (_: Directory, view: AccessTests.Callers) throws in
            for name in ["mobile", "homePhone", "homeAddress"] as [AttributeName] {
                for who in [AccessTests.Who.stranger, .lead, .herself] {
                    let users = view(who).users
                    for filter in [Filter.attribute(name).present, .attribute(name).differs(from: "x")] {
                        #expect(code { try users.search(Search(filter)) } == .invalidFilter, "\(who) \(name)")
                    }
                    #expect(
                        code { try users.search(Search(sortedBy: .init(name))) } == .invalidFilter, "\(who) \(name)")
                }
                #expect(code { try view(.administrator).users.search(Search(.attribute(name).present)) } == nil)
            }
        }
    }

    @Test("A colleague's order by a list is that of the public elements", arguments: Place.allCases)
    func sorting(place: Place) throws {
        try withDirectory(place) { directory in
            let view = directory.unrestricted
            for (name, home) in [("a", "9"), ("b", "5"), ("c", "1")] {
                try view.users.create(name, attributes: ["phoneNumbers": [Self.element(home, "home")]])
            }
            let eve = try view.users.create("eve").id
            let sorted = Search(sortedBy: .init("phoneNumbers"))
            #expect(try view.users.search(sorted).elements.map(\.uid) == ["c", "b", "a", "eve"])
            let seen = try directory.acting(as: .user(eve)).users.search(sorted)
            #expect(seen.elements.map(\.uid) == ["a", "b", "c", "eve"])
            let present = Search(.attribute("phoneNumbers").present, pageSize: 0, includesTotal: true)
            #expect(try directory.acting(as: .user(eve)).users.search(present).total == 0)
            #expect(try view.users.search(present).total == 3)
        }
    }

    @Test("A person changes a list of their own without losing anything private")
    func ownChanges() throws {
        try Self.withCallers(.memory) { (directory: Directory, view: AccessTests.Callers) throws in
            let own = view(.herself).users
            let phones = try #require(try own.user("ada").attributes["phoneNumbers"])
            try own.modify("ada", [.add("phoneNumbers", [Self.element("+9", "work")])])
            let now = try directory.unrestricted.users.user("ada").attributes["phoneNumbers"]
            #expect(now?.elements == phones.elements + [Self.element("+9", "work")])
        }
    }
}
