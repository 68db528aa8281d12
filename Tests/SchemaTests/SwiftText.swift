/// A Swift source file, separated into code and string literals.
struct SwiftText: Sendable {
    /// A piece of a file, and the line that it begins on.
    struct Piece: Sendable, Equatable {
        let line: Int
        var text: String
    }

    /// The lines, without comments and with empty string literals. Interpolated code stays.
    private(set) var code: [Piece] = []
    /// What stands between the quotes of the string literals, without interpolated code.
    private(set) var literals: [Piece] = []

    private enum Place {
        /// Code outside of literals, or in an interpolation, in which so many parentheses are open.
        case code(parentheses: Int)
        /// A literal with this end and this beginning of an escape; the last number is its index in `literals`.
        case literal(end: [UInt8], escape: [UInt8], index: Int)
    }

    private let bytes: [UInt8]
    private var next = 0
    private var line: [UInt8] = []
    private var texts: [[UInt8]] = []

    init(_ text: String) {
        bytes = Array(text.utf8)
        var lines: [Int] = []
        var places: [Place] = [.code(parentheses: 0)]
        while next < bytes.count {
            switch places[places.count - 1] {
            case .code(let parentheses):
                if follows(Self.slashes) {
                    while next < bytes.count, bytes[next] != Self.newline { next += 1 }
                } else if follows(Self.expression) {
                    // A regular expression may hold quotes.
                    repeat { next += 1 } while next < bytes.count && !follows(Self.expressionEnd)
                    next += 2
                } else if let (end, escape) = literalStart() {
                    lines.append(code.count + 1)
                    texts.append([])
                    line.append(Self.quote)
                    places.append(.literal(end: end, escape: escape, index: texts.count - 1))
                } else if bytes[next] == UInt8(ascii: ")"), parentheses == 0, places.count > 1 {
                    next += 1
                    places.removeLast()
                } else {
                    let change = bytes[next] == UInt8(ascii: "(") ? 1 : bytes[next] == UInt8(ascii: ")") ? -1 : 0
                    places[places.count - 1] = .code(parentheses: parentheses + change)
                    take()
                }
            case .literal(let end, let escape, let index):
                if follows(end) {
                    next += end.count
                    line.append(Self.quote)
                    places.removeLast()
                } else if follows(escape + [UInt8(ascii: "(")]) {
                    next += escape.count + 1
                    places.append(.code(parentheses: 0))
                } else if bytes[next] == Self.newline, end.count - escape.count + 1 == 1 {
                    // A literal of one line does not reach the next: this quote stood in a regular expression.
                    places.removeLast()
                } else {
                    let length = min(follows(escape) ? escape.count + 1 : 1, bytes.count - next)
                    for byte in bytes[next..<next + length] {
                        texts[index].append(byte)
                        if byte == Self.newline { endLine() }
                    }
                    next += length
                }
            }
        }
        endLine()
        literals = zip(lines, texts).map { Piece(line: $0, text: String(decoding: $1, as: UTF8.self)) }
    }

    private static let newline = UInt8(ascii: "\n")
    private static let quote = UInt8(ascii: "\"")
    private static let slashes = Array("//".utf8)
    private static let expression = Array("#/".utf8)
    private static let expressionEnd = Array("/#".utf8)

    private func follows(_ text: [UInt8]) -> Bool { bytes[next...].starts(with: text) }

    /// Passes the beginning of a literal and returns its end and the beginning of its escapes; nil if none begins here.
    private mutating func literalStart() -> (end: [UInt8], escape: [UInt8])? {
        let signs = bytes[next...].prefix { $0 == UInt8(ascii: "#") }
        let quotes = bytes[(next + signs.count)...].prefix { $0 == Self.quote }.prefix(3)
        guard !quotes.isEmpty else { return nil }
        let count = quotes.count == 3 ? 3 : 1
        next += signs.count + count
        return (Array(quotes.prefix(count) + signs), [UInt8(ascii: "\\")] + signs)
    }

    private mutating func take() {
        if bytes[next] == Self.newline { endLine() } else { line.append(bytes[next]) }
        next += 1
    }

    private mutating func endLine() {
        code.append(Piece(line: code.count + 1, text: String(decoding: line, as: UTF8.self)))
        line = []
    }
}
