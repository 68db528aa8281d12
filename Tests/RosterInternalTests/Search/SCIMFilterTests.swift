import Foundation
import RosterText
import Testing
import TestSupport

@testable import Roster

@Suite("SCIM filters")
struct SCIMFilterTests {
    static let vocabulary = Vocabulary(declared: [
        AttributeDefinition("badge", kind: .integer), AttributeDefinition("rate", kind: .decimal),
        AttributeDefinition("expires", kind: .time), AttributeDefinition("skills", isMultiValued: true),
        AttributeDefinition("isRemote", kind: .boolean),
    ])
    static let uid = Filter.uid.equals("jane")
    static let title = Filter.title.present

    static func read(_ text: String, for entity: AttributeDefinition.Entity = .user) throws -> Filter {
        try Filter(scim: text, vocabulary: vocabulary, for: entity)
    }

    static func failure(_ text: String, for entity: AttributeDefinition.Entity = .user) -> DirectoryError? {
        #expect(throws: DirectoryError.self) { try read(text, for: entity) }
    }

    @Test(
        "each operator becomes its comparison, in any case",
        arguments: [
            ("eq", Filter.Comparison.equal), ("ne", .notEqual), ("co", .contains), ("sw", .starts), ("ew", .ends),
            ("gt", .greater), ("ge", .greaterOrEqual), ("lt", .less), ("le", .lessOrEqual), ("EQ", .equal),
            ("Co", .contains),
        ])
    func operators(symbol: String, comparison: Filter.Comparison) throws {
        #expect(try Self.read("title \(symbol) \"a\"") == .compare(Filter.title, comparison, "a"))
    }

    static let structure: [(String, Filter)] = [
        ("userName eq \"jane\"", uid), ("  \t\nuserName\teq\r\n\"jane\"  ", uid), ("title pr", title),
        ("TITLE PR", title), ("(title pr)", title), ("( ( title pr ) )", title), ("not (title pr)", .not(title)),
        ("NOT(title pr)", .not(title)), ("not (not (title pr))", .not(.not(title))),
        ("title pr and title pr and title pr", .and([title, title, title])),
        ("title pr or title pr or title pr", .or([title, title, title])),
        ("userName eq \"jane\" or title pr and title pr", .or([uid, .and([title, title])])),
        ("title pr and title pr or userName eq \"jane\"", .or([.and([title, title]), uid])),
        ("title pr and (title pr or userName eq \"jane\")", .and([title, .or([title, uid])])),
        ("not (title pr) and userName eq \"jane\"", .and([.not(title), uid])),
        ("title pr AND title pr Or title pr", .or([.and([title, title]), title])),
        ("(title pr)and(title pr)", .and([title, title])),
    ]

    @Test("'and' binds tighter than 'or', parentheses tighter than both", arguments: structure)
    func readsStructure(text: String, filter: Filter) throws {
        #expect(try Self.read(text) == filter)
    }

    static let enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
    static let names: [(String, AttributePath)] = [
        ("userName", Filter.uid), ("USERNAME", Filter.uid), ("uid", Filter.uid), ("name.familyName", Filter.familyName),
        ("Name.FAMILYNAME", Filter.familyName), ("surname", Filter.familyName), ("familyName", Filter.familyName),
        ("lastName", Filter.familyName), ("firstName", Filter.givenName), ("sn", Filter.familyName),
        ("name.formatted", Filter.commonName), ("displayName", Filter.displayName), ("id", AttributePath("id")),
        ("urn:ietf:params:scim:schemas:core:2.0:User:userName", Filter.uid),
        ("URN:IETF:params:scim:schemas:core:2.0:user:name.familyname", Filter.familyName),
        (enterprise + ":department", Filter.department), (enterprise + ":manager", Filter.manager),
        (enterprise + ":manager.value", Filter.manager), ("manager", Filter.manager),
        ("manager.value", Filter.manager), ("department", Filter.department),
        (Vocabulary.extensionSchema + ":maidenName", AttributePath("maidenName")),
        (Vocabulary.extensionSchema + ":skills", AttributePath("skills")),
        ("emails", AttributePath("emails")), ("emails.value", AttributePath("emails", part: "value")),
        ("Emails.TYPE", AttributePath("emails", part: "type")),
        ("urn:ietf:params:scim:schemas:core:2.0:User:emails.value", AttributePath("emails", part: "value")),
        ("addresses.streetaddress", AttributePath("addresses", part: "streetAddress")), ("mail", Filter.mail),
        ("groups", Filter.memberOf), ("groups.value", Filter.memberOf), ("groups.display", Filter.memberOf),
    ]

