import Foundation
import Testing
import TestSupport

@testable import Roster

@Suite("LDIF")
struct LDIFTests {
    static func records(_ data: Data) throws -> [LDIFRecord] {
        var reader = LDIFReader(data)
        var records: [LDIFRecord] = []
        while let record = try reader.next() { records.append(record) }
        return records
    }

    static func records(_ text: String) throws -> [LDIFRecord] { try records(Data(text.utf8)) }

    static let jane = "version: 1\n\ndn: uid=jane\n"
    static let lines: [(String, [LDIFAttribute])] = [
        ("cn: Jane", [.init("cn", "Jane")]), ("cn:Jane", [.init("cn", "Jane")]), ("cn:    Jane", [.init("cn", "Jane")]),
        ("cn:", [.init("cn", "")]), ("cn: ", [.init("cn", "")]), ("cn::", [.init("cn", "")]),
        ("cn:: SmFuZQ==", [.init("cn", "Jane")]), ("cn::SmFuZQ==", [.init("cn", "Jane")]),
        ("cn: Ja\n ne", [.init("cn", "Jane")]),
        ("cn: Ja\r\n ne\r\nsn: Doe\r", [.init("cn", "Jane"), .init("sn", "Doe")]),
        ("cn: Ja\n  n\n e", [.init("cn", "Ja ne")]), ("c\n n: Jane", [.init("cn", "Jane")]),
        ("cn:: SmF\n uZQ==", [.init("cn", "Jane")]), ("# note\n with more\ncn: Jane", [.init("cn", "Jane")]),
        ("cn: Jane\n# cn: Joe\nsn: Doe", [.init("cn", "Jane"), .init("sn", "Doe")]),
        ("cn;lang-en: Jane", [.init("cn;lang-en", "Jane")]),
        ("jpegPhoto;binary:: /9j/", [.init("jpegPhoto;binary", Data([0xFF, 0xD8, 0xFF]))]),
        ("2.5.4.3: Jane", [.init("2.5.4.3", "Jane")]), ("cn: a: b:: c :< d", [.init("cn", "a: b:: c :< d")]),
        ("cn: :x", [.init("cn", ":x")]), ("cn: <x", [.init("cn", "<x")]), ("cn: Müller 😀", [.init("cn", "Müller 😀")]),
        ("changetype: add\ncn: Jane", [.init("cn", "Jane")]), ("version: 7", [.init("version", "7")]),
        ("cn: b\ncn: a", [.init("cn", "b"), .init("cn", "a")]),
    ]

    @Test("each form of RFC 2849 is read as its attribute", arguments: lines)
    func readsLines(text: String, attributes: [LDIFAttribute]) throws {
        #expect(try Self.records(Self.jane + text + "\n").map(\.attributes) == [attributes])
        #expect(try Self.records("dn: uid=jane\n" + text).map(\.attributes) == [attributes], "without end and version")
    }

    @Test("a character that is folded in the middle of its bytes is whole again")
    func unfoldsBytes() throws {
        let data = Data("dn: cn=x\ncn: M".utf8) + Data([0xC3, 0x0A, 0x20, 0xBC]) + Data("ller\n".utf8)
        #expect(try Self.records(data).first?.attributes.first?.text == "Müller")
    }

    @Test("records know their lines, whatever stands between them")
    func knowsLines() throws {
        let text = "\u{FEFF}# people\n\nversion: 1\ndn: uid=a\ncn: A\n\n\n# b\n\ndn: uid=b\ncn: B\n \n\ndn:: dWlkPcO8\n"
        let records = try Self.records(text)
        #expect(records.map(\.line) == [4, 10, 14])
        #expect(records.map(\.dn) == ["uid=a", "uid=b", "uid=ü"])
    }

    static let names: [(String, [LDIFAttribute])] = [
        ("uid=jane,ou=people", [.init("uid", "jane")]), ("uid=jane", [.init("uid", "jane")]), ("", []),
        ("uid = jane , ou=people", [.init("uid", "jane")]), ("uid=,ou=x", [.init("uid", "")]),
        ("uid=jane+cn=Jane Doe,ou=x", [.init("uid", "jane"), .init("cn", "Jane Doe")]),
        ("cn=Doe\\, Jane,ou=x", [.init("cn", "Doe, Jane")]), ("cn=Doe\\2C Jane,ou=x", [.init("cn", "Doe, Jane")]),
        ("cn=\\ a \\ ,ou=x", [.init("cn", " a  ")]), ("cn=\\#1\\+1\\=2,ou=x", [.init("cn", "#1+1=2")]),
        ("cn=a=b#c,ou=x", [.init("cn", "a=b#c")]), ("cn=Lu\\C4\\8Di\\c4\\87", [.init("cn", "Lučić")]),
        ("cn=a\\\\,ou=x", [.init("cn", "a\\")]), ("cn=a\\,", [.init("cn", "a,")]),
        ("cn=\\\"\\;\\<\\>", [.init("cn", "\";<>")]),
        ("1.3.6.1=x", [.init("1.3.6.1", "x")]),
        ("CN=James \\\"Jim\\\" Smith\\, III,DC=x", [.init("CN", "James \"Jim\" Smith, III")]),
    ]

