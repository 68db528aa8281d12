import RosterText

/// The attributes of a row of a list, as they are stored: each is decoded when somebody asks for it.
///
/// A row for a change or a look-up is decoded as a whole, which tells damage at once; here what cannot be read is absent.
struct StoredRecord: Sendable {
    private let bytes: [UInt8]
    /// What is in the record, but is not to be seen.
    var leftOut: [AttributeName] = []

    /// Copies a record out of a row.
    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = Array(bytes) }

    /// All of it.
    var entries: [AttributeSet.Entry] {
        bytes.withUnsafeBufferPointer { bytes in
            (try? AttributeSet(json: bytes)).map { $0.filter { !leftOut.contains($0.name) } } ?? []
        }
    }

    /// One attribute of it.
    func value(of name: AttributeName) -> AttributeValue? {
        if leftOut.contains(name) { return nil }
        var found: AttributeValue?
        var text = name.rawValue
        text.withUTF8 { wanted in
            forEach { key, scanner throws(JSONScanner.Failure) in
                guard key.elementsEqual(wanted) else { return true }
                found = try AttributeSet.value(&scanner, depth: 0)
                return false
            }
        }
        return found
    }

    /// Goes from one attribute to the next for as long as `body` says so; `body` may take the value from the scanner.
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
                    try scanner.skipValue()
                } while scanner.take(UInt8(ascii: ","))
            } catch {
                return
            }
        }
    }
}
