import RosterText

/// The stored attributes of a row, each of which is decoded on access.
///
/// A record for a change is decoded completely, which detects damage at once. In a list, a damaged attribute is absent instead.
struct StoredRecord: Sendable {
    private let bytes: [UInt8]
    /// The hidden attributes of the record.
    var leftOut: [AttributeName] = []

    /// Copies the record from a row.
    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = Array(bytes) }

    init(_ text: String) { bytes = Array(text.utf8) }

    /// The size in bytes, with the hidden attributes.
    var count: Int { bytes.count }

    /// All visible attributes.
    var entries: [AttributeSet.Entry] {
        bytes.withUnsafeBufferPointer { bytes in
            guard let set = try? AttributeSet(stored: bytes) else { return [] }
            return leftOut.isEmpty ? Array(set) : set.filter { !leftOut.contains($0.name) }
        }
    }

    func value(of name: AttributeName) -> AttributeValue? {
        if leftOut.contains(name) { return nil }
        var found: AttributeValue?
        name.rawValue.withBytes { wanted in
            forEach { entry in
                guard entry.isNamed(wanted) else { return true }
                found = try? entry.decoded()
                return false
            }
        }
        return found
    }

    /// Whether a row's record has an attribute. The record is not copied.
    static func has(_ name: AttributeName, in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        name.rawValue.withBytes { wanted in
            var scanner = RecordScanner(bytes)
            while let entry = try? scanner.next() {
                if entry.isNamed(wanted) { return true }
            }
            return false
        }
    }

    /// Passes each visible attribute to `body`.
    func forEachEntry(_ body: (RecordEntry) -> Void) {
        forEach { entry in
            if !leftOut.contains(where: { $0.rawValue.utf8.elementsEqual(entry.name) }) { body(entry) }
            return true
        }
    }

    /// Calls `body` with each attribute until `body` returns false.
    private func forEach(_ body: (RecordEntry) -> Bool) {
        bytes.withUnsafeBufferPointer { bytes in
            var scanner = RecordScanner(bytes)
            while let entry = try? scanner.next() {
                guard body(entry) else { return }
            }
        }
    }
}

extension AttributeSet {
    /// Passes each attribute's name to `body`, with its value as JSON in the form of ``AttributeSet/json``, in the order of the
    /// names.
    ///
    /// Does not decode a stored record; ``AttributeValue/init(stored:)`` decodes a value.
    package func forEachText(
        _ body: (_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> Void
    ) {
        if let storedRecord {
            return storedRecord.forEachEntry { entry in entry.withJSON { body(entry.name, $0) } }
        }
        var value: [UInt8] = []
        for entry in self {
            value.removeAll(keepingCapacity: true)
            JSONText.append(entry.value, to: &value)
            entry.name.rawValue.withBytes { name in value.withUnsafeBufferPointer { body(name, $0) } }
        }
    }
}

extension AttributeValue {
    /// Decodes a value in the form of ``AttributeSet/json``; nil if the text is damaged.
    package init?(stored text: UnsafeBufferPointer<UInt8>) {
        var scanner = JSONScanner(text)
        guard let value = try? AttributeSet.value(&scanner, depth: 0) else { return nil }
        self = value
    }
}
