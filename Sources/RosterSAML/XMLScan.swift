import Foundation

/// Checks the bytes of a document before it is parsed.
///
/// The parser's own limits come too late: it compares all attributes of an element with each other, and reads a
/// document type with its entities first. Every rule here errs on the side of refusing; text in a comment or a CDATA
/// section counts as markup.
enum XMLScan {
    /// The largest number of `<` in a document: some 2,000 elements with their end tags.
    static let maximumMarks = 4_096
    /// The largest number of attributes and namespace declarations in a document.
    static let maximumAttributes = 4_096

    /// Refuses invalid UTF-8, document types, processing instructions and too much markup.
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
                // Every attribute has an equals sign and a quotation mark, with optional white space in between.
                let next = bytes[(index + 1)...].first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
                if next == UInt8(ascii: "\"") || next == UInt8(ascii: "'") { attributes += 1 }
            default: break
            }
            index += 1
        }
        guard marks <= maximumMarks else { throw .tooComplex(.elements) }
        guard attributes <= maximumAttributes else { throw .tooComplex(.attributes) }
    }

    /// The start of the document after a byte order mark and an XML declaration, which must name XML 1.0 and UTF-8. The
    /// parser is given the encoding, so the document must not name another.
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
