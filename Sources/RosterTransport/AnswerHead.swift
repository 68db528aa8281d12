/// The head of an answer, which arrives line by line, after those of interim answers.
struct AnswerHead {
    /// The largest number of bytes of all heads and trailers of an answer together.
    static let limit = 65_536

    private(set) var status = 0
    private(set) var headers: TransportHeaders = [:]
    /// Whether the head of the final answer is complete.
    private(set) var hasEnded = false
    /// Whether the last line completed the head of the final answer.
    private(set) var hasJustEnded = false
    /// Whether there is no contradiction about the body's length, and no length that cannot be. libcurl ignores some of these.
    private(set) var hasOneLength = true
    private var count = 0

    /// Takes a line; false if the head is too large.
    mutating func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        count += bytes.count
        hasJustEnded = false
        guard count <= Self.limit else { return false }
        // A trailer follows, which nobody asked for.
        guard !hasEnded else { return true }
        let line = bytes.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
        if line.starts(with: "HTTP/".utf8) {
            headers = [:]
            let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
            status = words.count > 1 ? Int(String(decoding: words[1], as: UTF8.self)) ?? 0 : 0
        } else if line.isEmpty {
            hasEnded = status >= 200
            hasJustEnded = hasEnded
            let lengths = headers.values(of: "Content-Length")
            hasOneLength = Set(lengths).count <= 1 && lengths.allSatisfy { Int64($0).map { $0 >= 0 } ?? false }
        } else if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
            headers.add(Self.text(line[..<colon]), Self.text(line[colon...].dropFirst()))
        }
        return true
    }

    private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        var bytes = bytes.drop(while: isSpace)
        while let last = bytes.last, isSpace(last) { bytes = bytes.dropLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
