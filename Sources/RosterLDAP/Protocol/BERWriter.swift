import CLBER

/// Writes a message in BER.
struct BERWriter: ~Copyable {
    private let element: OpaquePointer?
    private var isGood: Bool

    init() {
        element = roster_ber_writer()
        isGood = element != nil
    }

    deinit { if let element { ber_free(element, 1) } }

    private mutating func note(_ result: Int32) { if result < 0 { isGood = false } }

    mutating func container(_ tag: UInt = BERReader.Tag.sequence, _ body: (inout BERWriter) -> Void) {
        guard isGood, let element else { return }
        note(ber_start_seq(element, ber_tag_t(tag)))
        body(&self)
        note(ber_put_seq(element))
    }

    mutating func octets(_ bytes: some Collection<UInt8>, _ tag: UInt = BERReader.Tag.octets) {
        guard isGood, let element else { return }
        let write = { (bytes: UnsafeBufferPointer<UInt8>) -> Int32 in
            bytes.withMemoryRebound(to: CChar.self) { text in
                // An empty collection has no address, and liblber demands one.
                guard let start = text.baseAddress else { return ber_put_ostring(element, "", 0, ber_tag_t(tag)) }
                return ber_put_ostring(element, start, ber_len_t(text.count), ber_tag_t(tag))
            }
        }
        note(bytes.withContiguousStorageIfAvailable(write) ?? Array(bytes).withUnsafeBufferPointer(write))
    }

    mutating func text(_ text: String, _ tag: UInt = BERReader.Tag.octets) { octets(text.utf8, tag) }

    mutating func integer(_ value: Int32, _ tag: UInt = BERReader.Tag.integer) {
        guard isGood, let element else { return }
        note(ber_put_int(element, value, ber_tag_t(tag)))
    }

    mutating func enumerated(_ value: Int32) {
        guard isGood, let element else { return }
        note(ber_put_enum(element, value, ber_tag_t(BERReader.Tag.enumerated)))
    }

    mutating func boolean(_ value: Bool, _ tag: UInt = BERReader.Tag.boolean) {
        guard isGood, let element else { return }
        note(ber_put_boolean(element, value ? 1 : 0, ber_tag_t(tag)))
    }

    /// The bytes that were written; nil if the system had no memory.
    consuming func finish() -> [UInt8]? {
        guard isGood, let element else { return nil }
        var value = berval()
        guard ber_flatten2(element, &value, 0) == 0 else { return nil }
        return [UInt8](UnsafeRawBufferPointer(start: value.bv_val, count: Int(value.bv_len)))
    }
}
