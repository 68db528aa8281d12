import RosterTLS

/// The bytes of a connection that TLS protects.
struct TLSStream: ByteStream {
    let session: TLSSession

    var clientCertificate: ClientCertificate? { session.clientCertificate }
    var wantsToWrite: Bool { session.wantsToWrite }
    var isStarting: Bool { session.isStarting }
    var hasUnread: Bool { session.hasUnread }

    mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> StreamStep {
        StreamStep(session.read(into: buffer))
    }
    mutating func write(_ bytes: UnsafeRawBufferPointer) -> StreamStep { StreamStep(session.write(bytes)) }
    mutating func end() { session.end() }
}

extension StreamStep {
    fileprivate init(_ step: TLSSession.Step) {
        switch step {
        case .moved(let count): self = .moved(count)
        case .wait: self = .wait
        case .ended: self = .ended
        }
    }
}
