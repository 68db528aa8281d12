/// A set of identifiers, with a bit for each: a document can name a million users.
struct IdentifierSet: Sendable {
    private static let wordsOfBlock = 64
    /// The bits of 4,096 identifiers in a row, by the number of the block.
    private var blocks: [Int64: [UInt64]] = [:]

    private static func place(of id: Int64) -> (block: Int64, word: Int, bit: UInt64) {
        (id >> 12, Int(truncatingIfNeeded: (id >> 6) & 63), 1 << UInt64(truncatingIfNeeded: id & 63))
    }

    func contains(_ id: Int64) -> Bool {
        let place = Self.place(of: id)
        return blocks[place.block].map { $0[place.word] & place.bit != 0 } ?? false
    }

    mutating func insert(_ id: Int64) {
        let place = Self.place(of: id)
        blocks[place.block, default: Array(repeating: 0, count: Self.wordsOfBlock)][place.word] |= place.bit
    }

    mutating func remove(_ id: Int64) {
        let place = Self.place(of: id)
        blocks[place.block]?[place.word] &= ~place.bit
    }
}
