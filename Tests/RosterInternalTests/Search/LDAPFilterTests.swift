import Foundation
import Testing

@testable import Roster

@Suite("LDAP filters")
struct LDAPFilterTests {
    static let uid = Filter.uid.equals("jane")
    static let title = Filter.title.present

    static func read(_ text: String, for entity: AttributeDefinition.Entity = .user) throws -> Filter {
        try Filter(ldap: text, vocabulary: SCIMFilterTests.vocabulary, for: entity)
    }

    static func failure(_ text: String, for entity: AttributeDefinition.Entity = .user) -> DirectoryError? {
        #expect(throws: DirectoryError.self) { try read(text, for: entity) }
    }

    static let structure: [(String, Filter)] = [
        ("(uid=jane)", uid), ("uid=jane", uid), (" ( UID=jane) ", uid), ("(title=*)", title),
        ("(&(uid=jane)(title=*))", .and([uid, title])), ("(|(uid=jane)(title=*))", .or([uid, title])),
        ("(!(uid=jane))", .not(uid)), ("(&)", .everything), ("(|)", .or([])), ("(!(&))", .not(.everything)),
        ("( & (uid=jane) ( | (title=*) (!(uid=jane)) ) )", .and([uid, .or([title, .not(uid)])])),
        ("(&(uid=jane))", .and([uid])), ("(&(uid=jane)(uid=jane)(uid=jane))", .and([uid, uid, uid])),
        ("(uid>=jane)", Filter.uid.isAtLeast("jane")), ("(uid<=jane)", Filter.uid.isAtMost("jane")),
        ("(uid~=jane)", uid), ("(cn;lang-en;x-y=jane)", Filter.commonName.equals("jane")),
        ("(cn:caseIgnoreMatch:=jane)", Filter.commonName.equals("jane")), ("(uid:dn:=jane)", uid),
        ("(uid:DN:2.5.13.2:=jane)", uid), ("(uid:=jane)", uid), ("(title=**)", title),
    ]

    @Test("each form of RFC 4515 becomes its filter", arguments: structure)
    func readsStructure(text: String, filter: Filter) throws {
        #expect(try Self.read(text) == filter)
    }

    static let surname = Filter.familyName
    static let substrings: [(String, Filter)] = [
        ("(sn=a*)", surname.starts("a")), ("(sn=*a)", surname.ends("a")), ("(sn=*a*)", surname.contains("a")),
        ("(sn=a*b)", .and([surname.starts("a"), surname.ends("b")])),
        ("(sn=a*b*c*d)", .and([surname.starts("a"), surname.contains("b"), surname.contains("c"), surname.ends("d")])),
        ("(sn=*a**b*)", .and([surname.contains("a"), surname.contains("b")])), ("(sn=\\2a*)", surname.starts("*")),
        ("(mail=jane*)", Filter.mail.starts("jane")),
        (
            "(mail=jane*@x.org)",
            .element("emails", .and([AttributePath("value").starts("jane"), AttributePath("value").ends("@x.org")]))
        ),
        (
            "(skills=a*b)",
            .element("skills", .and([AttributePath("value").starts("a"), AttributePath("value").ends("b")]))
        ),
    ]

    @Test("the pieces between asterisks are conditions on one value", arguments: substrings)
    func readsSubstrings(text: String, filter: Filter) throws {
        #expect(try Self.read(text) == filter)
    }

