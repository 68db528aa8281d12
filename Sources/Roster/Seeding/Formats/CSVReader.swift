package import Foundation
import RosterText

/// A row of a CSV document (RFC 4180).
package struct CSVRow: Sendable, Hashable {
    /// The line on which the row begins, from 1.
    package let line: Int
    /// The fields, one for each column of the header.
    package let fields: [String]
}

/// Reads CSV (RFC 4180) row by row: `while let row = try reader.next()`.
///
/// The reader also accepts the files of spreadsheets: `;` or tab as the separator, whichever is most frequent in the
/// header; lines that end in CRLF, LF or CR; UTF-8 with or without a byte order mark, UTF-16 with one, and
/// Windows-1252 for everything that is not valid UTF-8 as a whole. Blank lines are skipped, short rows are filled up
/// with empty fields. Spaces belong to the field (RFC 4180, section 2.4).
///
/// The apostrophe that ``CSVWriter`` puts before formulas for a spreadsheet is part of the field, unless the reader is
/// told to take it away; see ``CSVGuard``.
///
/// Only the row at hand takes memory besides the data. `Data(contentsOf:options: .alwaysMapped)` keeps a large file
/// out of memory too; on Linux `.mappedIfSafe` does not.
package struct CSVReader: Sendable {
    /// The most columns that a header may have.
    static let maximumColumns = 1_000

    /// The names of the columns.
    package let header: CSVRow
    /// Whether the reader has lost the beginning of the next row. Such a reader reads no more rows.
    package private(set) var isBroken = false
    private let data: Data
    private var scanner: CSVScanner

    /// Begins to read a document, and reads its header.
    ///
    /// - Parameters:
    ///   - data: The document.
    ///   - isFromSpreadsheet: Whether formulas are escaped in it, as ``CSVWriter`` does for a spreadsheet.
    /// - Throws: ``DirectoryError`` `invalidInput`.
    package init(_ data: Data, isFromSpreadsheet: Bool = false) throws {
        (scanner, header) = try data.withUnsafeBytes { bytes in
            var scanner = CSVScanner(
                try CSVEncoding(of: bytes), byteCount: bytes.count, isFromSpreadsheet: isFromSpreadsheet)
            scanner.detectSeparator(in: bytes)
            guard let row = try scanner.row(in: bytes, keeping: Self.maximumColumns) else {
                throw DirectoryError(
                    .invalidInput, "The CSV document is empty.", advice: "Begin it with a line that names the columns.")
            }
            guard row.count <= Self.maximumColumns else {
                throw DirectoryError.malformed(
                    line: row.line, "the header has more than \(Self.maximumColumns) columns.",
                    advice: "Leave out columns that are not needed.")
            }
            return (scanner, CSVRow(line: row.line, fields: row.fields))
        }
        self.data = data
    }

    /// The next row, or nil after the last one.
    ///
    /// - Throws: ``DirectoryError`` `invalidInput`. After a row with too many fields the next call goes on with the row
    ///   that follows. After a mistake in quotes or characters the beginning of the next row is unknown, so no row
    ///   follows.
    package mutating func next() throws -> CSVRow? {
        let columns = header.fields.count
        isBroken = true
        let row = try data.withUnsafeBytes { try scanner.row(in: $0, keeping: columns) }
        isBroken = false
        guard let row else { return nil }
        guard row.count <= columns else {
            throw DirectoryError.malformed(
                line: row.line, "the row has \(row.count) fields, but the header has \(columns).",
                advice: "Put quotes around fields with a separator in them.")
        }
        let missing = columns - row.count
        return CSVRow(
            line: row.line, fields: missing > 0 ? row.fields + Array(repeating: "", count: missing) : row.fields)
    }
}

/// The character encoding of a CSV document.
enum CSVEncoding: Sendable {
    case utf8(hasMark: Bool)
    case utf16(isLittleEndian: Bool)
    case windows1252

