package import Foundation

/// Writes CSV (RFC 4180) in UTF-8, with commas and CRLF, that ``CSVReader`` reads back exactly as it was.
///
/// For a spreadsheet, the document begins with a byte order mark, and text that could be taken for a formula gets an apostrophe before it;
/// see ``CSVGuard``. Otherwise the document has no mark, and every value is written as it is.
package struct CSVWriter: Sendable {
    private let columns: Int
    private let isForSpreadsheet: Bool
    private var bytes: [UInt8] = []

    /// Begins a document with the names of its columns.
    ///
    /// - Parameters:
    ///   - header: The names of the columns.
    ///   - isForSpreadsheet: Whether text that a spreadsheet could take for a formula is escaped.
    /// - Throws: ``DirectoryError`` `invalidInput` for no or too many columns, or a NUL character.
    package init(header: [String], isForSpreadsheet: Bool = false) throws {
        guard 1...CSVReader.maximumColumns ~= header.count else {
            throw DirectoryError(
                .invalidInput, "A CSV document has 1 to \(CSVReader.maximumColumns) columns, not \(header.count).",
                advice: "Choose other columns.")
        }
        columns = header.count
        self.isForSpreadsheet = isForSpreadsheet
        // Excel takes a document without the mark for Windows-1252.
        if isForSpreadsheet { bytes = [0xEF, 0xBB, 0xBF] }
        try append(header)
    }

    /// Writes a row. If this throws, nothing is written.
    ///
    /// - Throws: ``DirectoryError`` `invalidInput` for more or fewer fields than the header has, or a NUL character.
    package mutating func append(_ fields: [String]) throws {
        guard fields.count == columns else {
            throw DirectoryError(
                .invalidInput, "The row has \(fields.count) fields, but the header has \(columns).",
                advice: "Give an empty field where there is no value.")
        }
        guard !fields.contains(where: { $0.utf8.contains(0) }) else {
            throw DirectoryError(
                .invalidInput, "A field with a NUL character cannot be written as CSV.", advice: "Remove the character."
            )
        }
        for (index, field) in fields.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            append(field)
        }
        bytes.append(contentsOf: "\r\n".utf8)
    }

    /// The number of bytes that ``take()`` would return.
    package var count: Int { bytes.count }

    /// Returns the text since the last call. Call this regularly to write a large document in pieces.
    package mutating func take() -> Data {
        defer { bytes.removeAll(keepingCapacity: true) }
        return Data(bytes)
    }

    private mutating func append(_ field: String) {
        let text = isForSpreadsheet ? CSVGuard.added(to: field) : field
        guard needsQuotes(text) else { return bytes.append(contentsOf: text.utf8) }
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") { bytes.append(byte) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Whether a reader would otherwise see something else: another field or row, another separator, a blank line, a
    /// byte order mark, or, in programs that trim, fewer spaces.
    private func needsQuotes(_ text: String) -> Bool {
        if text.isEmpty { return columns == 1 }
        let space = UInt8(ascii: " ")
        if text.utf8.first == space || text.utf8.last == space { return true }
        if text.unicodeScalars.first == "\u{FEFF}" { return true }
        return text.utf8.contains { byte in
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: ";"), 0x09, 0x0A, 0x0D: true
            default: false
            }
        }
    }
}

/// Keeps spreadsheets from running text as a formula (CWE-1236), without losing the text.
///
/// A field that begins with `=`, `+`, `-`, `@`, tab, CR or LF, or with the full-width form of one of the first four,
/// gets an apostrophe before it. So does a field that begins with one or more apostrophes and then such a character:
/// every field of that shape is written with exactly one apostrophe more than it has, and read with one less.
///
///     value          in the file
///     +44 20 7946    '+44 20 7946
///     '=1            ''=1
///     'N/A'          'N/A'
///
/// So each value has one written form, and no two have the same. Only a reader that is told that the file is meant for
/// a spreadsheet takes the apostrophe away.
enum CSVGuard {
    private static let apostrophe = UInt8(ascii: "'")

    static func added(to text: String) -> String { looksLikeFormula(text) ? "'" + text : text }

    static func removed(from text: String) -> String {
        guard text.utf8.first == apostrophe, looksLikeFormula(text) else { return text }
        return String(text.unicodeScalars.dropFirst())
    }

    /// Whether such a character comes first, apart from apostrophes. Looks at scalars: a `=` with a combining mark is
    /// one character, but still a formula.
    private static func looksLikeFormula(_ text: String) -> Bool {
        switch text.unicodeScalars.first(where: { $0 != "'" }) {
        case "=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠": true
        default: false
        }
    }
}