    static let values: [(String, Filter)] = [
        ("(cn=M\\c3\\bcller)", Filter.commonName.equals("Müller")), ("(cn=Müller)", Filter.commonName.equals("Müller")),
        ("(cn=a\\28b\\29\\2A\\5c)", Filter.commonName.equals("a(b)*\\")), ("(cn=\\00)", Filter.commonName.equals("\0")),
        ("(cn=a\0b)", Filter.commonName.equals("a\0b")), ("(cn=a=b>=c)", Filter.commonName.equals("a=b>=c")),
        ("(cn=&|!)", Filter.commonName.equals("&|!")), ("(cn=)", Filter.commonName.equals("")),
        ("(cn= a )", Filter.commonName.equals(" a ")), ("(cn=' OR 1=1 --)", Filter.commonName.equals("' OR 1=1 --")),
        ("(active=TRUE)", Filter.active), ("(badge>=7)", AttributePath("badge").isAtLeast(7)),
        ("(rate<=1.5)", AttributePath("rate").isAtMost(1.5)),
        (
            "(createTimestamp>=19700102000000Z)",
            AttributePath("created").isAtLeast(SCIMFilterTests.moment(86_400_000))
        ),
        ("(expires=19700101000001.25Z)", AttributePath("expires").equals(SCIMFilterTests.moment(1250))),
        ("(expires=197001010230+0200)", AttributePath("expires").equals(SCIMFilterTests.moment(1_800_000))),
        ("(expires=1970010101,5Z)", AttributePath("expires").equals(SCIMFilterTests.moment(5_400_000))),
        ("(expires=1970-01-01T00:00:01Z)", AttributePath("expires").equals(SCIMFilterTests.moment(1000))),
        ("(manager=uid=jane,ou=people,dc=x)", Filter.manager.equals("jane")),
        ("(manager=UID = jane , ou=people)", Filter.manager.equals("jane")),
        ("(manager=jane)", Filter.manager.equals("jane")),
        ("(memberOf=cn=a\\5c,b\\5c20,dc=x)", Filter.memberOf.equals("a,b ")),
        ("(memberOf=cn=M\\5cC3\\5cBC+ou=x)", Filter.memberOf.equals("Mü")),
        ("(memberOf=sa*)", Filter.memberOf.starts("sa")), ("(cn=uid=jane)", Filter.commonName.equals("uid=jane")),
    ]

    @Test("escapes, types and distinguished names are understood", arguments: values)
    func readsValues(text: String, filter: Filter) throws {
        #expect(try Self.read(text) == filter)
    }

    @Test(
        "attributes are known by LDAP's names and the directory's own",
        arguments: [
            ("sn", Filter.familyName), ("surname", Filter.familyName), ("familyName", Filter.familyName),
            ("CN", Filter.commonName), ("givenName", Filter.givenName), ("gn", Filter.givenName),
            ("entryUUID", AttributePath("id")),
            ("departmentNumber", Filter.department), ("userid", Filter.uid), ("l", AttributePath("locality")),
        ])
    func readsNames(name: String, path: AttributePath) throws {
        #expect(try Self.read("(\(name)=a)") == path.equals("a"))
    }

    @Test("an object class holds for everybody or for nobody")
    func objectClass() throws {
        for name in ["*", "person", "inetOrgPerson", "USER", "top"] {
            #expect(try Self.read("(objectClass=\(name))") == .everything)
        }
        for name in ["*", "groupOfNames", "groupofuniquenames", "group"] {
            #expect(try Self.read("(objectclass=\(name))", for: .role) == .everything)
        }
        #expect(try Self.read("(objectClass=groupOfNames)") == .or([]))
        #expect(try Self.read("(objectClass=person)", for: .role) == .or([]))
        #expect(try Self.read("(objectClass=printer)") == .or([]))
        #expect(try Self.read("(cn=sales)", for: .role) == AttributePath("name").equals("sales"))
    }

    /// Filters that are refused, and the character at which.
    static let refused: [(String, Int)] = [
        ("", 1), ("  ", 3), ("()", 2), ("(", 2), (")", 1), ("(uid=jane", 10), ("uid=jane)", 9), ("(uid=jane))", 11),
        ("(uid=jane)(title=*)", 11), ("(uid)", 5), ("uid", 4), ("(=jane)", 2), ("(uid>jane)", 5), ("(uid<jane)", 5),
        ("(uid~jane)", 5), ("(&(uid=jane)", 13), ("(&uid=jane)", 3), ("(!)", 3), ("(!uid=jane)", 3),
        ("(!(uid=jane)(title=*))", 13), ("&(uid=jane)(title=*)", 2), ("(uid=ja(ne)", 8), ("(uid=\\zz)", 6),
        ("(uid=\\5)", 6), ("(uid=\\", 6), ("(uid=\\+1)", 6), ("(uid=\\c3)", 6), ("(uid=a*\\ff)", 8), ("(uid>=a*)", 8),
        ("(uid:=a*)", 8), ("(shoeSize=42)", 2), ("(&(uid=jane)(shoeSize=42))", 14), ("(:dn:=jane)", 2),
        ("(:caseIgnoreMatch:=jane)", 2), ("(uid:1.2.840.113556.1.4.1941:=jane)", 2), ("(uid:dn:a:b:=jane)", 5),
        ("(uid:dn=jane)", 9), ("(uid:dn)", 8), ("(active>=TRUE)", 10), ("(active=maybe)", 9), ("(active=t*)", 9),
        ("(badge=x)", 8), ("(badge=1*)", 8), ("(expires=tomorrow)", 10), ("(expires=20260229000000Z)", 10),
        ("(expires=20260101Z)", 10), ("(objectClass=p*)", 14), ("(objectClass>=person)", 15), ("(manager=uid=)", 10),
        ("(manager=uid=#0401)", 10), ("(manager=uid=\\5c)", 10), ("(memberOf=cn=sa*)", 11), ("(photo>=AAAA)", 9),
    ]

