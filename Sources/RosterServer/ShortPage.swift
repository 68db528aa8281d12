import RosterText

/// Shortens the files of the page before browsers load them. The sources stay readable.
enum ShortPage {
    // MARK: Modules

    private static let space = UInt8(ascii: " ")
    private static let comment = (begin: Array("/**".utf8), end: Array("*/".utf8))

    /// A module without comments and without the indentation of its lines, together a seventh of what browsers would load. The lines
    /// within a template are its text, and stay as they are.
    ///
    /// A comment is a line that begins with `//`, or JSDoc anywhere. No text of a module contains the beginning of JSDoc, and no text but
    /// a template contains a backtick; a test holds both.
    static func module(_ bytes: [UInt8]) -> [UInt8] {
        var kept: [UInt8] = []
        kept.reserveCapacity(bytes.count)
        var (isInComment, isInTemplate) = (false, false)
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            let isText = isInTemplate
            var code = Array(line)
            if !isText {
                let trimmed = line.drop { $0 == space }
                if !isInComment, trimmed.starts(with: "//".utf8) { continue }
                code = withoutComments(trimmed, &isInComment)
                if code.isEmpty { continue }
            }
            if unescapedBackticks(code) % 2 == 1 { isInTemplate.toggle() }
            kept += code
            kept.append(UInt8(ascii: "\n"))
        }
        return kept
    }

    private static func withoutComments(_ line: ArraySlice<UInt8>, _ isInComment: inout Bool) -> [UInt8] {
        var code: [UInt8] = []
        var rest = line
        while !rest.isEmpty {
            if isInComment {
                guard let end = rest.firstRange(of: comment.end) else { return code }
                isInComment = false
                rest = rest[end.upperBound...].drop { $0 == space }
            } else {
                let begin = rest.firstRange(of: comment.begin)
                code += rest[..<(begin?.lowerBound ?? rest.endIndex)]
                isInComment = begin != nil
                rest = begin.map { rest[$0.upperBound...] } ?? []
            }
        }
        return code
    }

    private static func unescapedBackticks(_ line: [UInt8]) -> Int {
        var (count, isEscaped) = (0, false)
        for byte in line {
            if byte == UInt8(ascii: "`"), !isEscaped { count += 1 }
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        }
        return count
    }

    // MARK: Texts

    private static let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// The four characters that represent an English text in the table of another language: FNV-1a, folded to 24 bits. The page's
    /// `texts.js` has the same function.
    static func key(of text: String) -> String {
        var hash: UInt32 = 0x811c_9dc5
        for unit in text.utf16 { hash = (hash ^ UInt32(unit)) &* 0x0100_0193 }
        hash ^= hash >> 24
        return String(decoding: [18, 12, 6, 0].map { characters[Int(hash >> $0 & 63)] }, as: UTF8.self)
    }

    /// A table of texts with the keys of the English texts in their place, which makes it a third smaller: a list of all keys as one
    /// text, and then the texts in that order.
    static func table(_ bytes: [UInt8]) -> [UInt8] {
        guard let table = try? JSONValue(parsing: bytes) else { return bytes }
        let keys = table.members.map { key(of: $0.name) }.joined()
        return JSONValue.array([.string(keys)] + table.members.map(\.value)).bytes
    }
}
