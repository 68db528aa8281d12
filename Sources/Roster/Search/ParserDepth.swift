/// The number of symbols that SQLite's parser keeps in mind at once while it reads a condition: for each open bracket the
/// bracket itself, and the operands and operators that are before it within the brackets around it. The parser has room
/// for 100 symbols, and refuses a statement that needs more.
enum ParserDepth {
    /// The most symbols of a condition. The others are for the statement around it, and for a subquery within it.
    static let maximum = 80

    /// The operands and operators between two brackets so far: none, an operand, or an operand and an operator.
    private struct Frame {
        var symbols = 0
        /// Whether an `OR` waits for its right operand. An `AND` after that operand does not end it.
        var isAfterOr = false

        mutating func addOperand() { symbols += 1 - symbols % 2 }

        mutating func add(_ word: Word) {
            if word.isOr {
                symbols = 2
                isAfterOr = true
            } else if word.isAnd {
                symbols = isAfterOr ? 4 : 2
            } else if !word.isEmpty {
                addOperand()
            }
        }
    }

    /// A word of a condition, as far as it matters.
    private struct Word {
        private var count = 0
        private var letters: UInt32 = 0

        var isEmpty: Bool { count == 0 }
        var isOr: Bool { count == 2 && letters == 0x4F52 }
        var isAnd: Bool { count == 3 && letters == 0x41_4E44 }

        mutating func append(_ byte: UInt8) {
            count += 1
            letters = letters << 8 | UInt32(byte)
        }
    }

    /// The number of symbols that a condition needs.
    static func of(_ condition: String) -> Int {
        var outer: [Frame] = []
        var frame = Frame()
        var depth = 0
        var most = 0
        var word = Word()
        for byte in condition.utf8 {
            let isBracket = byte == UInt8(ascii: "(") || byte == UInt8(ascii: ")")
            guard isBracket || byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") else {
                word.append(byte)
                continue
            }
            frame.add(word)
            word = Word()
            most = max(most, depth + frame.symbols)
            if byte == UInt8(ascii: "(") {
                depth += frame.symbols + 1
                outer.append(frame)
                frame = Frame()
            } else if byte == UInt8(ascii: ")"), let around = outer.popLast() {
                frame = around
                depth -= frame.symbols + 1
                frame.addOperand()
            }
        }
        frame.add(word)
        return max(most, depth + frame.symbols)
    }
}
