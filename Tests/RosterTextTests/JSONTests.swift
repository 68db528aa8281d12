import Foundation
import RosterText
import Testing
import TestSupport

@Suite("JSON")
struct JSONTests {
    static func read(_ text: String, allowsTrailingCommas: Bool = false) throws -> JSONValue {
        try JSONValue(parsing: Array(text.utf8), allowsTrailingCommas: allowsTrailingCommas)
    }

    /// The line, the column and the description of the mistake in a document; nil if there is none.
    static func mistake(_ bytes: [UInt8]) -> String? {
        do throws(JSONScanner.Failure) {
            _ = try JSONValue(parsing: bytes)
            return nil
        } catch {
            let place = TextPlace(of: error.offset, in: bytes)
            return "line \(place.line), column \(place.column): \(error.problem)"
        }
    }

    static let values: [(String, JSONValue)] = [
        ("\"a\\u00e9\\ud83d\\ude00\\n\"", .string("aé😀\n")), ("\"\"", .string("")), ("true", .boolean(true)),
        (" false\n", .boolean(false)), ("null", .null), ("0", .integer(0)), ("-12", .integer(-12)),
        ("9223372036854775807", .integer(.max)), ("9223372036854775808", .decimal(9_223_372_036_854_775_808)),
        ("1.0", .decimal(1)), ("1e3", .decimal(1000)), ("[]", .array([])), ("[ ]", .array([])), ("{}", .object([])),
        ("{ }", .object([])), ("\u{FEFF}7", .integer(7)), ("[1,{\"b\":[null]}]", [1, ["b": [.null]]]),
    ]

    @Test("Each kind of value is read", arguments: values)
    func readsValues(text: String, value: JSONValue) throws {
        #expect(try Self.read(text) == value)
    }

    @Test("A place is a line and a column of characters, after a byte order mark if there is one")
    func findsPlaces() {
        let text = Array("\u{FEFF}{\r\n  \"é😀\": 1,\r\r\n \"x\"}".utf8)
        func place(_ mark: Unicode.Scalar) -> [Int] {
            let place = TextPlace(of: text.firstIndex(of: UInt8(ascii: mark)) ?? 0, in: text)
            return [place.line, place.column]
        }
        #expect(place("{") == [1, 1] && place(":") == [2, 7] && place("1") == [2, 9] && place("x") == [4, 3])
        #expect(TextPlace(of: 0, in: []).line == 1 && TextPlace(of: 9, in: Array("a\n".utf8)).line == 2)
    }

    @Test(
        "A value is skipped as far as it reaches",
        arguments: ["\"]\"", "{\"a\":[1,\"}\"]}", "[]", "-1.5e3", "true", "\"\\\"\""])
    func skips(text: String) throws {
        var list = "[\(text), \(text)]"
        let end = try list.withUTF8 { bytes in
            var scanner = JSONScanner(bytes)
            try scanner.expect(UInt8(ascii: "["))
            try scanner.skipValue()
            try scanner.expect(UInt8(ascii: ","))
            try scanner.skipValue()
            return scanner.offset
        }
        #expect(end == list.utf8.count - 1)
    }

    @Test(
        "The first bytes that are not UTF-8 are found, in a text of several pieces too",
        arguments: [0, 65_534, 65_535, 65_536, 200_000])
    func findsInvalidBytes(count: Int) {
        let text = [UInt8](repeating: 0x61, count: count) + Array("é😀".utf8)
        #expect(text.withUnsafeBufferPointer { $0.firstInvalidUTF8 } == nil)
        #expect((text + [0xFC, 0x61]).withUnsafeBufferPointer { $0.firstInvalidUTF8 } == text.count)
        #expect(text.dropLast().withUnsafeBufferPointer { $0.firstInvalidUTF8 } == text.count - 4)
    }

    static let mistakes: [(String, String)] = [
        ("", "line 1, column 1: expected a value, but the text ends"), ("\n ", "line 2, column 2: expected a value"),
        ("{\n \"a\": 1,\n \"b\": 2,\n \"a\": 3}", "line 4, column 2: this name is in the object already"),
        ("{\"a\":1,\"\\u0061\":2}", "line 1, column 8: this name is in the object already"),
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
        (String(repeating: "[", count: 100_000), "line 1, column 65: more than 64 nested levels"),
        (String(repeating: "{\"a\":", count: 65), "line 1, column 321: more than 64 nested levels"),
    ]

    @Test("A mistake is refused with its line and column", arguments: mistakes)
    func refuses(text: String, message: String) throws {
        let mistake = try #require(Self.mistake(Array(text.utf8)))
        #expect(mistake.contains(message), "\(mistake)")
    }

    static let otherEncodings: [([UInt8], String)] = [
        ([0xFF, 0xFE, 0x7B, 0, 0x7D, 0], "line 1, column 1: the text is not valid UTF-8"),
        ([0x22, 0xFC, 0x22], "line 1, column 2: the text is not valid UTF-8"),
        ([0x5B, 0x0A, 0x31, 0x2C, 0xC3], "line 2, column 3: the text is not valid UTF-8"),
        ([0xEF, 0xBB], "line 1, column 1: the text is not valid UTF-8"),
    ]

