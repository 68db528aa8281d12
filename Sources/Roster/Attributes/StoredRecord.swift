import RosterText

/// The stored attributes of a row in a list. Each attribute is decoded on first access.
///
/// Records for changes and look-ups are decoded completely, which detects damage at once. In a list, a damaged
/// attribute is absent instead.
struct StoredRecord: Sendable {
    private let bytes: [UInt8]
    /// The hidden attributes of the record.
    var leftOut: [AttributeName] = []

    /// Copies the record from a row.
    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = Array(bytes) }

    init(_ text: String) { bytes = Array(text.utf8) }

    /// All visible attributes.
    var entries: [AttributeSet.Entry] {
        bytes.withUnsafeBufferPointer { bytes in
            (try? AttributeSet(json: bytes)).map { $0.filter { !leftOut.contains($0.name) } } ?? []
        }
    }

    func value(of name: AttributeName) -> AttributeValue? {
        if leftOut.contains(name) { return nil }
        var found: AttributeValue?
        var text = name.rawValue
        text.withUTF8 { wanted in
            forEach { key, scanner throws(JSONScanner.Failure) in
                guard key.elementsEqual(wanted) else {
                    try scanner.skipValue()
                    return true
                }
                found = try AttributeSet.value(&scanner, depth: 0)
                return false
            }
        }
        return found
    }

    /// Passes each visible attribute to `body`, with its value as JSON text in the stored form.
    func forEachText(_ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Void) {
        bytes.withUnsafeBufferPointer { bytes in
            forEach { key, scanner throws(JSONScanner.Failure) in
                _ = scanner.peek()
                let start = scanner.offset
                try scanner.skipValue()
                if !leftOut.contains(where: { $0.rawValue.utf8.elementsEqual(key) }) {
                    body(
                        UnsafeBufferPointer(rebasing: key),
                        UnsafeBufferPointer(rebasing: bytes[start..<scanner.offset]))
                }
                return true
            }
        }
    }

    /// Calls `body` with each attribute's name until it returns false. `body` must consume the attribute's value from
    /// the scanner.
    private func forEach(
        _ body: (Slice<UnsafeBufferPointer<UInt8>>, inout JSONScanner) throws(JSONScanner.Failure) -> Bool
    ) {
        bytes.withUnsafeBufferPointer { bytes in
            var scanner = JSONScanner(bytes)
            do throws(JSONScanner.Failure) {
                try scanner.expect(UInt8(ascii: "{"))
                if scanner.take(UInt8(ascii: "}")) { return }
                repeat {
                    let key = try scanner.skipString()
                    try scanner.expect(UInt8(ascii: ":"))
                    guard try body(bytes[key], &scanner) else { return }
                } while scanner.take(UInt8(ascii: ","))
            } catch {
                return
            }
        }
    }
}

extension AttributeSet {
    /// Passes each attribute's name to `body`, with its value as JSON text in the stored form, in the order of the
    /// names.
    ///
    /// Does not decode a stored record; ``AttributeValue/init(stored:)`` decodes a value.
    package func forEachText(
        _ body: (_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> Void
    ) {
        if let storedRecord { return storedRecord.forEachText(body) }
        var value: [UInt8] = []
        for entry in self {
            value.removeAll(keepingCapacity: true)
            JSONText.append(entry.value, to: &value)
            entry.name.rawValue.withBytes { name in value.withUnsafeBufferPointer { body(name, $0) } }
        }
    }
}

extension AttributeValue {
    /// Decodes the stored form; nil if the text is damaged.
    package init?(stored text: UnsafeBufferPointer<UInt8>) {
        var scanner = JSONScanner(text)
        guard let value = try? AttributeSet.value(&scanner, depth: 0) else { return nil }
        self = value
    }
}