    init(of bytes: UnsafeRawBufferPointer) throws {
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            guard bytes.count.isMultiple(of: 2) else {
                throw DirectoryError(
                    .invalidInput, "The UTF-16 text ends within a character.",
                    advice: "Get a complete copy of the file.")
            }
            self = .utf16(isLittleEndian: bytes.first == 0xFF)
            return
        }
        let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        if bytes.bindMemory(to: UInt8.self).firstInvalidUTF8 == nil {
            self = .utf8(hasMark: hasMark)
        } else if hasMark {
            throw DirectoryError(
                .invalidInput, "The file is marked as UTF-8, but is not valid UTF-8.",
                advice: "Save it as UTF-8 once more.")
        } else {
            self = .windows1252
        }
    }

    /// The characters of the bytes 0x80 to 0x9F in Windows-1252. The five undefined bytes have the characters of Latin-1.
    static let windows1252Characters: [Unicode.Scalar] = [
        "€", "\u{81}", "‚", "ƒ", "„", "…", "†", "‡", "ˆ", "‰", "Š", "‹", "Œ", "\u{8D}", "Ž", "\u{8F}",
        "\u{90}", "‘", "’", "“", "”", "•", "–", "—", "˜", "™", "š", "›", "œ", "\u{9D}", "ž", "Ÿ",
    ]
}

/// The position of a ``CSVReader`` in its text, counted in units: bytes, or the 16-bit units of UTF-16. Every character
/// with a meaning in CSV is one unit in each encoding.
private struct CSVScanner: Sendable {
    private static let quote = UInt16(UInt8(ascii: "\""))
    private static let comma = UInt16(UInt8(ascii: ","))
    private static let lineFeed: UInt16 = 0x0A
    private static let carriageReturn: UInt16 = 0x0D

    private let encoding: CSVEncoding
    private let end: Int
    private let isFromSpreadsheet: Bool
    private var separator = comma
    private var offset: Int
    private var line = 1
    private var lineStart: Int

    init(_ encoding: CSVEncoding, byteCount: Int, isFromSpreadsheet: Bool) {
        self.encoding = encoding
        self.isFromSpreadsheet = isFromSpreadsheet
        switch encoding {
        case .utf8(let hasMark): (offset, end) = (hasMark ? 3 : 0, byteCount)
        case .utf16: (offset, end) = (1, byteCount / 2)
        case .windows1252: (offset, end) = (0, byteCount)
        }
        lineStart = offset
    }

    @inline(__always)
    private func unit(_ index: Int, _ bytes: UnsafeRawBufferPointer) -> UInt16? {
        guard index < end else { return nil }
        guard case .utf16(let isLittleEndian) = encoding else { return UInt16(bytes[index]) }
        let (first, second) = (UInt16(bytes[2 * index]), UInt16(bytes[2 * index + 1]))
        return isLittleEndian ? second << 8 | first : first << 8 | second
    }

    private static func endsLine(_ unit: UInt16) -> Bool { unit == lineFeed || unit == carriageReturn }

    /// Chooses the separator that is most frequent in the first line, outside of quotes.
    mutating func detectSeparator(in bytes: UnsafeRawBufferPointer) {
        skipBlankLines(bytes)
        let candidates = [Self.comma, UInt16(UInt8(ascii: ";")), UInt16(UInt8(ascii: "\t"))]
        var counts = [0, 0, 0]
        var isQuoted = false
        var index = offset
        while let unit = unit(index, bytes), isQuoted || !Self.endsLine(unit) {
            if unit == Self.quote { isQuoted.toggle() }
            if !isQuoted, let candidate = candidates.firstIndex(of: unit) { counts[candidate] += 1 }
            index += 1
        }
        let most = counts.max() ?? 0
        separator = zip(candidates, counts).first { $0.1 == most }?.0 ?? Self.comma
    }