    @Test("Text that is not UTF-8 is refused", arguments: otherEncodings)
    func refusesOtherEncodings(bytes: [UInt8], message: String) {
        #expect(Self.mistake(bytes) == message)
    }

    @Test("A name that occurs twice is refused, in a small and in a large object", arguments: [2, 15, 16, 17, 18, 40])
    func refusesNamesTwice(count: Int) throws {
        func text(last: String) -> String {
            "{" + (0..<count - 1).map { "\"n\($0)\":0," }.joined() + "\"\(last)\":0}"
        }
        #expect(try Self.read(text(last: "other")).members.count == count)
        for name in ["n0", "n\(count - 2)"] {
            #expect(throws: JSONScanner.Failure.self) { try Self.read(text(last: name)) }
        }
    }

    @Test("Names that differ only in their composition are the same name")
    func comparesNames() {
        #expect(throws: JSONScanner.Failure.self) { try Self.read("{\"\u{E9}\":1,\"e\u{301}\":2}") }
    }

    @Test("A comma before a closing bracket is read only if the caller allows it")
    func readsTrailingCommas() throws {
        #expect(try Self.read("[1,{\"a\":[2,],},]", allowsTrailingCommas: true) == [1, ["a": [2]]])
        for text in ["[,]", "[1,,]", "{,}"] {
            #expect(throws: JSONScanner.Failure.self) { try Self.read(text, allowsTrailingCommas: true) }
        }
    }

    @Test("64 levels are read")
    func readsDepth() throws {
        let text = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        var value = try Self.read(text)
        var depth = 1
        while case .array(let elements) = value, let first = elements.first {
            value = first
            depth += 1
        }
        #expect(depth == 64)
    }

    @Test("Random values are read as Foundation writes them", arguments: 1...200 as ClosedRange<UInt64>)
    func readsFoundation(seed: UInt64) throws {
        var noise = NastyText(seed: seed)
        var expected: [String: String] = [:]
        for _ in 0..<10 { expected[noise.text()] = noise.text() }
        let encoder = JSONEncoder()
        encoder.outputFormatting = seed.isMultiple(of: 2) ? .prettyPrinted : []
        let members = try JSONValue(parsing: Array(try encoder.encode(expected))).members
        #expect(members.count == expected.count, "seed \(seed)")
        for member in members {
            let text = try #require(member.value.text)
            #expect(expected[member.name].map { Array($0.utf8) } == Array(text.utf8), "seed \(seed)")
        }
    }

    @Test("Arbitrary text is read or refused as Foundation does", arguments: 1...500 as ClosedRange<UInt64>)
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

    @Test("A written value is read as the same value", arguments: 1...200 as ClosedRange<UInt64>)
    func writesWhatItReads(seed: UInt64) throws {
        var noise = NastyText(seed: seed)
        func value(_ depth: Int) -> JSONValue {
            switch Int.random(in: 0...(depth < 3 ? 6 : 4), using: &noise) {
            case 0: .null
            case 1: .boolean(Bool.random(using: &noise))
            case 2: .integer(Int64.random(in: .min ... .max, using: &noise))
            case 3: .decimal(Double.random(in: -1e300...1e300, using: &noise))
            case 4: .string(noise.text())
            case 5: .array((0..<Int.random(in: 0...3, using: &noise)).map { _ in value(depth + 1) })
            default: .object((0..<3).map { .init("\($0)" + noise.text(), value(depth + 1)) })
            }
        }
        let written = value(0)
        #expect(try JSONValue(parsing: written.bytes) == written, "seed \(seed)")
        var spaced: [UInt8] = []
        written.write(to: &spaced, isSpaced: true)
        #expect(try JSONValue(parsing: spaced) == written, "seed \(seed)")
        #expect(try JSONSerialization.jsonObject(with: Data(spaced), options: .fragmentsAllowed) as Any? != nil)
    }

    @Test("Text is written without white space, or with a space after every comma and colon")
    func writes() {
        let value: JSONValue = [
            "a": [1, .decimal(2.5), .decimal(.infinity), true, .null], "\u{1}\n\"\\": "\u{1F}\r\t/é\u{7F}", "e": [],
        ]
        let compact = #"{"a":[1,2.5,null,true,null],"\u0001\n\"\\":"\u001f\r\t/é"# + "\u{7F}" + #"","e":[]}"#
        #expect(String(decoding: value.bytes, as: UTF8.self) == compact)
        var spaced: [UInt8] = []
        value.write(to: &spaced, isSpaced: true)
        let expected = #"{"a": [1, 2.5, null, true, null], "\u0001\n\"\\": "\u001f\r\t/é"# + "\u{7F}" + #"", "e": []}"#
        #expect(String(decoding: spaced, as: UTF8.self) == expected)
    }
}
