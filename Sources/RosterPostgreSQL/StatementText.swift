/// Rewrites a statement in the form of SQLite's parameters, `?` and `?3`, to PostgreSQL's form, `$3`.
struct StatementText {
    let text: String
    /// The number of parameters.
    let count: Int

    init(_ source: String) {
        var result: [UInt8] = []
        var (next, highest) = (0, 0)
        var bytes = source.utf8.makeIterator()
        var pushed: UInt8?
        var isQuoted = false
        while let byte = pushed ?? bytes.next() {
            pushed = nil
            if byte == UInt8(ascii: "'") { isQuoted.toggle() }
            guard byte == UInt8(ascii: "?"), !isQuoted else {
                result.append(byte)
                continue
            }
            var number = 0
            while let digit = bytes.next() {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else {
                    pushed = digit
                    break
                }
                number = number &* 10 &+ Int(digit - UInt8(ascii: "0"))
            }
            if number == 0 {
                next += 1
                number = next
            }
            highest = max(highest, number)
            result.append(contentsOf: "$\(number)".utf8)
        }
        text = String(decoding: result, as: UTF8.self)
        count = highest
    }
}
