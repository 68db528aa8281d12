package import Foundation
import RosterText

/// A row of a CSV document (RFC 4180).
package struct CSVRow: Sendable, Hashable {
    /// The line on which the row begins, from 1.
    package let line: Int
    /// The fields, one for each column of the header.
    package let fields: [String]
    /// The number of fields that the document has. The others are empty.
    package let count: Int
}

/// Reads CSV (RFC 4180) row by row: `while let row = try reader.next()`.
///
/// The reader also accepts the files of spreadsheets: `;` or tab as the separator, whichever divides the first lines into equally
/// many fields, or the one that a first line `sep=;` names; a first line `#TYPE …` of PowerShell; lines that end in CRLF, LF or CR;
/// UTF-8 with or without a byte order mark, and Windows-1252. A document in UTF-16, in a mixture of encodings, or with bytes that
/// Windows-1252 does not have, is refused. Blank lines are skipped, short rows are filled up with empty fields.
/// Spaces belong to the field (RFC 4180, section 2.4).
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
            scanner.skipPreamble(in: bytes)
            guard let row = try scanner.row(in: bytes, keeping: Self.maximumColumns) else {
                throw DirectoryError(
                    .invalidInput, "The CSV document is empty.", advice: "Begin it with a line that names the columns.")
            }
            guard row.count <= Self.maximumColumns else {
                throw DirectoryError.malformed(
                    line: row.line, "the header has more than \(Self.maximumColumns) columns.",
                    advice: "Leave out columns that are not needed.")
            }
            return (scanner, CSVRow(line: row.line, fields: row.fields, count: row.count))
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
            line: row.line, fields: missing > 0 ? row.fields + Array(repeating: "", count: missing) : row.fields,
            count: row.count)
    }
}

/// The character encoding of a CSV document.
enum CSVEncoding: Sendable {
    case utf8(hasMark: Bool)
    case windows1252

    /// Finds the encoding of a document.
    ///
    /// - Throws: ``DirectoryError`` `invalidInput` for UTF-16, and for text that begins as UTF-8 and goes on as something else.
    init(of bytes: UnsafeRawBufferPointer) throws {
        // No text begins with a NUL, and half of the bytes of ASCII in UTF-16 are one.
        let isUTF16 =
            bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
            || bytes.count > 1 && (bytes[0] == 0) != (bytes[1] == 0)
        guard !isUTF16 else {
            throw DirectoryError(
                .invalidInput, "The CSV document is UTF-16.",
                advice: "Save it as UTF-8; in Excel the type is 'CSV UTF-8'.")
        }
        let text = bytes.bindMemory(to: UInt8.self)
        let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        guard let invalid = text.firstInvalidUTF8 else {
            self = .utf8(hasMark: hasMark)
            return
        }
        guard text.firstIndex(where: { $0 >= 0x80 }) == invalid else {
            let before = text[..<invalid]
            let lines = before.count { $0 == 0x0A }
            let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? (hasMark ? 3 : 0)
            throw DirectoryError.malformed(
                line: lines + 1, column: text[start..<invalid].count { $0 & 0xC0 != 0x80 } + 1,
                "the text is UTF-8 up to here, and not any more.", advice: "Save the whole file as UTF-8 once more.")
        }
        if let undefined = text.firstIndex(where: Self.undefinedBytes.contains) {
            let before = text[..<undefined]
            throw DirectoryError.malformed(
                line: before.count { $0 == 0x0A } + 1,
                column: undefined - (before.lastIndex(of: 0x0A) ?? -1),
                "the text is neither UTF-8 nor Windows-1252, which has no byte \(Hexadecimal.text([text[undefined]])).",
                advice: "The code page is likely 1250, 1251, 437 or 850. Save the file as UTF-8.")
        }
        self = .windows1252
    }

    /// The bytes that mean no character in Windows-1252.
    private static let undefinedBytes: Set<UInt8> = [0x81, 0x8D, 0x8F, 0x90, 0x9D]

    /// The characters of the bytes 0x80 to 0x9F in Windows-1252. The five undefined bytes, which no document has, are those of Latin-1.
    static let windows1252Characters: [Unicode.Scalar] = [
        "€", "\u{81}", "‚", "ƒ", "„", "…", "†", "‡", "ˆ", "‰", "Š", "‹", "Œ", "\u{8D}", "Ž", "\u{8F}",
        "\u{90}", "‘", "’", "“", "”", "•", "–", "—", "˜", "™", "š", "›", "œ", "\u{9D}", "ž", "Ÿ",
    ]
}

