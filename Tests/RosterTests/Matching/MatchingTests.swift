import Foundation
import Roster
import TestSupport
import Testing

/// Questions as people type them, in four languages, with the people whom they must find, the best first.
@Suite("People found by words", .timeLimit(.minutes(5)))
struct MatchingTests {
    static let people: [NewUser] = [
        person("grace.okafor", "Grace", "Okafor", "Director Platform", "Engineering", mail: "grace.okafor@example.com"),
        person("graham.okonkwo", "Graham", "Okonkwo", "Engineer", "Engineering"),
        person("emma.mueller", "Emma", "Müller", "Engineer", "Platform", phone: "+49 30 1234-567", city: "Berlin"),
        person("thomas.muller", "Thomas", "Muller", "Clerk", "Sales", phone: "(030) 998877"),
        person("ute.mueller", "Ute", "Mueller", "Clerk", "Sales"),
        person("juergen.gross", "Jürgen", "Groß", "Head of Sales", "Sales"),
        person("soeren.oe", "Søren", "Østergård", "Designer", "Produkt"),
        person("zoe.noel", "Zoë", "Noël", "Analyste", "Études", mail: "z.noel@exemple.fr"),
        person("francois.dangelo", "François", "D'Angelo", "Chef de projet", "Études"),
        person("jose.garcia", "José María", "García Núñez", "Ingeniero", "Investigación", city: "Málaga"),
        person("maria.lopez", "María José", "López", "Directora", "Investigación"),
        person("kenji.sato", "健司", "佐藤", "部長", "開発部", display: "佐藤 健司"),
        person("misaki.sasaki", "美咲", "佐々木", "エンジニア", "開発部", display: "佐々木 美咲"),
        person("hanako.saito", "花子", "斎藤", "営業", "営業部", display: "斎藤 花子"),
        person("john.smith-jones", "John", "Smith-Jones", "Lead", "Platform", nick: "Jonny"),
        person("j.oneil", "Joan", "O'Neil", "Lead Engineer", "Engineering"),
        person("a1042", "Anna", "Schmidt", "Platform Engineer", "Platform"),
        person("old.okafor", "Grace", "Okafor", "Retired", "Engineering", isActive: false),
    ]

    private static func person(
        _ uid: String, _ given: String, _ family: String, _ title: String, _ department: String, mail: String? = nil,
        phone: String? = nil, city: String? = nil, display: String? = nil, nick: String? = nil, isActive: Bool = true
    ) -> NewUser {
        var attributes: AttributeSet = [
            "givenName": .string(given), "familyName": .string(family), "title": .string(title),
            "department": .string(department),
        ]
        attributes["emails"] = mail.map { .list([["value": .string($0), "type": "work"]]) }
        attributes["phoneNumbers"] = phone.map { .list([["value": .string($0), "type": "work"]]) }
        attributes["addresses"] = city.map { .list([["locality": .string($0), "type": "work"]]) }
        attributes["displayName"] = display.map { .string($0) }
        attributes["nickName"] = nick.map { .string($0) }
        return NewUser(uid, attributes: attributes, isActive: isActive)
    }