    @Test("a filter that cannot be read is refused, with the place and what to do", arguments: refused)
    func refusals(text: String, character: Int) throws {
        try Garbage.expectRefusal(Self.failure(text), at: character)
    }

    @Test("nesting is read to the limit, and refused beyond it before the stack grows")
    func depth() throws {
        func nested(_ depth: Int, _ open: String) -> String {
            String(repeating: open, count: depth - 1) + "(title=*)" + String(repeating: ")", count: depth - 1)
        }
        for open in ["(!", "(&", "(|"] {
            #expect(throws: Never.self) { try Self.read(nested(Filter.maximumDepth, open)) }
            for depth in [Filter.maximumDepth + 1, 10_000] {
                #expect(
                    Self.failure(nested(depth, open))?.message.contains("limit of \(Filter.maximumDepth) levels")
                        == true)
            }
            #expect(Self.failure(nested(100_000, open))?.message.contains("bytes") == true)
        }
        #expect(Self.failure(String(repeating: "(", count: 60_000))?.code == .invalidFilter)
    }

    @Test("comparisons, pieces of text and empty lists are read to the limit, and refused beyond it")
    func comparisons() throws {
        let most = Filter.maximumComparisons
        func list(_ item: String, _ count: Int) -> String { "(|\(String(repeating: item, count: count)))" }
        for item in ["(title=*)", "(&)", "(|)"] {
            #expect(throws: Never.self) { try Self.read(list(item, most)) }
            #expect(Self.failure(list(item, most + 1))?.message.contains("limit of \(most)") == true)
        }
        #expect(Self.failure(list("(uid=a)", 25_000))?.code == .invalidFilter)
        #expect(throws: Never.self) { try Self.read("(sn=*\(String(repeating: "a*", count: most)))") }
        #expect(Self.failure("(sn=*\(String(repeating: "a*", count: most + 1)))")?.message.contains("limit") == true)
    }

    @Test("text is read to the limit of bytes, and refused beyond it")
    func length() throws {
        func text(_ length: Int) -> String { "(uid=\(String(repeating: "a", count: length - 6)))" }
        Garbage.expectLengthLimit(text) { try Self.read($0) }
    }

    @Test("any text that is escaped stays a value", arguments: 1...8 as ClosedRange<UInt64>)
    func escapedTextStaysAValue(seed: UInt64) throws {
        print("escapedTextStaysAValue: seed \(seed)")
        var garbage = Garbage(seed: seed)
        for _ in 0..<300 {
            let text = garbage.text(of: Garbage.characters)
            let escaped = text.utf8.map { byte in
                let isPlain = byte > 0x20 && byte < 0x7F && !"()*\\".utf8.contains(byte)
                let digits = String(byte, radix: 16)
                return isPlain ? String(Unicode.Scalar(byte)) : "\\" + (digits.count < 2 ? "0" : "") + digits
            }.joined()
            #expect(try Self.read("(title=\(escaped))") == Filter.title.equals(.string(text)), "seed \(seed)")
        }
    }

    @Test("garbage is read or refused as an invalid filter, never worse", arguments: 1...8 as ClosedRange<UInt64>)
    func garbage(seed: UInt64) {
        print("LDAP garbage: seed \(seed)")
        let words = [
            "(", "(", ")", ")", "&", "|", "!", "=", "=", ">=", "<=", "~=", ":=", ":dn", ":caseIgnoreMatch", ":", ";x",
            "*", "\\", "\\28", "\\ff", "uid", "sn", "mail", "manager", "memberOf", "objectClass", "expires", "badge",
            "a", " ", "é", "\0", "uid=jane,ou=x", "\\5c", "#", "20260101120000Z", "(uid=a)", "(&", "(!",
        ]
        Garbage.expectReadOrRefused(words, seed: seed) { try Self.read($0, for: $1) }
    }
}
