import RosterText

/// The attributes of a row of a list as they are stored. Each attribute is decoded when somebody asks for it.
///
/// A row for a change or a look-up is decoded as a whole, which finds damage at once. Here a damaged attribute is absent.
struct StoredRecord: Sendable {
    private let bytes: [UInt8]
    /// The attributes that are in the record and are not to be seen.
    var leftOut: [AttributeName] = []

    /// Copies a record out of a row.
    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = Array(bytes) }

    /// All attributes that are to be seen.
    var entries: [AttributeSet.Entry] {
        bytes.withUnsafeBufferPointer { bytes in
            (try? AttributeSet(json: bytes)).map { $0.filter { !leftOut.contains($0.name) } } ?? []
        }
    }

    /// The value of one attribute.
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

    /// Hands out each attribute that is to be seen, with its value as JSON text in the stored form.
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

    /// Calls `body` with the name of each attribute, until `body` returns false. `body` must take the attribute's value
    /// from the scanner.
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
    /// Hands out each attribute's name with its value as JSON text in the stored form, in the order of the names.
    ///
    /// A record of a list is not decoded for that. ``AttributeValue/init(stored:)`` decodes a value.
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
