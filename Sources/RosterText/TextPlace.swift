/// A line and a column of a text.
package struct TextPlace: Sendable, Hashable {
    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The line, from 1. Lines end with a line feed, a carriage return, or both.
    package private(set) var line = 1
    /// The column in Unicode scalars, from 1.
    package private(set) var column = 1

    /// Finds the place of a byte of UTF-8. A byte order mark has no column. Cost: linear in the offset.
    package init(of offset: Int, in bytes: [UInt8]) {
        let start = bytes.starts(with: Self.byteOrderMark) ? 3 : 0
        for index in start..<max(start, min(offset, bytes.count)) {
            let byte = bytes[index]
            let isBeforeLineFeed = index + 1 < bytes.count && bytes[index + 1] == 0x0A
            if byte == 0x0A || (byte == 0x0D && !isBeforeLineFeed) {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
    }
}
