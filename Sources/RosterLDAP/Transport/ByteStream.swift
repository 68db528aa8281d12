import RosterTLS

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The bytes of a connection: those of the socket, or those that TLS protects. Reading and writing never wait.
protocol ByteStream {
    /// The certificate of the client, which was verified; nil for none.
    var clientCertificate: ClientCertificate? { get }
    /// Whether the stream has to send something before it can go on, such as a message of the handshake.
    var wantsToWrite: Bool { get }
    /// Whether the handshake of TLS is not complete.
    var isStarting: Bool { get }
    /// Whether bytes wait in the stream that the socket does not show.
    var hasUnread: Bool { get }
    /// Reads bytes.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> StreamStep
    /// Sends bytes. After `wait`, the next call must have the same bytes at its beginning.
    mutating func write(_ bytes: UnsafeRawBufferPointer) -> StreamStep
    /// Tells the client that nothing follows.
    mutating func end()
}

/// The result of reading or writing.
enum StreamStep {
    case moved(Int)
    /// Nothing can be moved now.
    case wait
    case ended
}

/// The bytes of a socket.
struct PlainStream: ByteStream {
    let descriptor: Int32
    var clientCertificate: ClientCertificate? { nil }
    var wantsToWrite: Bool { false }
    var isStarting: Bool { false }
    var hasUnread: Bool { false }

    mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> StreamStep {
        Self.step(recv(descriptor, buffer.baseAddress, buffer.count, 0), isReading: true)
    }

    mutating func write(_ bytes: UnsafeRawBufferPointer) -> StreamStep {
        #if canImport(Glibc)
            let flags = Int32(MSG_NOSIGNAL)
        #else
            let flags: Int32 = 0
        #endif
        return Self.step(send(descriptor, bytes.baseAddress, bytes.count, flags), isReading: false)
    }

    mutating func end() {}

    private static func step(_ count: Int, isReading: Bool) -> StreamStep {
        if count > 0 || (count == 0 && !isReading) { return .moved(count) }
        if count < 0, errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR { return .wait }
        return .ended
    }
}
