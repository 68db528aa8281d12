import CPage
import Foundation
import RosterText
import Testing

@testable import RosterServer

@Suite("The page as browsers load it")
struct ShortPageTests {
    private static func files(_ suffix: String) -> [(path: String, bytes: [UInt8])] {
        (0..<page_file_count()).compactMap { index in
            let file = page_file_at(index)
            let path = String(cString: file.path)
            guard path.hasSuffix(suffix) else { return nil }
            return (path, Array(UnsafeBufferPointer(start: file.bytes, count: file.count)))
        }
    }

    private func short(_ module: String) -> String {
        String(decoding: ShortPage.module(Array(module.utf8)), as: UTF8.self)
    }

    @Test("A module loses its comments and its indentation, and keeps its templates")
    func module() {
        let source = #"""
            // A comment
            /** One line. */
            /**
             * Several.
             */
            const a = (/** @type {any} */ b) => /** @type {string} */ (b);
              if (a) {
                // Inside
                return `one
              two
            // three \` four
              ${/** @type {any} */ c}` + `five`;
              }

            /** @param {a
             * b} c */ const d = "http://x"; // stays
            """#
        let expected = #"""
            const a = (b) => (b);
            if (a) {
            return `one
              two
            // three \` four
              ${/** @type {any} */ c}` + `five`;
            }
            const d = "http://x"; // stays

            """#
        #expect(short(source) == expected)
    }

    @Test("Every module can be shortened: its texts have no beginning of a comment, and only templates have backticks")
    func modules() {
        let modules = Self.files(".js")
        #expect(modules.count > 50)
        for (path, bytes) in modules {
            let code = short(String(decoding: bytes, as: UTF8.self))
            #expect(code.utf8.filter { $0 == UInt8(ascii: "`") }.count.isMultiple(of: 2), "\(path)")
            #expect(!code.contains("/**") && !code.contains(" * @"), "\(path)")
            for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
                // An even number of quotation marks stands before a comment that is in no text.
                for part in line.matches(of: #/\/\*\*/#) {
                    let before = line[..<part.range.lowerBound]
                    #expect(before.count { $0 == "\"" }.isMultiple(of: 2), "\(path): \(line)")
                    #expect(before.count { $0 == "`" }.isMultiple(of: 2), "\(path): \(line)")
                }
                #expect(
                    line.firstMatch(of: #/"[^"`]*`[^"`]*"/#) == nil || line.contains("`$") || line.contains("${"),
                    "\(path): \(line)")
            }
        }
    }

    @Test("The keys of English texts are those that the page calculates")
    func keys() {
        #expect(ShortPage.key(of: "") == "HJ1E" && ShortPage.key(of: "Sign out") == "Tzz7")
        #expect(ShortPage.key(of: "{n} – ü") == "pdsh")
    }

    @Test("No two English texts have one key, and a table has the texts in the order of its keys")
    func tables() throws {
        let tables = Self.files(".json")
        #expect(tables.count == 3)
        for (path, bytes) in tables {
            let source = try JSONValue(parsing: bytes).members
            let texts = Dictionary(grouping: source.map(\.name), by: ShortPage.key(of:)).values.filter { $0.count > 1 }
            #expect(texts.isEmpty, "\(path): say one of these in other words: \(texts)")
            let table = try JSONValue(parsing: ShortPage.table(bytes)).elements
            #expect(table.count == source.count + 1)
            let keys = try #require(table.first?.text)
            #expect(keys == source.map { ShortPage.key(of: $0.name) }.joined())
            #expect(Array(table.dropFirst()) == source.map(\.value))
        }
    }
}