    @Test("an attribute is known by SCIM's name, its URN, its own name and usual others", arguments: names)
    func readsNames(name: String, path: AttributePath) throws {
        #expect(try Self.read("\(name) eq \"a\"") == path.equals("a"))
        #expect(try Self.read("\(name) pr") == path.present)
    }

    @Test("the names of a role's attributes are its own")
    func rolesHaveOtherNames() throws {
        #expect(try Self.read("name eq \"sales\"", for: .role) == AttributePath("name").equals("sales"))
        #expect(try Self.read("displayName eq \"Sales\"", for: .role) == Filter.displayName.equals("Sales"))
        #expect(Self.failure("userName eq \"jane\"", for: .role)?.attribute == "userName")
    }

    static func moment(_ milliseconds: Int64) -> AttributeValue { .time(Date(milliseconds: milliseconds)) }

    static let values: [(String, Filter)] = [
        (#"title eq "a\"b\\c\/d\u00e9\ud83d\ude00""#, Filter.title.equals("a\"b\\c/dé😀")),
        (#"title eq "\u0000' OR 1=1 --""#, Filter.title.equals("\0' OR 1=1 --")),
        ("title eq \"\"", Filter.title.equals("")), ("title eq 1.50", Filter.title.equals("1.50")),
        ("title sw \"Mü\"", Filter.title.starts("Mü")),
        ("title eq \") or (title pr\"", Filter.title.equals(") or (title pr")),
        ("title eq null", .not(title)), ("title ne null", title), ("title EQ NULL", .not(title)),
        ("active eq true", Filter.active), ("active eq \"True\"", Filter.active), ("active eq True", Filter.active),
        ("active ne \"FALSE\"", AttributePath("active").differs(from: false)),
        ("badge ge 7", AttributePath("badge").isAtLeast(7)), ("badge eq -7", AttributePath("badge").equals(-7)),
        ("badge eq 7.0", AttributePath("badge").equals(7)), ("badge eq \"7\"", AttributePath("badge").equals(7)),
        ("rate lt 1e3", AttributePath("rate").isLess(than: 1000.0)), ("rate eq 2", AttributePath("rate").equals(2.0)),
        ("meta.created gt \"1970-01-02T00:00:00Z\"", AttributePath("created").isGreater(than: moment(86_400_000))),
        ("expires eq \"1970-01-01T00:00:01.25Z\"", AttributePath("expires").equals(moment(1250))),
        ("expires eq \"1970-01-01T02:00:00+02:00\"", AttributePath("expires").equals(moment(0))),
        ("expires eq \"1969-12-31T19:00:00.001-0500\"", AttributePath("expires").equals(moment(1))),
        ("expires eq \"2000-02-29\"", AttributePath("expires").equals(moment(951_782_400_000))),
        ("expires eq \"2026-01-31T12:00:00\"", AttributePath("expires").equals(moment(1_769_860_800_000))),
        ("expires eq \"0001-01-01T00:00:00Z\"", AttributePath("expires").equals(moment(-62_135_596_800_000))),
        ("expires eq \"9999-12-31T23:59:59.999Z\"", AttributePath("expires").equals(moment(253_402_300_799_999))),
    ]

    @Test("a value is read as the attribute's type asks", arguments: values)
    func readsValues(text: String, filter: Filter) throws {
        #expect(try Self.read(text) == filter)
    }

    static let type = AttributePath("type").equals("work")
    static let valuePaths: [(String, Filter)] = [
        ("emails[type eq \"work\"]", .element("emails", type)),
        (
            "emails[ TYPE eq \"work\" and value co \"@x\" ] and title pr",
            .and([.element("emails", .and([type, AttributePath("value").contains("@x")])), title])
        ),
        (
            "emails[not (type eq \"work\") or primary eq true]",
            .element("emails", .or([.not(type), AttributePath("primary").equals(true)]))
        ),
        ("not (emails[type eq \"work\"])", .not(.element("emails", type))),
        ("skills[value sw \"a\"]", .element("skills", AttributePath("value").starts("a"))),
        ("groups[display eq \"sales\"]", Filter.memberOf.equals("sales")),
        (
            "emails[type eq \"work\"].value eq \"a@b\"",
            .element("emails", .and([type, AttributePath("value").equals("a@b")]))
        ),
        (
            "not (Addresses[type eq \"work\" and primary eq true].COUNTRY sw \"D\") or title pr",
            .or([
                .not(
                    .element(
                        "addresses",
                        .and([
                            .and([type, AttributePath("primary").equals(true)]),
                            AttributePath("country").starts("D"),
                        ]))), title,
            ])
        ),
        (
            "phoneNumbers[type eq \"work\"].value ne \"1\"",
            .not(.element("phoneNumbers", .and([type, AttributePath("value").equals("1")])))
        ),
        (
            "phoneNumbers[type eq \"work\"].value pr",
            .element("phoneNumbers", .and([type, AttributePath("value").present]))
        ),
        (
            "phoneNumbers[type eq \"work\"].display eq null",
            .not(.element("phoneNumbers", .and([type, AttributePath("display").present])))
        ),
        (
            "groups[value eq \"a\"].display co \"b\"",
            .element("memberOf", .and([AttributePath("value").equals("a"), AttributePath("value").contains("b")]))
        ),
        (
            "urn:ietf:params:scim:schemas:core:2.0:User:emails[type eq \"work\"].primary eq \"True\"",
            .element("emails", .and([type, AttributePath("primary").equals(true)]))
        ),
    ]

    @Test("brackets speak of one single element and its parts", arguments: valuePaths)
    func readsValuePaths(text: String, filter: Filter) throws {
        #expect(try Self.read(text) == filter)
    }

    @Test("'roles' is what clients wrote, and the names of groups")
    func roles() throws {
        let written = AttributePath("scimRoles")
        func inGroups(_ filter: Filter) -> Filter { .element("memberOf", filter) }
        let named = AttributePath("value").equals("a")
        #expect(
            try Self.read("roles.value eq \"a\"")
                == .or([
                    AttributePath("scimRoles", part: "value").equals("a"), inGroups(named),
                ]))
        #expect(try Self.read("roles ne \"a\"") == .not(.or([written.equals("a"), inGroups(named)])))
        #expect(try Self.read("roles pr") == .or([written.present, inGroups(.everything)]))
        #expect(
            try Self.read("roles[primary eq \"True\"].value eq \"a\"")
                == .or([
                    .element("scimRoles", .and([AttributePath("primary").equals(true), named])),
                    inGroups(.and([.or([]), named])),
                ]))
        #expect(
            try Self.read("roles[type eq \"direct\" and display sw \"a\"]")
                == .or([
                    .element(
                        "scimRoles",
                        .and([AttributePath("type").equals("direct"), AttributePath("display").starts("a")])),
                    inGroups(.and([.everything, AttributePath("value").starts("a")])),
                ]))
    }

    @Test("A chain of value paths counts each comparison, and brackets count as levels")
    func boundedValuePaths() throws {
        let one = "emails[type eq \"work\"].value eq \"x\""
        let most = Filter.maximumComparisons / 2
        #expect(throws: Never.self) { try Self.read(Array(repeating: one, count: most).joined(separator: " or ")) }
        let tooMany = Array(repeating: one, count: most + 1).joined(separator: " or ")
        #expect(Self.failure(tooMany)?.message.contains("limit of \(Filter.maximumComparisons)") == true)
        let deep =
            String(repeating: "(", count: Filter.maximumDepth) + one
            + String(repeating: ")", count: Filter.maximumDepth)
        #expect(Self.failure(deep)?.message.contains("levels") == true)
    }

    @Test("'schemas' holds for everybody or for nobody")
    func schemas() throws {
        let user = "urn:ietf:params:scim:schemas:core:2.0:User"
        let group = "urn:ietf:params:scim:schemas:core:2.0:Group"
        #expect(try Self.read("schemas eq \"\(user)\"") == .everything)
        #expect(try Self.read("Schemas Eq \"\(Self.enterprise)\"") == .everything)
        #expect(try Self.read("schemas eq \"\(group)\"") == .or([]))
        #expect(try Self.read("schemas ne \"\(user)\"") == .or([]))
        #expect(try Self.read("schemas eq \"\(group)\"", for: .role) == .everything)
        #expect(try Self.read("schemas eq \"\(Self.enterprise)\"", for: .role) == .or([]))
        #expect(try Self.read("schemas pr") == .everything)
        #expect(try Self.read("name pr") == Filter.commonName.present)
    }

    /// Filters that are refused, and the character at which.
    static let refused: [(String, Int)] = [
        ("", 1), ("   ", 4), ("userName", 9), ("userName eq", 12), ("userName xx \"a\"", 10), ("userName = \"a\"", 10),
        ("userName eq jane", 13), ("userName eq 'jane'", 13), ("userName eq \"jane", 18), ("userName eq \"a\\q\"", 17),
        ("userName eq\"jane\"", 12), ("userName eq \"a\"and title pr", 16), ("userName eq \"a\" \"b\"", 17),
        ("userName eq \"a\" title pr", 17), ("title pr and", 13), ("and title pr", 5), ("title pr or or", 15),
        ("not title pr", 5), ("not", 4), ("(title pr", 10), ("title pr)", 9), ("()", 2), ("((title pr)", 12),
        ("shoeSize eq 42", 1), ("title pr and shoeSize eq 42", 14), ("ü eq 1", 1), ("\u{1}\u{2} eq 1", 1),
        ("emails.tpye eq \"work\"", 1), ("emails[tpye eq \"work\"]", 8), ("emails[type eq \"work\"", 22),
        ("emails[type eq \"work\")", 22), ("emails[]", 8), ("emails[type eq \"work\"]. value eq \"x\"", 24),
        ("emails[type eq \"work\"] .value eq \"x\"", 24), ("emails[type eq \"work\"].", 24),
        ("emails[type eq \"work\"].tpye eq \"x\"", 24), ("emails[type eq \"work\"].value", 29),
        ("emails[type eq \"work\"].value.type eq \"x\"", 24), ("emails[type eq \"work\"].value gt true", 33),
        ("emails[value eq \"a\" and emails[type eq \"b\"].value pr]", 31),
        ("emails[emails[type eq \"work\"]]", 14), ("title[value eq \"x\"]", 1), ("shoes[value eq \"x\"]", 1),
        ("emails[type eq \"work\"] eq \"x\"", 24), ("emails gt \"a\"", 11), ("addresses eq \"a\"", 14),
        ("name eq \"Jane\"", 9), ("active gt true", 11), ("active co \"t\"", 11), ("active eq 1", 11),
        ("active eq \"yes\"", 11), ("badge co \"1\"", 10), ("badge eq 1.5", 10), ("badge eq 99999999999999999999", 10),
        ("badge eq \"x\"", 10), ("rate eq 1e400", 9), ("badge eq 007", 11), ("photo gt \"AAAA\"", 10),
        ("photo eq \"?\"", 10), ("title eq true", 10), ("title gt null", 10), ("expires eq 5", 12),
        ("expires eq \"yesterday\"", 12), ("expires eq \"2026-02-29T00:00:00Z\"", 12),
        ("expires eq \"2026-13-01T00:00:00Z\"", 12), ("expires eq \"2026-01-01T24:00:00Z\"", 12),
        ("expires eq \"2026-01-01T00:00:00+25:00\"", 12), ("expires sw \"2026\"", 12), ("schemas co \"urn\"", 12),
        ("schemas eq 1", 12), ("urn:unknown:User:userName eq \"a\"", 1), ("emails.value.type eq \"a\"", 1),
        ("urn:ietf:params:scim:schemas:core:2.0:Group:displayName eq \"a\"", 1),
        ("title eq \"\u{1}\"", 11), ("title eq \"\\ud800\"", 17), ("[type eq \"work\"]", 1), ("\"a\" eq \"b\"", 1),
    ]

    @Test("a filter that cannot be read is refused, with the place and what to do", arguments: refused)
    func refusals(text: String, character: Int) throws {
        try Garbage.expectRefusal(Self.failure(text), at: character)
    }

    @Test("an unknown attribute is named in the error, shortened and without control characters")
    func unknownAttribute() throws {
        #expect(Self.failure("shoeSize eq 42")?.attribute == "shoeSize")
        let long = try #require(Self.failure("a\u{1B}" + String(repeating: "b", count: 10_000) + " pr"))
        #expect(long.message.count < 200)
        #expect(!long.message.unicodeScalars.contains("\u{1B}"))
    }

    @Test("nesting is read to the limit, and refused beyond it before the stack grows")
    func depth() throws {
        func nested(_ depth: Int, _ open: String) -> String {
            String(repeating: open, count: depth) + "title pr" + String(repeating: ")", count: depth)
        }
        #expect(try Self.read(nested(Filter.maximumDepth, "(")) == Self.title)
        #expect(throws: Never.self) { try Self.read(nested(Filter.maximumDepth, "not (")) }
        for text in [
            nested(Filter.maximumDepth + 1, "("), nested(10_000, "("), nested(5_000, "not ("),
            nested(Filter.maximumDepth, "(").replacing("title pr", with: "emails[type pr]"),
        ] {
            #expect(Self.failure(text)?.message.contains("limit of \(Filter.maximumDepth) levels") == true)
        }
        #expect(Self.failure(nested(100_000, "("))?.message.contains("bytes") == true)
    }

    @Test("comparisons are read to the limit, and refused beyond it")
    func comparisons() throws {
        func joined(_ count: Int) -> String { Array(repeating: "title pr", count: count).joined(separator: " or ") }
        let most = Filter.maximumComparisons
        #expect(try Self.read(joined(most)) == .or(Array(repeating: Self.title, count: most)))
        #expect(Self.failure(joined(most + 1))?.message.contains("limit of \(most)") == true)
        #expect(Self.failure(joined(25_000))?.code == .invalidFilter)
    }

    @Test("text is read to the limit of bytes, and refused beyond it")
    func length() throws {
        let frame = "title eq \"\"".utf8.count
        func text(_ length: Int) -> String { "title eq \"\(String(repeating: "a", count: length - frame))\"" }
        Garbage.expectLengthLimit(text) { try Self.read($0) }
    }

    @Test("any text in a string literal stays a value", arguments: 1...8 as ClosedRange<UInt64>)
    func literalsStayValues(seed: UInt64) throws {
        print("literalsStayValues: seed \(seed)")
        var garbage = Garbage(seed: seed)
        for _ in 0..<300 {
            let text = garbage.text(of: Garbage.characters)
            var literal: [UInt8] = []
            JSONText.append(string: text, to: &literal)
            let filter = "title eq \(String(decoding: literal, as: UTF8.self))"
            #expect(try Self.read(filter) == Filter.title.equals(.string(text)), "seed \(seed)")
        }
    }

    @Test("garbage is read or refused as an invalid filter, never worse", arguments: 1...8 as ClosedRange<UInt64>)
    func garbage(seed: UInt64) {
        print("SCIM garbage: seed \(seed)")
        let words = [
            "userName", "emails", "emails.type", "roles", "].value", "emails[type eq \"a\"].value", "active", "badge",
            "expires", "groups", "schemas", "urn:", ":", ".",
            " eq ", " co ", " pr", " gt ", " and ", " or ", "not ", "not(", "(", ")", "[", "]", " ", "\"a\"", "\"",
            "\\", "\\u12", "\"\\ud83d\"", "true", "null", "-", "1e9", "-0.5", "é", "\0", "\"2026-01-01T00:00:00Z\"",
        ]
        Garbage.expectReadOrRefused(words, seed: seed) { try Self.read($0, for: $1) }
    }
}

