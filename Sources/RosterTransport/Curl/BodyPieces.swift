#if os(Linux)
    /// A body in pieces as it arrives. One array that grows would take three times the memory of a large body.
    struct BodyPieces {
        private(set) var count = 0
        private var pieces: [[UInt8]] = []

        private static let pieceSize = 1 << 18

        mutating func append(_ bytes: UnsafeRawBufferPointer) {
            count += bytes.count
            if let last = pieces.indices.last, pieces[last].count + bytes.count <= Self.pieceSize {
                pieces[last].append(contentsOf: bytes)
                return
            }
            var piece: [UInt8] = []
            // Small bodies take as much as they need.
            if !pieces.isEmpty { piece.reserveCapacity(Self.pieceSize) }
            piece.append(contentsOf: bytes)
            pieces.append(piece)
        }

        /// The whole body. The pieces are freed one after the other.
        mutating func joined() -> [UInt8] {
            if pieces.count == 1 { return pieces.removeLast() }
            var body: [UInt8] = []
            body.reserveCapacity(count)
            for index in pieces.indices {
                body.append(contentsOf: pieces[index])
                pieces[index] = []
            }
            return body
        }
    }
#endif