    @Test("the first component of a name is unescaped as RFC 4514 says", arguments: names)
    func readsNames(text: String, component: [LDIFAttribute]) throws {
        #expect(try DistinguishedName.firstComponent(of: text) == component)
        let data = Data("dn:: \(Data(text.utf8).base64EncodedString())\ncn: x".utf8)
        #expect(try Self.records(data).first?.firstComponent == component)
    }

    static let badNames = [
        "jane", "=jane", "uid=a\"b", "uid=a;b", "uid=a<b", "uid=a\\", "uid=a\\x", "uid=a\\4", "uid=a\\4x", "uid=\\FF",
        "uid=#04024869", "uid=a,", "uid=a\\\\,", "uid=a+", "uid=a+b", "u d=a", "cn;lang-en=a", "ü=a", ",", "uid=a\0",
    ]

    @Test("what is no distinguished name is refused, with the line of its record", arguments: badNames)
    func refusesNames(text: String) throws {
        #expect(throws: DirectoryError.self) { try DistinguishedName.firstComponent(of: text) }
        let data = Data("version: 1\n\ndn:: \(Data(text.utf8).base64EncodedString())\ncn: x".utf8)
        let error = try #require(throws: DirectoryError.self) { _ = try Self.records(data) }
        #expect(error.message.hasPrefix("line 3: the distinguished name"), "\(error.message)")
        var writer = LDIFWriter()
        #expect(throws: DirectoryError.self) { try writer.append(dn: text, []) }
    }

    static let mistakes: [(String, String)] = [
        ("version: 2\ndn: uid=a\n", "line 1: only version 1"), ("cn: Jane\n", "line 1: a record must begin with 'dn:'"),
        ("dn: uid=a\ncn:< file:///etc/passwd\n", "line 2: the value is at a URL"),
        ("dn:< http://localhost/\n", "line 1: the value is at a URL"),
        ("dn: uid=a\nchangetype: delete\n", "line 2: only entries"),
        ("dn: uid=a\nchangetype: modify\nreplace: cn\ncn: x\n-\n", "line 2: only entries"),
        ("dn: uid=a\nChangeType:: bW9kcmRu\n", "line 2: only entries"),
        ("dn: uid=a\ncn: x\nchangetype: add\n", "line 3: 'changetype:' is in the wrong place"),
        ("dn: uid=a\nchangetype: add\nchangetype: add\n", "line 3: 'changetype:' is in the wrong place"),
        ("dn: uid=a\ncontrol: 1.2.3 true\nchangetype: add\n", "line 2: controls"),
        ("dn: uid=a\ncn: A\ndn: uid=b\n", "line 3: a record begins within another one"),
        ("dn: uid=a\ncn:: SmFu!\n", "line 2: the value after '::' is not base64"),
        ("dn: uid=a\ncn:: SmFuZQ=\n", "line 2: the value after '::' is not base64"),
        ("dn: uid=a\njust text\n", "line 2: this is not 'attribute: value'"),
        ("dn: uid=a\n: x\n", "line 2: this is not"), ("dn: uid=a\nc n: x\n", "line 2: this is not"),
        ("dn: uid=a\ncn;: x\n", "line 2: this is not"), ("dn: uid=a\n-\n", "line 2: this is not"),
        ("dn: uid=a\ncn: x\0y\n", "line 2: the value is not UTF-8 text"),
        ("dn: uid=a\ncn: x\ry\n", "line 2: the value is not UTF-8 text"),
        (" dn: uid=a\n", "line 1: the line continues nothing"),
        ("dn: uid=a\ncn: A\n\n sn: B\n", "line 4: the line continues nothing"),
        ("dn:: /w==\n", "line 1: the distinguished name"),
    ]

    @Test("what is no content record is refused with its line and what to do", arguments: mistakes)
    func refuses(text: String, message: String) throws {
        let error = try #require(throws: DirectoryError.self) { _ = try Self.records(text) }
        #expect(error.code == .invalidInput)
        #expect(error.message.hasPrefix(message), "\(error.message)")
        #expect(error.advice?.isEmpty == false)
    }