extension Garbage {
    /// Expects that a filter was refused with the place of its mistake and with advice.
    static func expectRefusal(_ error: DirectoryError?, at character: Int) throws {
        let error = try #require(error)
        #expect(error.code == .invalidFilter)
        #expect(error.message.hasPrefix("At character \(character) of the filter: "), "\(error)")
        #expect(error.advice?.isEmpty == false)
        #expect(!error.description.utf8.contains { $0 < 0x20 })
    }

    /// Expects that filters are read up to the limit of bytes, and refused beyond it.
    static func expectLengthLimit(_ text: (_ length: Int) -> String, _ read: (String) throws -> Filter) {
        #expect(throws: Never.self) { try read(text(Filter.maximumLength)) }
        let error = #expect(throws: DirectoryError.self) { try read(text(Filter.maximumLength + 1)) }
        #expect(error?.message.contains("\(Filter.maximumLength)") == true)
        #expect(#expect(throws: DirectoryError.self) { try read(text(1_048_576)) }?.code == .invalidFilter)
    }

    /// Expects that random text of the words is read, or refused as an invalid filter with advice.
    static func expectReadOrRefused(
        _ words: [String], seed: UInt64, _ read: (String, AttributeDefinition.Entity) throws -> Filter
    ) {
        var garbage = Garbage(seed: seed)
        for round in 0..<3_000 {
            let text = garbage.text(of: round % 4 == 0 ? characters : words)
            do {
                _ = try read(text, round % 3 == 0 ? .role : .user)
            } catch let error as DirectoryError {
                #expect(error.code == .invalidFilter && error.advice?.isEmpty == false, "seed \(seed): \(text)")
            } catch {
                Issue.record("seed \(seed): \(error) for \(text)")
            }
        }
    }
}

/// Random text that is the same for the same seed (SplitMix64).
struct Garbage: RandomNumberGenerator {
    private var numbers: SeededNumbers

    static let characters =
        ((0..<0x80).map { UInt8($0) }.map { String(Unicode.Scalar($0)) })
        + ["ü", "\u{301}", "😀", "\u{FEFF}", "\u{202E}", "ﬀ", "\r\n", "((((", "\\\\", "\"\""]

    init(seed: UInt64) { numbers = SeededNumbers(seed: seed) }

    mutating func next() -> UInt64 { numbers.next() }

    mutating func text(of words: [String]) -> String {
        (0..<Int.random(in: 0...24, using: &self)).compactMap { _ in words.randomElement(using: &self) }.joined()
    }
}
