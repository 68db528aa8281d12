import Foundation
import Testing
import TestSupport

@testable import Roster

@Suite("CSV")
struct CSVTests {
    static func rows(_ data: Data, isFromSpreadsheet: Bool = false) throws -> [[String]] {
        var reader = try CSVReader(data, isFromSpreadsheet: isFromSpreadsheet)
        var rows = [reader.header.fields]
        while let row = try reader.next() { rows.append(row.fields) }
        return rows
    }

    static let documents: [(String, [[String]])] = [
        ("a,b\r\n1,2\r\n", [["a", "b"], ["1", "2"]]), ("a,b\n1,2", [["a", "b"], ["1", "2"]]),
        ("a,b\r1,2\r", [["a", "b"], ["1", "2"]]), ("a;b\n1,5;2", [["a", "b"], ["1,5", "2"]]),
        ("a\tb\n1,5\t2;3", [["a", "b"], ["1,5", "2;3"]]), ("\"a;b;c\",d\n1;2,3", [["a;b;c", "d"], ["1;2", "3"]]),
        ("a,b;c;d\n1;2;3", [["a,b", "c", "d"], ["1", "2", "3"]]), ("a\n1;2\n", [["a"], ["1;2"]]),
        ("\n\r\na,b\n\n\r\n1,2\n\n", [["a", "b"], ["1", "2"]]),
        ("a,b,c\n1\n,\n", [["a", "b", "c"], ["1", "", ""], ["", "", ""]]),
        ("a\n\"\"\n", [["a"], [""]]), ("a,b\n1,", [["a", "b"], ["1", ""]]),
        ("a,b\n 1 , 2", [["a", "b"], [" 1 ", " 2"]]),
        ("a,b\n\"say \"\"hi\"\"\",\"x\r\ny\"\n", [["a", "b"], ["say \"hi\"", "x\r\ny"]]),
        ("\"a\rb\",\"c,d\"\n\"\"\"\",2", [["a\rb", "c,d"], ["\"", "2"]]),
        ("a,b\n\"1\"\"\",\"2\"", [["a", "b"], ["1\"", "2"]]),
        ("\u{FEFF}a,ü\n日本,😀", [["a", "ü"], ["日本", "😀"]]),
    ]

    @Test("each way to write rows is read as RFC 4180 and spreadsheets mean it", arguments: documents)
    func readsRows(text: String, rows: [[String]]) throws {
        #expect(try Self.rows(Data(text.utf8)) == rows)
    }

    static let text = "Straße;Name\r\n\"€ 5\";Žofie “x” – ÿ\n"
    static let expected = [["Straße", "Name"], ["€ 5", "Žofie “x” – ÿ"]]
    static let windows1252: [UInt8] =
        Array("Stra".utf8) + [0xDF] + Array("e;Name\r\n\"".utf8) + [0x80] + Array(" 5\";".utf8) + [0x8E]
        + Array("ofie ".utf8) + [0x93] + Array("x".utf8) + [0x94, 0x20, 0x96, 0x20, 0xFF, 0x0A]
    static let encodings: [(String, Data)] = [
        ("UTF-8", Data(text.utf8)), ("UTF-8 with mark", Data([0xEF, 0xBB, 0xBF]) + Data(text.utf8)),
        ("Windows-1252", Data(windows1252)),
    ]

    @Test("the same text is read from each encoding", arguments: encodings)
    func readsEncodings(name: String, data: Data) throws {
        #expect(try Self.rows(data) == Self.expected)
        let slice = (Data("xyz".utf8) + data).dropFirst(3)
        #expect(try Self.rows(slice) == Self.expected, "a slice of data")
    }

    @Test("one byte that is not UTF-8, far down in UTF-8, is refused with its place")
    func refusesMixtures() throws {
        let data = Data(("a,b\n" + String(repeating: "é,1\n", count: 50_000)).utf8)
        let valid = try Self.rows(data)
        #expect(valid.count == 50_001 && valid.dropFirst().allSatisfy { $0 == ["é", "1"] })
        let error = try #require(throws: DirectoryError.self) { _ = try Self.rows(data + Data("xé".utf8) + [0xE9]) }
        #expect(error.message.contains("line 50002, column 3: the text is UTF-8 up to here"), "\(error.message)")
    }

