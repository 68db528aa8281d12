import Foundation
import Testing

@testable import Roster

@Suite("JSON documents")
struct JSONDocumentTests {
    static func read(_ text: String) throws -> JSONDocument { try JSONDocument(Data(text.utf8)) }

    static let values: [(String, JSONDocument.Content)] = [
        ("\"a\\u00e9\\ud83d\\ude00\\n\"", .string("aé😀\n")), ("\"\"", .string("")), ("true", .boolean(true)),
        (" false\n", .boolean(false)), ("null", .null), ("0", .integer(0)), ("-12", .integer(-12)),
        ("9223372036854775807", .integer(.max)), ("9223372036854775808", .decimal(9_223_372_036_854_775_808)),
        ("1.0", .decimal(1)), ("1e3", .decimal(1000)), ("[]", .array([])), ("[ ]", .array([])), ("{}", .object([])),
        ("{ }", .object([])), ("\u{FEFF}7", .integer(7)),
    ]

    @Test("each kind of value is read", arguments: values)
    func readsValues(text: String, content: JSONDocument.Content) throws {
        #expect(try Self.read(text).content == content)
    }

    @Test("every value and every name knows its line and column")
    func knowsPlaces() throws {
        let text = "\u{FEFF}{\r\n  \"users\": [ {\"é😀\": 1, \"b\":\r\n\t-2.5}, null ],\r\r\n \"x\" : true}"
        let document = try Self.read(text)
        #expect(document.line == 1 && document.column == 1)
        let users = try #require(document["users"])
        #expect(users.line == 2 && users.column == 12)
        guard case .array(let elements) = users.content, case .object(let members)? = elements.first?.content else {
            Issue.record("not an array of objects")
            return
        }
        #expect(elements.map { [$0.line, $0.column] } == [[2, 14], [3, 9]])
        #expect(members.map(\.name) == ["é😀", "b"])
        #expect(members.map { [$0.line, $0.column] } == [[2, 15], [2, 24]])
        #expect(members.map { [$0.value.line, $0.value.column] } == [[2, 21], [3, 2]])
        let last = try #require(document["x"])
        #expect(last.line == 5 && last.column == 8)
        #expect(document["y"] == nil && users["x"] == nil)
        #expect(last.failure("x is wrong.", advice: "Fix it.").description == "line 5, column 8: x is wrong. Fix it.")
        #expect(members[1].failure("b is wrong.", advice: "Fix it.").message == "line 2, column 24: b is wrong.")
    }

    static let mistakes: [(String, String)] = [
        ("", "line 1, column 1: expected a value, but the text ends"), ("\n ", "line 2, column 2: expected a value"),
        ("{\n \"a\": 1,\n \"b\": 2,\n \"a\": 3}", "line 4, column 2: this name stands in the object already"),
        ("{\"a\":1,\"\\u0061\":2}", "line 1, column 8: this name stands in the object already"),
        ("{\"a\": 1 \"b\": 2}", "line 1, column 9: expected '}'"), ("[1 2]", "line 1, column 4: expected ']'"),
        ("[1,]", "line 1, column 4: expected a value"), ("{\"a\":1,}", "line 1, column 8: expected '\"'"),
        ("{\"a\" 1}", "line 1, column 6: expected ':'"), ("{a:1}", "line 1, column 2: expected '\"'"),
        ("[1,\n 2", "line 2, column 3: expected ']', but the text ends"),
        ("1\n2", "line 2, column 1: something follows"),
        ("{} x", "line 1, column 4: something follows"), ("truex", "line 1, column 5: something follows"),
        ("nul", "line 1, column 1: expected a value"), ("NaN", "line 1, column 1: expected a value"),
        ("[\n1e400]", "line 2, column 1: the number is too large"),
        ("01", "line 1, column 2: a number must not begin with 0"),
        ("\"é\\q\"", "line 1, column 5: unknown escape"), ("\"\\ud800\"", "half a surrogate pair"),
        ("\"a\nb\"", "line 1, column 3: a control character"), ("\"abc", "the string has no end"),
        ("1\0", "line 1, column 2: something follows"), ("\0", "line 1, column 1: expected a value"),
        (String(repeating: "[", count: 100_000), "line 1, column 65: more than 64 levels"),
        (String(repeating: "{\"a\":", count: 65), "line 1, column 321: more than 64 levels"),
    ]

    @Test("a mistake is refused with line, column and what to do", arguments: mistakes)
    func refuses(text: String, message: String) throws {
        let error = try #require(throws: DirectoryError.self) { _ = try Self.read(text) }
        #expect(error.code == .invalidInput)
        #expect(error.message.contains(message), "\(error.message)")
        #expect(error.advice?.isEmpty == false)
    }

    static let otherEncodings: [([UInt8], String)] = [
        ([0xFF, 0xFE, 0x7B, 0, 0x7D, 0], "the document is UTF-16"), ([0xFE, 0xFF, 0, 0x7B], "the document is UTF-16"),
        ([0x22, 0xFC, 0x22], "line 1, column 2: the text is not valid UTF-8"),
        ([0x5B, 0x0A, 0x31, 0x2C, 0xC3], "line 2, column 3: the text is not valid UTF-8"),
        ([0xEF, 0xBB], "line 1, column 1: the text is not valid UTF-8"),
    ]

    @Test("what is not UTF-8 is refused", arguments: otherEncodings)
    func refusesOtherEncodings(bytes: [UInt8], message: String) throws {
        let error = try #require(throws: DirectoryError.self) { _ = try JSONDocument(Data(bytes)) }
        #expect(error.message.contains(message), "\(error.message)")
    }

    @Test("64 levels are read, from a slice of data too")
    func readsDepth() throws {
        let text = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        var document = try JSONDocument(Data(("x" + text).utf8).dropFirst())
        var depth = 1
        while case .array(let elements) = document.content, let first = elements.first {
            document = first
            depth += 1
        }
        #expect(depth == 64 && document.column == 64)
    }

    @Test("random values are read as Foundation writes them", arguments: 1...200 as ClosedRange<UInt64>)
    func roundTrips(seed: UInt64) throws {
        var noise = NastyText(seed: seed)
        var expected: [String: String] = [:]
        for _ in 0..<10 { expected[noise.text()] = noise.text() }
        let encoder = JSONEncoder()
        encoder.outputFormatting = seed.isMultiple(of: 2) ? .prettyPrinted : []
        guard case .object(let members) = try JSONDocument(try encoder.encode(expected)).content else {
            Issue.record("not an object, seed \(seed)")
            return
        }
        #expect(members.count == expected.count, "seed \(seed)")
        for member in members {
            guard case .string(let text) = member.value.content else {
                Issue.record("not a string, seed \(seed)")
                continue
            }
            #expect(expected[member.name].map { Array($0.utf8) } == Array(text.utf8), "seed \(seed)")
        }
    }

    @Test("arbitrary bytes are read or refused as Foundation does", arguments: 1...500 as ClosedRange<UInt64>)
    func agreesWithFoundation(seed: UInt64) throws {
        var noise = NastyText(seed: seed)
        let alphabet = [
            "[", "]", "{", "}", ",", ":", "\"a\"", "\"b\"", "1", "-", ".5", "e2", "true", "null", " ", "\n",
        ]
        for _ in 0..<20 {
            let count = Int.random(in: 1...5, using: &noise)
            let text = (0..<count).map { _ in alphabet.randomElement(using: &noise) ?? "" }.joined()
            let isJSON = (try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)) != nil
            #expect(((try? Self.read(text)) != nil) == isJSON, "seed \(seed): \(text)")
        }
    }
}
