/// Cuts bytes into lines that end with LF, CR LF or CR, wherever the bytes were split.
struct LineSplitter {
    let limit: Int
    private var line: [UInt8] = []
    private var isAfterCR = false

    init(limit: Int) { self.limit = limit }

    /// Cuts further bytes; false if a line is longer than the limit.
    mutating func append(_ bytes: [UInt8], _ body: ([UInt8]) -> Bool) -> Bool {
        for byte in bytes {
            let isSecondHalf = isAfterCR && byte == UInt8(ascii: "\n")
            isAfterCR = byte == UInt8(ascii: "\r")
            if isSecondHalf { continue }
            if isAfterCR || byte == UInt8(ascii: "\n") {
                guard body(line) else { return false }
                line.removeAll(keepingCapacity: true)
            } else {
                guard line.count < limit else { return false }
                line.append(byte)
            }
        }
        return true
    }

    /// The bytes after the last end of a line; nil if there are none.
    mutating func rest() -> [UInt8]? {
        defer { line = [] }
        return line.isEmpty ? nil : line
    }
}
