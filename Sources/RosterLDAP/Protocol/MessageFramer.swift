import CLBER

/// Cuts the bytes of a client into messages (RFC 4511, section 5.1). A framer belongs to one thread.
final class MessageFramer {
    /// The bytes of a client are no message, or the message is too large.
    struct Broken: Error {}

    private let input: UnsafeMutablePointer<roster_ber_input>
    private let source: OpaquePointer
    private var element: OpaquePointer
    /// Whether a part of a message has come, and the rest has not.
    private(set) var isWithinMessage = false

    /// - Parameter largest: The size in bytes of the largest message.
    /// - Returns: Nil if the system has no memory.
    init?(largest: Int) {
        input = .allocate(capacity: 1)
        input.initialize(to: roster_ber_input())
        guard let source = roster_ber_source(input) else {
            input.deallocate()
            return nil
        }
        guard let element = roster_ber_writer() else {
            ber_sockbuf_free(source)
            input.deallocate()
            return nil
        }
        (self.source, self.element) = (source, element)
        limit(to: largest)
    }

    deinit {
        ber_free(element, 1)
        ber_sockbuf_free(source)
        input.deallocate()
    }

    /// Sets the size of the largest message, from the next message on.
    func limit(to largest: Int) { roster_ber_set_limit(source, ber_len_t(max(largest, 1))) }

    /// Takes bytes of the client, and calls `body` with each message that they complete.
    ///
    /// - Throws: ``Broken``; the stream cannot be read further then.
    func take(_ bytes: UnsafeRawBufferPointer, _ body: (_ tag: UInt, BERReader) throws -> Void) throws {
        input.pointee.bytes = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        input.pointee.count = bytes.count
        defer { input.pointee = roster_ber_input() }
        while true {
            var tag: ber_tag_t = 0
            let before = input.pointee.count
            switch roster_ber_get_next(source, element, &tag) {
            case roster_ber_more:
                // liblber gets its bytes in pieces, and asks for more while there are some.
                guard before > 0 else { return }
                isWithinMessage = true
                guard input.pointee.count < before else { throw Broken() }
            case roster_ber_message:
                isWithinMessage = false
                let message = element
                // The message is released even if `body` throws, because the next one needs an element of its own.
                guard let next = roster_ber_writer() else { throw Broken() }
                element = next
                defer { ber_free(message, 1) }
                try body(UInt(tag), BERReader(message))
            default: throw Broken()
            }
        }
    }
}