/// The position of a ``CSVReader`` in its text. Every character with a meaning in CSV is one byte in each encoding.
private struct CSVScanner: Sendable {
    private static let quote = UInt8(ascii: "\"")
    private static let comma = UInt8(ascii: ",")
    private static let lineFeed: UInt8 = 0x0A
    private static let carriageReturn: UInt8 = 0x0D

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
        case .windows1252: (offset, end) = (0, byteCount)
        }
        lineStart = offset
    }

    @inline(__always)
    private func byte(_ index: Int, _ bytes: UnsafeRawBufferPointer) -> UInt8? { index < end ? bytes[index] : nil }

    private static func endsLine(_ byte: UInt8) -> Bool { byte == lineFeed || byte == carriageReturn }

    /// Skips a first line `#TYPE …` of PowerShell and a first line `sep=;` of spreadsheets, and chooses the separator.
    mutating func skipPreamble(in bytes: UnsafeRawBufferPointer) {
        skipBlankLines(bytes)
        if hasPrefix("#TYPE ", bytes) { skipLine(bytes) }
        if hasPrefix("sep=", bytes), let named = byte(offset + 4, bytes), !Self.endsLine(named),
            byte(offset + 5, bytes).map(Self.endsLine) != false
        {
            skipLine(bytes)
            separator = named
        } else {
            detectSeparator(in: bytes)
        }
    }

    private func hasPrefix(_ prefix: String, _ bytes: UnsafeRawBufferPointer) -> Bool {
        let upper = prefix.uppercased().utf8
        return bytes[offset..<end].prefix(upper.count).map { 0x61...0x7A ~= $0 ? $0 - 0x20 : $0 } == Array(upper)
    }

    private mutating func skipLine(_ bytes: UnsafeRawBufferPointer) {
        while let byte = byte(offset, bytes), !Self.endsLine(byte) { offset += 1 }
        takeLineEnd(bytes)
        skipBlankLines(bytes)
    }

    /// Chooses the separator that divides the first lines into equally many fields; among several, and if none does, the one that is
    /// most frequent in the header, outside of quotes.
    private mutating func detectSeparator(in bytes: UnsafeRawBufferPointer) {
        let candidates = [Self.comma, UInt8(ascii: ";"), UInt8(ascii: "\t")]
        var header = [0, 0, 0]
        var isEven = [true, true, true]
        var scanner = self
        for line in 0..<20 {
            scanner.skipBlankLines(bytes)
            guard scanner.offset < end else { break }
            let counts = scanner.counts(of: candidates, bytes)
            if line == 0 { header = counts }
            for index in candidates.indices where counts[index] != header[index] { isEven[index] = false }
        }
        let best = candidates.indices.max { left, right in
            let rank = { (index: Int) in (isEven[index] && header[index] > 0 ? 1 : 0, header[index], -index) }
            return rank(left) < rank(right)
        }
        separator = best.map { candidates[$0] } ?? Self.comma
    }

    /// Takes a row, and counts the characters in it that are outside of quotes.
    private mutating func counts(of characters: [UInt8], _ bytes: UnsafeRawBufferPointer) -> [Int] {
        var counts = characters.map { _ in 0 }
        var isQuoted = false
        while let byte = byte(offset, bytes), isQuoted || !Self.endsLine(byte) {
            if byte == Self.quote { isQuoted.toggle() }
            if !isQuoted, let index = characters.firstIndex(of: byte) { counts[index] += 1 }
            offset += 1
        }
        return counts
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
                guard byte(offset, bytes) == separator else { break }
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
        guard let byte = byte(offset, bytes), Self.endsLine(byte) else { return false }
        offset += 1
        if byte == Self.carriageReturn, self.byte(offset, bytes) == Self.lineFeed { offset += 1 }
        line += 1
        lineStart = offset
        return true
    }

    private mutating func field(_ bytes: UnsafeRawBufferPointer) throws -> String {
        if byte(offset, bytes) == Self.quote { return try quotedField(bytes) }
        let start = offset
        while let byte = byte(offset, bytes), byte != separator, !Self.endsLine(byte) {
            if byte == Self.quote {
                throw failure(
                    "there is a quote within a field that does not begin with one.",
                    advice: "Put quotes around the whole field and double the quotes in it.", bytes)
            }
            if byte == 0 { throw nulFailure(bytes) }
            offset += 1
        }
        return text(start..<offset, bytes)
    }

    private mutating func quotedField(_ bytes: UnsafeRawBufferPointer) throws -> String {
        let opening = self
        offset += 1
        var start = offset
        var field = ""
        while let byte = byte(offset, bytes) {
            if byte == Self.quote {
                field += text(start..<offset, bytes)
                offset += 1
                guard let next = self.byte(offset, bytes), next != separator, !Self.endsLine(next) else { return field }
                guard next == Self.quote else {
                    throw failure(
                        "something follows the quote that closes the field.",
                        advice: "Double the quotes within the field, and leave no space around it.", bytes)
                }
                // The second one of two quotes begins the next piece, and so becomes part of the field.
                start = offset
                offset += 1
            } else if byte == 0 {
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

    private func text(_ range: Range<Int>, _ bytes: UnsafeRawBufferPointer) -> String {
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
        }
    }

    private func nulFailure(_ bytes: UnsafeRawBufferPointer) -> DirectoryError {
        failure("there is a NUL character.", advice: "Save the file as UTF-8 text.", bytes)
    }

    private func failure(_ problem: String, advice: String, _ bytes: UnsafeRawBufferPointer) -> DirectoryError {
        let column = (lineStart..<offset).count { index in
            guard let byte = byte(index, bytes) else { return false }
            switch encoding {
            case .utf8: return byte & 0xC0 != 0x80
            case .windows1252: return true
            }
        }
        return DirectoryError.malformed(line: line, column: column + 1, problem, advice: advice)
    }
}
