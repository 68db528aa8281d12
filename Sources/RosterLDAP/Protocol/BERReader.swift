import CLBER

/// Reads the elements of a message in their order. The message must outlive the reader.
///
/// A container ends where its length says. An element that is longer than its container is malformed.
struct BERReader {
    /// An element has another tag than the protocol demands, or is cut.
    struct Malformed: Error {}

    /// The tags of the universal class.
    enum Tag {
        static let boolean: UInt = 0x01
        static let integer: UInt = 0x02
        static let octets: UInt = 0x04
        static let enumerated: UInt = 0x0A
        static let sequence: UInt = 0x30
        static let set: UInt = 0x31
    }

    private let element: OpaquePointer
    /// The number of bytes of the message that follow the current container.
    private var end = 0

    init(_ element: OpaquePointer) { self.element = element }

    private var remaining: Int { Int(ber_remaining(element)) }

    /// Whether the current container has no further element.
    var isAtEnd: Bool { remaining <= end }

    /// The tag of the next element; nil at the end of the container.
    var next: UInt? {
        guard !isAtEnd else { return nil }
        var length: ber_len_t = 0
        let tag = ber_peek_tag(element, &length)
        return roster_ber_is_error(tag) ? nil : UInt(tag)
    }

    /// Enters a container, and leaves it after `body`. Further elements of the container are skipped (RFC 4511, section 4).
    mutating func container<Value>(_ tag: UInt, _ body: (inout BERReader) throws -> Value) throws -> Value {
        guard next == tag else { throw Malformed() }
        var length: ber_len_t = 0
        _ = ber_skip_tag(element, &length)
        let rest = remaining
        guard length <= rest, rest - Int(length) >= end else { throw Malformed() }
        var inner = self
        inner.end = rest - Int(length)
        let value = try body(&inner)
        let unread = remaining - inner.end
        guard unread >= 0 else { throw Malformed() }
        if unread > 0 { _ = ber_skip_data(element, ber_len_t(unread)) }
        return value
    }

    mutating func octets(_ tag: UInt = Tag.octets) throws -> [UInt8] {
        guard next == tag else { throw Malformed() }
        var value = berval()
        guard !roster_ber_is_error(ber_get_stringbv(element, &value, ber_int_t(LBER_BV_NOTERM))) else {
            throw Malformed()
        }
        try checkEnd()
        return [UInt8](UnsafeRawBufferPointer(start: value.bv_val, count: Int(value.bv_len)))
    }

    /// Text in UTF-8, as names and filters have it.
    mutating func text(_ tag: UInt = Tag.octets) throws -> String {
        guard let text = String(validating: try octets(tag), as: UTF8.self) else { throw Malformed() }
        return text
    }

    mutating func integer(_ tag: UInt = Tag.integer) throws -> Int32 {
        guard next == tag else { throw Malformed() }
        var value: ber_int_t = 0
        guard !roster_ber_is_error(ber_get_int(element, &value)) else { throw Malformed() }
        try checkEnd()
        return value
    }

    mutating func boolean(_ tag: UInt = Tag.boolean) throws -> Bool {
        guard next == tag else { throw Malformed() }
        var value: ber_int_t = 0
        guard !roster_ber_is_error(ber_get_boolean(element, &value)) else { throw Malformed() }
        try checkEnd()
        return value != 0
    }

    /// The value of an optional element; nil if another element follows, or none.
    mutating func optionalOctets(_ tag: UInt) throws -> [UInt8]? {
        guard next == tag else { return nil }
        return try octets(tag)
    }

    mutating func optionalText(_ tag: UInt) throws -> String? {
        guard next == tag else { return nil }
        return try text(tag)
    }

    private func checkEnd() throws {
        guard remaining >= end else { throw Malformed() }
    }

    /// Reads a value that is a message of its own, such as the value of a control.
    static func reading<Value>(_ bytes: [UInt8], _ body: (inout BERReader) throws -> Value) throws -> Value {
        // liblber refuses an empty value by ending the process.
        guard !bytes.isEmpty else { throw Malformed() }
        var bytes = bytes
        let element = bytes.withUnsafeMutableBytes { buffer -> OpaquePointer? in
            var value = berval()
            value.bv_len = ber_len_t(buffer.count)
            value.bv_val = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            // liblber copies the bytes.
            return ber_init(&value)
        }
        guard let element else { throw Malformed() }
        defer { ber_free(element, 1) }
        var reader = BERReader(element)
        return try body(&reader)
    }
}
