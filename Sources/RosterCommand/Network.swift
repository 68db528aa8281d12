import RosterText
import RosterTransport

/// The connections of the command. They must be closed before the command ends, because a thread that uses the TLS library while the
/// process exits can crash.
enum Network {
    private static let open = Locked<Transport?>(nil)

    static var transport: Transport {
        open.withLock { open in
            let transport = open ?? Transport()
            open = transport
            return transport
        }
    }

    static func close() { open.withLock { $0 }?.close() }
}