    static let questions: [(String, [String])] = [
        // English: the order of words, beginnings, punctuation.
        ("okafor gr", ["grace.okafor", "old.okafor"]), ("Okafor Grace", ["grace.okafor", "old.okafor"]),
        ("Okafor, Grace", ["grace.okafor", "old.okafor"]), ("grace okafor", ["grace.okafor", "old.okafor"]),
        ("grace@example", ["grace.okafor"]), ("@exemple.fr", ["zoe.noel"]), ("exemple", ["zoe.noel"]),
        ("GRACE", ["grace.okafor", "old.okafor"]), ("gra", ["grace.okafor", "graham.okonkwo", "old.okafor"]),
        ("ok gra", ["grace.okafor", "graham.okonkwo", "old.okafor"]), ("grah", ["graham.okonkwo"]),
        ("grace.okafor@example.com", ["grace.okafor"]), ("grace.okafor", ["grace.okafor", "old.okafor"]),
        ("director platform", ["grace.okafor"]), ("platform dir", ["grace.okafor"]),
        ("platform", ["emma.mueller", "grace.okafor", "john.smith-jones", "a1042"]),
        ("platform eng", ["emma.mueller", "grace.okafor", "a1042"]), ("okafor retired", ["old.okafor"]),
        ("smith", ["john.smith-jones"]), ("jones", ["john.smith-jones"]), ("smith-jones", ["john.smith-jones"]),
        ("jonny", ["john.smith-jones"]), ("o'neil", ["j.oneil"]), ("oneil", ["j.oneil"]), ("neil", ["j.oneil"]),
        ("O’Neil Joan", ["j.oneil"]), ("joan lead", ["j.oneil"]), ("a1042", ["a1042"]), ("a10", ["a1042"]),
        ("nobody", []), ("okafor müller", []), ("", []), (" ,. ", []), ("afor", []),
        // German: umlauts with and without dots, ß.
        ("müller", ["emma.mueller", "ute.mueller", "thomas.muller"]),
        ("Mü", ["emma.mueller", "ute.mueller", "thomas.muller"]),
        ("mueller", ["emma.mueller", "ute.mueller"]), ("muller", ["emma.mueller", "thomas.muller"]),
        ("jürgen", ["juergen.gross"]), ("juergen", ["juergen.gross"]), ("jurgen", ["juergen.gross"]),
        ("GROSS", ["juergen.gross"]), ("groß", ["juergen.gross"]), ("leiter", []), ("head sales", ["juergen.gross"]),
        ("berlin", ["emma.mueller"]), ("Müller Berlin", ["emma.mueller"]),
        // Danish, French and Spanish.
        ("soren", ["soeren.oe"]), ("soeren", ["soeren.oe"]), ("ostergard", ["soeren.oe"]), ("Østergård", ["soeren.oe"]),
        ("zoe noel", ["zoe.noel"]), ("noël", ["zoe.noel"]), ("etudes", ["francois.dangelo", "zoe.noel"]),
        ("francois", ["francois.dangelo"]), ("angelo", ["francois.dangelo"]), ("d'angelo", ["francois.dangelo"]),
        ("chef projet", ["francois.dangelo"]), ("garcia jose", ["jose.garcia"]),
        ("José María", ["jose.garcia", "maria.lopez"]),
        ("maria jose", ["jose.garcia", "maria.lopez"]), ("nunez", ["jose.garcia"]), ("malaga", ["jose.garcia"]),
        ("investigacion", ["jose.garcia", "maria.lopez"]),
        // Japanese: every part of a word.
        ("佐藤", ["kenji.sato"]), ("佐", ["misaki.sasaki", "kenji.sato"]), ("健司", ["kenji.sato"]),
        ("健司 佐藤", ["kenji.sato"]),
        ("佐藤健司", ["kenji.sato"]), ("藤", ["kenji.sato", "hanako.saito"]), ("開発", ["misaki.sasaki", "kenji.sato"]),
        ("開発 エンジニア", ["misaki.sasaki"]), ("ｴﾝｼﾞﾆｱ", ["misaki.sasaki"]), ("sato kenji", ["kenji.sato"]),
        // Telephone numbers.
        ("+49", ["emma.mueller"]), ("1234567", ["emma.mueller"]), ("030 1234", ["emma.mueller"]),
        ("+49 (30) 1234-567", ["emma.mueller"]),
        ("998877", ["thomas.muller"]), ("okafor 1234567", []), ("emma 1234567", ["emma.mueller"]),
        // One error in a word, if nobody is found without.
        ("emam", ["emma.mueller"]), ("okafro", ["grace.okafor", "old.okafor"]),
        ("garce", ["grace.okafor", "old.okafor", "jose.garcia"]),
        ("grcae okafro", ["grace.okafor", "old.okafor"]),
        ("plattform", ["emma.mueller", "grace.okafor", "john.smith-jones", "a1042"]),
        ("mülller", ["emma.mueller", "ute.mueller", "thomas.muller"]), ("schmit", ["a1042"]), ("shmidt", ["a1042"]),
        ("xchmidt", ["a1042"]), ("emxx", []),
    ]

