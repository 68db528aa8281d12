import Foundation

/// What can be told from the bytes of a document before a parser sees them.
///
/// The parser's own limits come too late: it compares each attribute of an element with each other, and would read a
/// document type with entities before anybody could refuse it. Every rule here errs on the side of refusing; text in a
/// comment or a CDATA section counts as markup.
enum XMLScan {
    /// The most `<` in a document: some 2,000 elements, with their ends.
    static let maximumMarks = 4_096
    /// The most attributes and namespace declarations in a document.
    static let maximumAttributes = 4_096

    /// Refuses what is not UTF-8, a document type, processing instructions and too much markup.
    static func check(_ document: [UInt8]) throws(SAMLProblem) {
        guard let text = String(validating: document, as: UTF8.self) else { throw .notUTF8 }
        let start = try declarationEnd(text)
        let bytes = document[...]
        var marks = 0
        var attributes = 0
        var index = start
        while index < bytes.endIndex {
            switch bytes[index] {
            case 0: throw .notUTF8
            case UInt8(ascii: "<"):
                marks += 1
                let rest = bytes[(index + 1)...]
                if rest.first == UInt8(ascii: "?") { throw .processingInstruction }
                if rest.first == UInt8(ascii: "!"), !rest.starts(with: "!--".utf8),
                    !rest.starts(with: "![CDATA[".utf8)
                {
                    throw .documentType
                }
            case UInt8(ascii: "="):
                // Only these can be an attribute: an equals sign, white space, a quotation mark.
                let next = bytes[(index + 1)...].first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
                if next == UInt8(ascii: "\"") || next == UInt8(ascii: "'") { attributes += 1 }
            default: break
            }
            index += 1
        }
        guard marks <= maximumMarks else { throw .tooComplex(.elements) }
        guard attributes <= maximumAttributes else { throw .tooComplex(.attributes) }
    }

    /// Where the document begins after a byte order mark and an XML declaration, which may only say XML 1.0 and UTF-8:
    /// the parser is told the encoding, and nothing in the document may say another.
    private static func declarationEnd(_ text: String) throws(SAMLProblem) -> Int {
        let mark = text.unicodeScalars.first == "\u{FEFF}" ? 3 : 0
        let head = String(decoding: text.utf8.dropFirst(mark).prefix(256), as: UTF8.self)
        guard head.hasPrefix("<?") else { return mark }
        let declaration =
            #/<\?xml\s+version\s*=\s*["']1\.0["'](\s+encoding\s*=\s*["'](?i:utf-8|us-ascii)["'])?(\s+standalone\s*=\s*["'](yes|no)["'])?\s*\?>/#
        guard let match = head.prefixMatch(of: declaration) else {
            throw head.hasPrefix("<?xml ") ? .declaration : .processingInstruction
        }
        return mark + match.output.0.utf8.count
    }
}
