import Foundation
import Roster
import Testing
import TestSupport

@Suite("Names")
struct NameTests {
    static let same: [(String, String, String)] = [
        ("case", "Ada", "aDA"), ("umlauts", "Ärger", "ärger"), ("sharp s", "Straße", "STRASSE"),
        ("capital sharp s", "STRAẞE", "straße"), ("full width", "ａｄａ１", "ADA1"),
        ("composition", "Jose\u{301}", "jos\u{E9}"), ("ligatures", "ﬀ", "FF"), ("half-width kana", "ｶﾞｷﾞ", "ガギ"),
        ("final sigma", "ΟΔΟΣ", "οδος"), ("Cyrillic case", "Пётр", "ПЁТР"), ("dotted capital I", "İx", "i\u{307}X"),
        ("dotless i", "ı", "I"), ("digraphs", "ǅ", "ǆ"), ("roman numerals", "Ⅷ", "viii"), ("kelvin", "\u{212A}", "k"),
        ("Georgian", "Ა", "ა"), ("Cherokee", "ꭰ", "Ꭰ"),
    ]
    static let different: [(String, String, String)] = [
        ("accents", "Müller", "Muller"), ("scripts that look alike", "ada", "\u{430}da"), ("dots", "İ", "I"),
        ("kana", "か", "カ"), ("voicing", "か", "が"), ("digits", "l", "1"), ("spaces", "a b", "ab"),
        ("transcription", "Mueller", "Müller"),
    ]

    @Test("Names that differ in this only are one name", arguments: same)
    func sameName(what: String, first: String, second: String) throws {
        #expect(try EntityName(first) == EntityName(second), "\(what)")
        #expect(try EntityName(first).text == first, "a name is kept as it was written")
        for place in Place.allCases {
            try withDirectory(place) { directory in
                let users = directory.unrestricted.users
                let user = try users.create(first)
                #expect(try users.user(second).id == user.id)
                #expect(try users.user(second).uid.unicodeScalars.elementsEqual(first.unicodeScalars))
                #expect(code { try users.create(second) } == .alreadyExists)
                let roles = directory.unrestricted.roles
                try roles.create(first)
                #expect(code { try roles.create(second) } == .alreadyExists)
                #expect(try roles.role(second).name == first)
                #expect(try users.search(Search(.uid.equals(.string(second)))).elements.count == 1)
            }
        }
    }

    @Test("Names that differ in this are two names", arguments: different)
    func differentNames(what: String, first: String, second: String) throws {
        #expect(try EntityName(first) != EntityName(second), "\(what)")
        try withDirectory(.usual) { directory in
            let users = directory.unrestricted.users
            try users.create(first)
            #expect(code { try users.user(second) } == .notFound)
            try users.create(second)
            #expect(try users.count() == 2)
        }
    }

    static let names = [
        "a", "o'brien", "山田 太郎", "김철수", "محمد", "x@example.com", "a\"b", "50%", "_", "*", "(a)", "\u{1F600}", "...",
        "~a", "a.b", "%41",
        "' OR 1=1 --", String(repeating: "a", count: 256), String(repeating: "ä", count: 256),
    ]

    @Test("What can be a name", arguments: names)
    func valid(name: String) throws {
        for place in Place.allCases {
            try withDirectory(place) { directory in
                let user = try directory.unrestricted.users.create(name)
                #expect(try directory.unrestricted.users.user(name) == user)
                #expect(user.uri.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
            }
        }
    }

    @Test("A user's path, and that of the manager, name the user")
    func paths() throws {
        let users = try emptyDirectory().unrestricted.users
        let top = try users.create("björn")
        let user = try users.create("ada lovelace", manager: "björn")
        #expect(top.uri == "/people/bj%C3%B6rn")
        #expect(top.managerURI == nil)
        #expect(user.managerURI == "/people/ada%20lovelace/manager")
    }

    static let noNames: [(String, String)] = [
        ("nothing", ""), ("a space before", " ada"), ("a space after", "ada "), ("two spaces", "a  b"),
        ("only a space", " "),
        ("NUL", "a\0b"), ("a line", "a\nb"), ("a tab", "a\tb"), ("DEL", "a\u{7F}"), ("a no-break space", "a\u{A0}b"),
        ("a zero-width space", "a\u{200B}b"), ("a zero-width joiner", "a\u{200D}b"), ("a direction mark", "a\u{202E}b"),
        ("a byte order mark", "\u{FEFF}ada"), ("private use", "\u{E000}"), ("unassigned", "\u{378}"),
        ("a soft hyphen", "a\u{AD}b"), ("a variation selector", "a\u{FE0F}"), ("a tag", "a\u{E0061}"),
        ("an ideographic space", "山田\u{3000}太郎"), ("a line separator", "a\u{2028}b"), ("a Hangul filler", "\u{3164}"),
        ("257 characters", String(repeating: "a", count: 257)),
        ("1,026 bytes", String(repeating: "e\u{301}\u{302}\u{303}\u{304}", count: 114)),
    ]

    @Test("What cannot be a name", arguments: noNames)
    func invalid(what: String, name: String) throws {
        #expect(code { try EntityName(name) } == .invalidName, "\(what)")
        try withDirectory(.usual) { directory in
            let view = directory.unrestricted
            #expect(code { try view.users.create(name) } == .invalidName)
            #expect(code { try view.roles.create(name) } == .invalidName)
            try view.users.create("ada")
            try view.roles.create("staff")
            #expect(code { try view.users.modify("ada", attributes: ["uid": .string(name)]) } == .invalidName)
            #expect(code { try view.roles.modify("staff", attributes: ["name": .string(name)]) } == .invalidName)
            #expect(code { try view.users.user(name) } == .notFound, "asking for it is no failure of the store")
            #expect(try view.users.count() == 1)
        }
    }