    /// Reads a row; returns nil at the end. Counts the fields after the first `limit`, but does not return them.
    mutating func row(
        in bytes: UnsafeRawBufferPointer, keeping limit: Int
    ) throws -> (line: Int, fields: [String], count: Int)? {
        skipBlankLines(bytes)
        guard offset < end else { return nil }
        let start = line
        var fields: [String] = []
        fields.reserveCapacity(min(limit, 32))
        var count = 0
        do {
            while true {
                let text = try field(bytes)
                count += 1
                if count <= limit { fields.append(isFromSpreadsheet ? CSVGuard.removed(from: text) : text) }
                guard unit(offset, bytes) == separator else { break }
                offset += 1
            }
        } catch {
            offset = end
            throw error
        }
        takeLineEnd(bytes)
        return (start, fields, count)
    }

    private mutating func skipBlankLines(_ bytes: UnsafeRawBufferPointer) {
        while takeLineEnd(bytes) {}
    }

    @discardableResult
    private mutating func takeLineEnd(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let unit = unit(offset, bytes), Self.endsLine(unit) else { return false }
        offset += 1
        if unit == Self.carriageReturn, self.unit(offset, bytes) == Self.lineFeed { offset += 1 }
        line += 1
        lineStart = offset
        return true
    }

    private mutating func field(_ bytes: UnsafeRawBufferPointer) throws -> String {
        if unit(offset, bytes) == Self.quote { return try quotedField(bytes) }
        let start = offset
        while let unit = unit(offset, bytes), unit != separator, !Self.endsLine(unit) {
            if unit == Self.quote {
                throw failure(
                    "a quote stands within a field that does not begin with one.",
                    advice: "Put quotes around the whole field and double the quotes in it.", bytes)
            }
            if unit == 0 { throw nulFailure(bytes) }
            offset += 1
        }
        return try text(start..<offset, bytes)
    }

    private mutating func quotedField(_ bytes: UnsafeRawBufferPointer) throws -> String {
        let opening = self
        offset += 1
        var start = offset
        var field = ""
        while let unit = unit(offset, bytes) {
            if unit == Self.quote {
                field += try text(start..<offset, bytes)
                offset += 1
                guard let next = self.unit(offset, bytes), next != separator, !Self.endsLine(next) else { return field }
                guard next == Self.quote else {
                    throw failure(
                        "something follows the quote that closes the field.",
                        advice: "Double the quotes within the field, and leave no space around it.", bytes)
                }
                // The second one of two quotes begins the next piece, and so becomes part of the field.
                start = offset
                offset += 1
            } else if unit == 0 {
                throw nulFailure(bytes)
            } else if !takeLineEnd(bytes) {
                offset += 1
            }
        }
        throw opening.failure(
            "the quote that opens the field is never closed.",
            advice: "Close it, or double it if it is part of the text.",
            bytes)
    }

    private func text(_ range: Range<Int>, _ bytes: UnsafeRawBufferPointer) throws -> String {
        switch encoding {
        case .utf8:
            return String(decoding: UnsafeRawBufferPointer(rebasing: bytes[range]), as: UTF8.self)
        case .windows1252:
            var scalars = String.UnicodeScalarView()
            for byte in bytes[range] {
                let isSpecial = 0x80..<0xA0 ~= byte
                scalars.append(isSpecial ? CSVEncoding.windows1252Characters[Int(byte - 0x80)] : Unicode.Scalar(byte))
            }
            return String(scalars)
        case .utf16:
            guard let text = String(validating: range.lazy.compactMap { unit($0, bytes) }, as: UTF16.self) else {
                throw failure("the field is not valid UTF-16.", advice: "Save the file as UTF-8.", bytes)
            }
            return text
        }
    }

    private func nulFailure(_ bytes: UnsafeRawBufferPointer) -> DirectoryError {
        failure("there is a NUL character.", advice: "Save the file as UTF-8 text.", bytes)
    }

    private func failure(_ problem: String, advice: String, _ bytes: UnsafeRawBufferPointer) -> DirectoryError {
        let column = (lineStart..<offset).count { index in
            guard let unit = unit(index, bytes) else { return false }
            switch encoding {
            case .utf8: return unit & 0xC0 != 0x80
            case .utf16: return !UTF16.isTrailSurrogate(unit)
            case .windows1252: return true
            }
        }
        return DirectoryError.malformed(line: line, column: column + 1, problem, advice: advice)
    }
}
