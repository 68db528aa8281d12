import Roster
import RosterText
import Testing

@Suite("Mistakes in JSON")
struct JSONErrorTests {
    static let mistakes: [([UInt8], String)] = [
        (Array("{\n \"a\": 1,\n \"a\": 3}".utf8), "line 3, column 2: this name is in the object already."),
        ([0xFF, 0xFE, 0x7B, 0, 0x7D, 0], "the document is UTF-16, but JSON is UTF-8."),
        ([0xFE, 0xFF, 0, 0x7B], "the document is UTF-16, but JSON is UTF-8."),
    ]

    @Test("A mistake is refused with line, column and advice", arguments: mistakes)
    func refuses(bytes: [UInt8], message: String) throws {
        let error = try #require(throws: DirectoryError.self) { try JSONValue(strictly: bytes) }
        #expect(error.code == .invalidInput && error.advice?.isEmpty == false)
        #expect(error.message.contains(message), "\(error.message)")
    }
}
