extension UnsafeBufferPointer<UInt8> {
    /// The offset of the first bytes that are not UTF-8; nil if there are none.
    ///
    /// The text is validated piece by piece, since the validation of a piece copies it.
    package var firstInvalidUTF8: Int? {
        var start = 0
        while start < count, self[start] < 0x80 { start += 1 }
        while start < count {
            var end = Swift.min(start + 0x10000, count)
            // A piece does not end within a character, which has up to three bytes after its first.
            for _ in 0..<3 where end < count && self[end] & 0xC0 == 0x80 { end -= 1 }
            let piece = UnsafeBufferPointer(rebasing: self[start..<end])
            guard String(validating: piece, as: UTF8.self) != nil else {
                var decoder = UTF8()
                var source = piece.makeIterator()
                while case .scalarValue(let scalar) = decoder.decode(&source) { start += UTF8.width(scalar) }
                return start
            }
            start = end
        }
        return nil
    }
}