    @Test("Each question finds exactly whom it must, in every place", arguments: Place.allCases)
    func table(place: Place) throws {
        try withDirectory(place) { (directory: Directory) throws in
            let users = directory.unrestricted.users
            try users.load(Self.people)
            for (question, expected) in Self.questions {
                let found = try users.matching(question).map(\.user.uid)
                #expect(Set(found) == Set(expected), "\(question): \(found)")
                if let first = expected.first, let own = found.first {
                    #expect(own == first || expected.count > 2, "\(question): \(found)")
                }
            }
        }
    }
}

@Suite("The order and the rights of people found by words", .timeLimit(.minutes(5)))
struct MatchingOrderTests {
    private static func directory(_ place: Place, _ body: (Directory) throws -> Void) throws {
        try withDirectory(place) { (directory: Directory) throws in
            let users = directory.unrestricted.users
            func make(_ uid: String, _ given: String, _ family: String, _ department: String, _ manager: String?) throws
            {
                try users.create(
                    uid,
                    attributes: [
                        "givenName": .string(given), "familyName": .string(family), "department": .string(department),
                        "title": "Clerk",
                    ], manager: manager.map { .named($0) })
            }
            try make("boss", "Bea", "Boss", "Board", nil)
            try make("me", "Max", "Mine", "Research", "boss")
            try make("peer", "Anna", "Zimmer", "Board", "boss")
            try make("report", "Anna", "Young", "Board", "me")
            try make("colleague", "Anna", "Xaver", "Research", nil)
            try make("far", "Anna", "Adler", "Sales", nil)
            try make("disabled", "Anna", "Abel", "Sales", nil)
            try users.modify("disabled", [.set("active", false)])
            try make("anna", "Other", "Person", "Sales", nil)
            try body(directory)
        }
    }

