import RosterTLS

/// The reason why a server does not start, or does not take a new certificate.
package enum HTTPServerError: Error, Equatable, CustomStringConvertible {
    /// The text is no `host:port` with a numeric host.
    case badAddress(String)
    /// The text is not a numeric address of a proxy.
    case badProxy(String)
    /// Another process, or another server of this one, listens there.
    case addressInUse(String)
    /// The port is reserved for the system's administrator.
    case permissionDenied(String)
    /// This machine has no such address.
    case addressNotAvailable(String)
    /// The certificate chain at this path is missing or no PEM.
    case badCertificate(path: String)
    /// The private key at this path is missing, encrypted or no PEM.
    case badKey(path: String)
    /// The key at this path is not that of the certificate.
    case keyDoesNotFit(path: String)
    /// systemd handed over no socket, or several.
    case notHandedOver
    /// The server was started before; a server starts once.
    case alreadyStarted
    /// The system refused something else, with its error number.
    case system(String, Int32)

    /// One sentence for the person who started the server.
    package var description: String {
        switch self {
        case .badAddress(let text):
            "\(text) is not an address such as 127.0.0.1:8080, [::1]:8080 or unix:/run/roster/roster.sock"
        case .badProxy(let text): "'\(text)' is not the address of a proxy, such as 127.0.0.1 or ::1"
        case .addressInUse(let address): "Another server listens at \(address)"
        case .permissionDenied(let address): "Listening at \(address) is not permitted"
        case .addressNotAvailable(let address): "This machine has no address \(address)"
        case .badCertificate(let path): "\(path) is not a readable certificate chain in PEM"
        case .badKey(let path): "\(path) is not a readable, unencrypted private key in PEM"
        case .keyDoesNotFit(let path): "\(path) is not the private key of the certificate"
        case .notHandedOver:
            "systemd handed over no socket, or several. Start the service by a socket unit with one ListenStream"
        case .alreadyStarted: "The server was started before"
        case .system(let action, let number): "\(action) failed with the system's error \(number)"
        }
    }
}

extension HTTPServerError {
    init(_ error: TLSFileError) {
        switch error {
        case .badCertificate(let path): self = .badCertificate(path: path)
        case .badKey(let path): self = .badKey(path: path)
        case .keyDoesNotFit(let path): self = .keyDoesNotFit(path: path)
        }
    }
}
