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
        for byte in text.utf8 { bytes.append(CChar(bitPattern: byte)) }
    }

    private mutating func addEscaped(_ text: String) {
        for byte in text.utf8 {
            switch byte {
            case 0: add(Binding.storedZero)
            case UInt8(ascii: "\\"): add("\\\\")
            case UInt8(ascii: "\t"): add("\\t")
            case UInt8(ascii: "\n"): add("\\n")
            case UInt8(ascii: "\r"): add("\\r")
            default: bytes.append(CChar(bitPattern: byte))
            }
        }
    }
}