    @Test(
        "The name itself comes first, then the own department and team, then others, and disabled people last",
        arguments: Place.allCases)
    func order(place: Place) throws {
        try Self.directory(place) { directory in
            let me = try directory.unrestricted.users.user("me").id
            let view = directory.acting(as: .user(me))
            let found = try view.users.matching("anna")
            #expect(
                found.map(\.user.uid) == ["anna", "colleague", "report", "peer", "far", "disabled"],
                "\(found.map(\.user.uid))")
            #expect(found[1].attributes == ["givenName"] && found[0].attributes == ["uid"])
            #expect(try view.users.matching("anna", limit: 2).map(\.user.uid) == ["anna", "colleague"])
            let program = directory.acting(as: .provisioning("sync"))
            #expect(
                try program.users.matching("anna").map(\.user.uid) == [
                    "anna", "far", "colleague", "report", "peer", "disabled",
                ])
        }
    }

    @Test("Values that the caller may not read find nobody", arguments: Place.allCases)
    func rights(place: Place) throws {
        try Self.directory(place) { directory in
            let unrestricted = directory.unrestricted
            try unrestricted.attributes.setRights(of: "department", readers: .managers)
            try unrestricted.users.modify(
                "far",
                [
                    .set(
                        "phoneNumbers",
                        [["value": "+49 171 5550", "type": "mobile"], ["value": "+49 30 7770", "type": "work"]])
                ])
            let me = directory.acting(as: .user(try unrestricted.users.user("me").id))
            #expect(try unrestricted.users.matching("sales").count == 3)
            #expect(try me.users.matching("sales").isEmpty)
            #expect(try me.users.matching("research").map(\.user.uid) == ["me"], "one's own department is known")
            #expect(try me.users.matching("board").map(\.user.uid) == ["report"], "and those of the reportees")
            #expect(try me.users.matching("anna sales").isEmpty)
            #expect(try me.users.matching("1715550").isEmpty)
            #expect(try me.users.matching("307770").map(\.user.uid) == ["far"])
            #expect(try unrestricted.users.matching("1715550").map(\.user.uid) == ["far"])
            #expect(try me.users.matching("sles").isEmpty, "with a typing error neither")
            for caller in [Caller.nobody, .monitoring("m")] {
                #expect(throws: DirectoryError.self) { try directory.acting(as: caller).users.matching("anna") }
            }
        }
    }

    @Test("Changes, renaming and deleting are followed, also within a transaction", arguments: Place.allCases)
    func changes(place: Place) throws {
        try Self.directory(place) { directory in
            let users = directory.unrestricted.users
            func found(_ text: String) throws -> [String] { try users.matching(text).map(\.user.uid) }
            try users.modify("far", attributes: ["title": "Chief Gardener"])
            #expect(try found("gardener chief") == ["far"])
            #expect(try found("adler clerk").isEmpty)
            try users.modify("far", [.set("uid", "moved.person")])
            #expect(try found("moved") == ["moved.person"])
            #expect(try found("far").isEmpty)
            try users.modify("moved.person", [.clear("title"), .set("nickName", "Gardi")])
            #expect(try found("gardener").isEmpty)
            #expect(try found("gardi") == ["moved.person"])
            try directory.unrestricted.transaction { view in
                try view.users.create("within", attributes: ["familyName": "Quitenew"])
                #expect(try view.users.matching("quiten").map(\.user.uid) == ["within"])
            }
            try users.delete("within", erasing: true)
            #expect(try found("quitenew").isEmpty)
            try users.delete("moved.person")
            #expect(try found("gardi").isEmpty)
            #expect(try directory.unrestricted.check().isEmpty)
        }
    }

    @Test("Words that come and go a hundred times leave the index whole", arguments: Place.allCases)
    func comeAndGo(place: Place) throws {
        try withDirectory(place) { (directory: Directory) throws in
            let users = directory.unrestricted.users
            try users.create("ada")
            for round in 0..<100 {
                try users.modify("ada", [.set("nickName", .string("Countess \(round)")), .set("title", "Analyst")])
                #expect(try users.matching("countess \(round) anal").map(\.user.uid) == ["ada"])
                try users.modify("ada", [.clear("nickName")])
                try users.modify("ada", [.clear("title")])
                #expect(try users.matching("countess").isEmpty)
            }
            try users.delete("ada")
            try users.create("ada", attributes: ["title": "Analyst"])
            #expect(try users.matching("analyst").map(\.user.uid) == ["ada"])
            #expect(try directory.unrestricted.check().isEmpty)
        }
    }

    @Test("Marks without letters are no words, in a value and in a question", arguments: Place.allCases)
    func marksAlone(place: Place) throws {
        try withDirectory(place) { (directory: Directory) throws in
            let users = directory.unrestricted.users
            for (number, marks) in [
                "\u{5B4}", "\u{64B} \u{64E}", "x' \u{5B4}'\u{5B4}", "\u{3099}", "\u{301}", "佐\u{3099}",
            ].enumerated() {
                try users.create(
                    "u\(number)",
                    attributes: ["displayName": .string("Ada \(marks) Byron"), "nickName": .string(marks)])
                #expect(try users.matching("byron").count == number + 1)
                _ = try users.matching(marks)
            }
            for marks in ["\u{5B4}", "\u{64E}"] { #expect(try users.matching(marks).isEmpty) }
        }
    }

    @Test("A wrong limit and a long text are told; strange texts find nobody or somebody, and never fail")
    func wrongInput() throws {
        try Self.directory(.memory) { directory in
            let users = directory.unrestricted.users
            for limit in [0, -1, 201] {
                let error = try #require(throws: DirectoryError.self) { try users.matching("a", limit: limit) }
                #expect(error.code == .invalidPage)
            }
            let error = try #require(throws: DirectoryError.self) {
                try users.matching(String(repeating: "a", count: 257))
            }
            #expect(error.code == .invalidFilter)
            let strange = [
                "\"", "'", "*", "a*", "a OR b", "anna AND", "NEAR(anna)", "anna:", "(anna", "words:anna", "\\", "\0",
                "a\u{0}b", "%", "_",
                "👩‍💻", "\u{301}", "ﷺ", String(repeating: "a ", count: 128), String(repeating: "佐", count: 256), "& | !",
                "<->", ":*",
                "anna's", "'anna", "+", "+4", "00", "١٢٣", "a@", "@", "@example", "j k",
            ]
            for text in strange { _ = try users.matching(text) }
            #expect(try users.matching("a").isEmpty == false, "one letter finds names that begin with it")
        }
    }
}
