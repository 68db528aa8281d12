import RosterStore

/// Rows in the text form of COPY: values with a tab between them, and a line for each row.
struct CopyText {
    private(set) var bytes: [CChar] = []

    init(_ rows: [[Binding]]) {
        for row in rows {
            for (index, value) in row.enumerated() {
                if index > 0 { add("\t") }
                switch value {
                case .null: add("\\N")
                case .integer(let number): add(String(number))
                case .real(let number): add(String(number))
                case .text(let text): addEscaped(text)
                }
            }
            add("\n")
        }
    }

    private mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in utf8.withMemoryRebound(to: CChar.self) { bytes.append(contentsOf: $0) } }
    }

    /// Adds the runs of bytes between those that COPY would misread.
    private mutating func addEscaped(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { text in
                var start = text.startIndex
                for (place, byte) in zip(text.indices, text) {
                    guard byte >= 0, byte < 0x20 || byte == 0x5C, let escaped = Self.escaped(byte) else { continue }
                    bytes.append(contentsOf: text[start..<place])
                    add(escaped)
                    start = place + 1
                }
                bytes.append(contentsOf: text[start...])
            }
        }
    }

    private static func escaped(_ byte: CChar) -> String? {
        switch UInt8(bitPattern: byte) {
        case 0: Binding.storedZero
        case UInt8(ascii: "\\"): "\\\\"
        case UInt8(ascii: "\t"): "\\t"
        case UInt8(ascii: "\n"): "\\n"
        case UInt8(ascii: "\r"): "\\r"
        default: nil
        }
    }
}