    @Test("text that is not UTF-8 is refused with its line")
    func refusesOtherEncodings() throws {
        let error = try #require(throws: DirectoryError.self) {
            _ = try Self.records(Data("dn: uid=a\ncn: M".utf8) + Data([0xFC]))
        }
        #expect(error.message.hasPrefix("line 2: the value is not UTF-8 text"))
    }

    @Test("after a record with a mistake the next one is read")
    func goesOn() throws {
        var reader = LDIFReader(Data("dn: uid=a\nnonsense\ncn: A\n\ndn: uid=b\ncn: B\n".utf8))
        #expect(throws: DirectoryError.self) { try reader.next() }
        #expect(try reader.next()?.dn == "uid=b")
        #expect(try reader.next() == nil)
    }

    static let written: [(LDIFAttribute, String)] = [
        (.init("cn", "Jane"), "cn: Jane"), (.init("cn", ""), "cn:"), (.init("cn", " a"), "cn:: IGE="),
        (.init("cn", "a "), "cn:: YSA="), (.init("cn", ":a"), "cn:: OmE="), (.init("cn", "<a"), "cn:: PGE="),
        (.init("cn", "a\nb"), "cn:: YQpi"), (.init("cn", "a\rb"), "cn:: YQ1i"), (.init("cn", "a\0"), "cn:: YQA="),
        (.init("cn", "\u{7F}"), "cn:: fw=="), (.init("cn", "ü"), "cn:: w7w="), (.init("cn", "#a: <"), "cn: #a: <"),
        (.init("x;binary", Data([0xFF])), "x;binary:: /w=="),
        (.init("cn", String(repeating: "a", count: 72)), "cn: " + String(repeating: "a", count: 72)),
        (
            .init("cn", String(repeating: "a", count: 148)),
            "cn: " + String(repeating: "a", count: 72) + "\n " + String(repeating: "a", count: 75) + "\n a"
        ),
    ]

    @Test("a value is written as it is only where that is safe, and folded at 76", arguments: written)
    func writes(attribute: LDIFAttribute, text: String) throws {
        var writer = LDIFWriter()
        try writer.append(dn: "uid=jane", [attribute])
        let data = writer.take()
        #expect(String(decoding: data, as: UTF8.self) == "version: 1\n\ndn: uid=jane\n\(text)\n")
        #expect(try Self.records(data).first?.attributes == [attribute])
    }

    static let injections = [
        "x\n\ndn: uid=root\nobjectClass: admin", "x\nuserPassword: secret", "x\r\n\r\ndn: uid=root", "\n\n",
        "\ndn: uid=root\n",
        " x\n\n", "\n-\nreplace: cn", "x\n changetype: delete",
    ]

    @Test("no value and no name can add a line", arguments: injections)
    func cannotInject(value: String) throws {
        let dn = DistinguishedName.text("uid", value, under: "ou=people")
        let attributes = [LDIFAttribute("cn", value), LDIFAttribute("sn", "Doe")]
        var writer = LDIFWriter()
        try writer.append(dn: dn, attributes)
        let records = try Self.records(writer.take())
        #expect(records.count == 1)
        #expect(records.first?.dn == dn)
        #expect(records.first?.firstComponent == [LDIFAttribute("uid", value)])
        #expect(records.first?.attributes == attributes)
    }

    static let badAttributes = [
        "", "c n", "cn:", "cn\nsn", "cn;", ";cn", "cn;;x", "ü", "-cn", "dn", "DN", "changetype", "ChangeType",
        "control", "cn<",
    ]

    @Test("a name that is none, or that means something else, is not written", arguments: badAttributes)
    func refusesAttributes(name: String) throws {
        var writer = LDIFWriter()
        #expect(throws: DirectoryError.self) {
            try writer.append(dn: "uid=a", [.init("cn", "x"), .init(name, "delete")])
        }
        #expect(writer.take() == Data("version: 1\n".utf8))
    }

    @Test("records of random nasty values are read as they were written", arguments: 1...200 as ClosedRange<UInt64>)
    func roundTrips(seed: UInt64) throws {
        var noise = NastyText(seed: seed)
        var writer = LDIFWriter()
        var data = Data()
        var expected: [[LDIFAttribute]] = []
        for _ in 0..<10 {
            let name = LDIFAttribute("uid", noise.text())
            let attributes = (0..<5).map { index in
                let bytes = index == 0 ? noise.bytes(from: Array(0...255)) : Data(noise.text().utf8)
                return LDIFAttribute(["photo;binary", "cn", "sn;lang-en", "custom_name", "cn"][index], bytes)
            }
            try writer.append(dn: DistinguishedName.text("uid", name.text ?? "", under: "ou=people"), attributes)
            data += writer.take()
            expected.append([name] + attributes)
        }
        #expect(try Self.records(data).map { $0.firstComponent + $0.attributes } == expected, "seed \(seed)")
        let longest = data.split(separator: 0x0A).map(\.count).max() ?? 0
        #expect(longest <= 76 && data.allSatisfy { $0 == 0x0A || 0x20...0x7E ~= $0 }, "seed \(seed)")
    }

    @Test("arbitrary bytes are read or refused, and reading them ends", arguments: 1...500 as ClosedRange<UInt64>)
    func survives(seed: UInt64) {
        var noise = NastyText(seed: seed)
        let noisy = noise.bytes(from: Array("\n\n\r :<=\\,+#;ad-\0".utf8) + [0xFF, 0xC3, 0xBC])
        let data = Data("dn: uid=a".utf8) + noisy + Data("\n\ndn:".utf8) + noisy
        var reader = LDIFReader(data)
        var steps = 0
        while steps <= data.count {
            steps += 1
            do { if try reader.next() == nil { break } } catch { #expect(error is DirectoryError, "seed \(seed)") }
        }
        #expect(steps <= data.count, "seed \(seed)")
    }
}
