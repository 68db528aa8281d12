import RosterStore

/// Holds texts for C functions in one buffer, which is used again.
struct CStrings: Hashable {
    private var bytes: [CChar] = []
    /// The place in the buffer at which each text begins; nil where a null pointer is passed in place of a text.
    private var offsets: [Int?]

    init(count: Int) { offsets = Array(repeating: nil, count: count) }

    init(_ texts: [String?]) {
        self.init(count: texts.count)
        for (index, text) in texts.enumerated() { if let text { set(text, at: index) } }
    }

    var indices: Range<Int> { offsets.indices }
    var byteCount: Int { bytes.count }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        for index in offsets.indices { offsets[index] = nil }
    }

    /// Sets a parameter to a text. The text's zero characters are replaced by ``Binding/storedZero``.
    mutating func set(_ text: String, at index: Int) {
        offsets[index] = bytes.count
        var text = text
        text.withUTF8 { utf8 in
            guard utf8.contains(0) else {
                return utf8.withMemoryRebound(to: CChar.self) { bytes.append(contentsOf: $0) }
            }
            for byte in utf8 {
                if byte == 0 {
                    bytes.append(contentsOf: Binding.storedZero.utf8.map { CChar(bitPattern: $0) })
                } else {
                    bytes.append(CChar(bitPattern: byte))
                }
            }
        }
        bytes.append(0)
    }

    mutating func setNull(at index: Int) { offsets[index] = nil }

    func withPointers<Value>(_ body: (UnsafeBufferPointer<UnsafePointer<CChar>?>) -> Value) -> Value {
        bytes.withUnsafeBufferPointer { buffer in
            withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: offsets.count) { pointers in
                for (index, offset) in offsets.enumerated() {
                    pointers.initializeElement(at: index, to: offset.flatMap { buffer.baseAddress?.advanced(by: $0) })
                }
                return body(UnsafeBufferPointer(pointers))
            }
        }
    }
}