    @Test("A name cannot be cleared or added to", arguments: Place.allCases)
    func cannotBeCleared(place: Place) throws {
        try withDirectory(place) { directory in
            let view = directory.unrestricted
            try view.users.create("ada")
            try view.roles.create("staff")
            #expect(code { try view.users.modify("ada", [.clear("uid")]) } != nil)
            #expect(code { try view.users.modify("ada", [.add("uid", ["eve"])]) } != nil)
            #expect(code { try view.roles.modify("staff", [.clear("name")]) } != nil)
            #expect(code { try view.roles.modify("staff", [.add("name", ["eve"])]) } != nil)
            #expect(code { try view.roles.modify("staff", [.remove("name", ["staff"])]) } != nil)
            #expect(try view.users.user("ada").version == 1)
            #expect(try view.roles.role("staff").version == 1)
        }
    }

    @Test("A user is renamed, and their id stays", arguments: Place.allCases)
    func renamed(place: Place) throws {
        try withDirectory(place) { directory in
            let users = directory.unrestricted.users
            let ada = try users.create("ada", attributes: ["mail": "ada@example.com"])
            try users.create("bob", manager: "ada")
            #expect(code { try users.modify("ada", attributes: ["uid": "BOB"]) } == .alreadyExists)
            #expect(
                try users.modify("ada", attributes: ["uid": "Ada"]).uid == "Ada", "another spelling of her own name")
            try users.modify("ada", attributes: ["uid": "countess"])
            #expect(try users.user("countess").id == ada.id)
            #expect(try users.user(.id(ada.id)).uid == "countess")
            #expect(code { try users.user("ada") } == .notFound)
            #expect(try users.user("bob").manager()?.uid == "countess")
            #expect(try users.search(Search(.uid.contains("ount"))).elements.map(\.id) == [ada.id])
            #expect(try users.search(Search(.uid.contains("ada"))).elements.map(\.id) == [])
            try users.create("ada")
            #expect(try users.user("ada").id != ada.id)
        }
    }

    @Test("Nobody is called by an identifier, of those there are and those to come", arguments: Place.allCases)
    func namesThatAreIDs(place: Place) throws {
        try withDirectory(place) { directory in
            let view = directory.unrestricted
            let ada = try view.users.create("ada")
            let staff = try view.roles.create("staff")
            let next = UserID(rawValue: staff.id.rawValue + 1)
            for taken in [ada.id.description, staff.id.description, next.description, ada.id.description.uppercased()] {
                #expect(code { try view.users.create(taken) } == .invalidName)
                #expect(code { try view.roles.create(taken) } == .invalidName)
                #expect(code { try view.users.modify("ada", attributes: ["uid": .string(taken)]) } == .invalidName)
                #expect(code { try view.roles.modify("staff", attributes: ["name": .string(taken)]) } == .invalidName)
            }
            #expect(code { try view.users.user(ada.id.description) } == .notFound, "nor is an identifier a name")
            #expect(try view.users.count() == 1)
            #expect(
                try view.users.create("48010112345").uid == "48010112345", "other numbers of eleven digits are names")
        }
    }

    @Test(
        "A name that looks blank, or has a character that does, is no user's and no role's",
        arguments: [
            "\u{2800}", "\u{2800}\u{2800}", "ada\u{2800}", "\u{2800}ada", "a\u{2800}b", "\u{115F}", "\u{1160}",
            "\u{3164}", "\u{FFA0}", "ada\u{3164}", "\u{34F}", "\u{17B4}", "\u{180B}", "\u{FE0F}", "\u{E0100}",
            "\u{200B}", "\u{2060}", "\u{FEFF}", "\u{AD}", "\u{3000}", "\u{1680}", "\u{A0}", "\u{FFFC}",
            "\u{13441}", "\u{13442}", "\u{16FE4}", "\u{1107F}", "\u{1D159}", "\u{301}", "\u{17D2}",
        ])
    func blank(name: String) throws {
        let directory = try emptyDirectory()
        let (users, roles) = (directory.unrestricted.users, directory.unrestricted.roles)
        try users.create("ada.l")
        try roles.create("staff")
        #expect(code { try users.create(name) } == .invalidName)
        #expect(code { try users.modify("ada.l", [.set("uid", .string(name))]) } == .invalidName)
        #expect(code { try roles.create(name) } == .invalidName)
        #expect(code { try roles.modify("staff", [.set("name", .string(name))]) } == .invalidName)
        #expect(code { try users.load([NewUser(name)]) } == .invalidName)
    }

    @Test("No user is called as virtual users are shown")
    func virtualForm() throws {
        let users = try emptyDirectory().unrestricted.users
        for name in ["virtual https://idp.example.com#ada", "Virtual x#y", "ｖirtual x＃y"] {
            #expect(code { try users.create(name) } == .invalidName, "\(name)")
        }
        try users.create("virtual assistant")
    }

    @Test("A control character in place of a space names nobody, so that it opens no second count of failed sign-ins")
    func controlCharacters() throws {
        try withDirectory(.usual) { directory in
            let users = directory.unrestricted.users
            try users.create("ada lovelace", attributes: [.mail: "ada@example.com"])
            try users.create("jörg müller")
            for mark in ["\u{1}", "\u{2}", "\u{1F}", "\t", "\u{7F}"] {
                #expect(try users.find(.named("ada\(mark)lovelace")) == nil)
                #expect(try users.find(.named("jorg muller\u{2}jörg\(mark)müller")) == nil)
                #expect(try users.count(matching: .uid.equals(.string("ada\(mark)lovelace"))) == 0)
                #expect(try users.count(matching: .mail.equals(.string("ada@example.com\(mark)"))) == 0)
            }
        }
    }
}