    @Test("UTF-16 is refused by its name, with and without a mark")
    func refusesUTF16() throws {
        let little = Data(Self.text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
        let big = Data(Self.text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
        for data in [little, big, Data([0xFF, 0xFE]) + little, Data([0xFE, 0xFF]) + big, Data([0xFF, 0xFE])] {
            let error = try #require(throws: DirectoryError.self) { _ = try Self.rows(data) }
            #expect(error.code == .invalidInput && error.message.contains("UTF-16"), "\(error.message)")
            #expect(error.advice?.contains("UTF-8") == true)
        }
    }

    @Test("UTF-8 is recognized wherever its characters stand in a long text", arguments: 0..<6)
    func recognizesLongText(padding: Int) throws {
        let text = String(repeating: "x", count: padding) + String(repeating: "é😀", count: 30_000)
        #expect(try Self.rows(Data(text.utf8)) == [[text]])
    }

    static let mistakes: [(Data, String)] = [
        (Data("a,b\n1,x\"y\n".utf8), "line 2, column 4: there is a quote within a field"),
        (Data("a,b\n1,\"x\"y\n".utf8), "line 2, column 6: something follows the quote"),
        (Data("a,b\n1,\"x\" \n".utf8), "line 2, column 6: something follows the quote"),
        (Data("a,b\r\n\"x\r\ny\",é\"".utf8), "line 3, column 5: there is a quote within a field"),
        (Data("a,b\n1,2\n😀,\"x\ny\n".utf8), "line 3, column 3: the quote that opens the field is never closed"),
        (Data("\"a,b\n".utf8), "line 1, column 1: the quote that opens the field is never closed"),
        (Data("a,b\n1,x\0y\n".utf8), "line 2, column 4: there is a NUL"),
        (Data("a,b\n\"\0\"\n".utf8), "line 2, column 2: there is a NUL"),
        (Data("a\n1,2,3\n".utf8), "line 2: the row has 3 fields, but the header has 1"),
        (Data(), "The CSV document is empty"), (Data("\r\n\n".utf8), "The CSV document is empty"),
        (Data([0xEF, 0xBB, 0xBF]), "The CSV document is empty"),
        (Data([0xEF, 0xBB, 0xBF, 0x61, 0xFF]), "line 1, column 2: the text is UTF-8 up to here"),
        (Data(String(repeating: ",", count: 1_000).utf8), "line 1: the header has more than 1000 columns"),
    ]

    @Test("a mistake is refused with its place and what to do", arguments: mistakes)
    func refuses(data: Data, message: String) throws {
        let error = try #require(throws: DirectoryError.self) { _ = try Self.rows(data) }
        #expect(error.code == .invalidInput)
        #expect(error.message.contains(message), "\(error.message)")
        #expect(error.advice?.isEmpty == false)
    }

    @Test("reading goes on after a row that is too long, but not after a mistake in quotes")
    func goesOn() throws {
        var reader = try CSVReader(Data("a\n1,2\n\"3\n4\"\n5\"\n6".utf8))
        #expect(throws: DirectoryError.self) { try reader.next() }
        #expect(try reader.next() == CSVRow(line: 3, fields: ["3\n4"], count: 1))
        #expect(throws: DirectoryError.self) { try reader.next() }
        #expect(try reader.next() == nil)
    }

    static let guarded: [(String, String)] = [
        ("=1+1", "'=1+1"), ("+44 20", "'+44 20"), ("-1", "'-1"), ("@SUM(A1)", "'@SUM(A1)"), ("\tx", "\"'\tx\""),
        ("\r=x", "\"'\r=x\""), ("\nx", "\"'\nx\""), ("＝1", "'＝1"), ("=\u{301}", "'=\u{301}"), ("'=1", "''=1"),
        ("''=1", "'''=1"), ("'N/A'", "'N/A'"), ("'", "'"), ("''", "''"), ("", ""), ("a=1", "a=1"), (" =1", "\" =1\""),
        ("=HYPERLINK(\"x\",\"y\")", "\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\""),
    ]

    @Test("what a spreadsheet would run is guarded for one, and read as it was", arguments: guarded)
    func guardsFormulas(value: String, field: String) throws {
        var writer = try CSVWriter(header: ["a", "b"], isForSpreadsheet: true)
        try writer.append([value, "x"])
        let data = writer.take()
        #expect(data.starts(with: [0xEF, 0xBB, 0xBF]))
        #expect(String(decoding: data.dropFirst(3), as: UTF8.self) == "a,b\r\n\(field),x\r\n")
        let read = try Self.rows(data, isFromSpreadsheet: true)
        #expect(read.last?.map { Array($0.utf8) } == [Array(value.utf8), Array("x".utf8)])
    }

    @Test("where no spreadsheet is meant, a value that looks like a formula is written as it is", arguments: guarded)
    func leavesValuesAlone(value: String, field: String) throws {
        var writer = try CSVWriter(header: ["a", "b"])
        try writer.append([value, "x"])
        let data = writer.take()
        let quoted = "\"" + value.replacing("\"", with: "\"\"") + "\""
        #expect([value, quoted].map { Data("a,b\r\n\($0),x\r\n".utf8) }.contains(data))
        #expect(try Self.rows(data).last?.map { Array($0.utf8) } == [Array(value.utf8), Array("x".utf8)])
    }

    @Test(
        "rows of random nasty text are read as they were written", arguments: 1...200 as ClosedRange<UInt64>,
        [false, true])
    func roundTrips(seed: UInt64, isForSpreadsheet: Bool) throws {
        var noise = NastyText(seed: seed)
        let columns = Int.random(in: 1...5, using: &noise)
        let rows = (0..<20).map { _ in (0..<columns).map { _ in noise.text() } }
        var writer = try CSVWriter(header: rows[0], isForSpreadsheet: isForSpreadsheet)
        var data = writer.take()
        for row in rows.dropFirst() {
            try writer.append(row)
            data += writer.take()
        }
        let read = try Self.rows(data, isFromSpreadsheet: isForSpreadsheet)
        #expect(read.map { $0.map { Array($0.utf8) } } == rows.map { $0.map { Array($0.utf8) } }, "seed \(seed)")
        for field in try isForSpreadsheet ? Self.unguarded(data) : [] {
            #expect(!["=", "+", "-", "@", "\t", "\r", "\n"].contains(field.unicodeScalars.first), "seed \(seed)")
        }
    }

    /// The fields as a spreadsheet sees them, which knows nothing of the guard.
    static func unguarded(_ data: Data) throws -> [String] {
        let disguised = data.map { $0 == UInt8(ascii: "'") ? UInt8(ascii: "_") : $0 }
        return try rows(Data(disguised)).flatMap { $0 }
    }

    static let unwritable: [[String]] = [["a\0"], [], ["a", "b"]]

    @Test("a row that cannot be written leaves nothing behind", arguments: unwritable)
    func refusesRows(fields: [String]) throws {
        var writer = try CSVWriter(header: ["a"])
        #expect(throws: DirectoryError.self) { try writer.append(fields) }
        #expect(writer.take() == Data("a\r\n".utf8))
    }

    @Test("arbitrary bytes are read or refused, and reading them ends", arguments: 1...500 as ClosedRange<UInt64>)
    func survives(seed: UInt64) {
        var noise = NastyText(seed: seed)
        let data = noise.bytes(from: Array("ab\"',;\t\r\n=\0".utf8) + [0xFF, 0xFE, 0xEF, 0xBB, 0xBF, 0x80, 0xD8])
        var steps = 0
        if var reader = try? CSVReader(data) {
            while steps <= data.count {
                steps += 1
                do { if try reader.next() == nil { break } } catch { #expect(error is DirectoryError, "seed \(seed)") }
            }
        }
        #expect(steps <= data.count, "seed \(seed)")
    }

    static let posts = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../../shared/data/home-office-senior-posts.csv").standardizedFileURL

    @Test(
        "the Home Office's senior posts are read and written without loss",
        .enabled(if: FileManager.default.fileExists(atPath: posts.path)))
    func readsSeniorPosts() throws {
        let rows = try Self.rows(try Data(contentsOf: Self.posts, options: .mappedIfSafe))
        #expect(rows.count == 260)
        #expect(rows.first?.count == 11 && rows.first?.first == "Post Unique Reference")
        #expect(rows[1].prefix(4) == ["4PO01", "Mark Sedwill", "SCS4", "Permanent Secretary"])
        let eliminated = rows.first { $0[0] == "1BF09" }
        #expect(eliminated?[1] == "\"Eliminated\"")
        #expect(eliminated?[3] == "Director Border Force Transformation, Operations & Change")
        #expect(rows.contains { $0[3].contains("Government’s response") })
        #expect(rows.contains { $0[1] == "'Eliminated'" })
        var writer = try CSVWriter(header: rows[0])
        for row in rows.dropFirst() { try writer.append(row) }
        #expect(try Self.rows(writer.take()) == rows)
    }
}
