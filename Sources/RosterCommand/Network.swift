import Foundation
import RosterCrypto
import RosterText
import RosterTransport

/// The connections of the command. They must be closed before the command ends, because a thread that uses the TLS library while the
/// process exits can crash.
enum Network {
    private static let open = Locked<(transport: Transport?, settings: TransportSettings)>((nil, TransportSettings()))

    static var transport: Transport {
        open.withLock { open in
            let transport = open.transport ?? Transport(open.settings)
            open.transport = transport
            return transport
        }
    }

    /// Trusts the authorities of a file beside those of the system. Call it before the first connection.
    static func trust(_ authorities: URL?) {
        open.withLock { $0.settings.furtherAuthoritiesFile = authorities?.path }
    }

    static func close() { open.withLock { $0.transport }?.close() }
}

extension Arguments {
    /// The file of `--ca-file` or ROSTER_CA_FILE; nil for none.
    ///
    /// - Throws: `UsageError` for a file without certificates, because each connection would fail for a reason that names no file.
    func authorities() throws -> URL? {
        let (given, known) = (value("ca-file"), ProcessInfo.processInfo.environment["ROSTER_CA_FILE"])
        guard let path = given ?? known, !path.isEmpty else { return nil }
        let name = given == nil ? "ROSTER_CA_FILE" : "--ca-file"
        // Each connection reads the file again, which a pipe does not allow.
        let file = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        let type = try? FileManager.default.attributesOfItem(atPath: file.path)[.type] as? FileAttributeType
        if type != nil, type != .typeRegular {
            throw UsageError("\(name): '\(path)' is not a regular file.", advice: "Write the certificates into a file.")
        }
        guard let data = try InputFile.read(path, upTo: 1 << 24) else {
            throw UsageError("\(name): '\(path)' cannot be read. Check the path.")
        }
        guard data.range(of: Data("-----BEGIN ".utf8)) != nil, !Certificate.all(in: data).isEmpty else {
            throw UsageError(
                "\(name): '\(path)' holds no certificate in PEM.",
                advice: "'openssl x509 -inform der -in FILE' writes a certificate in PEM.")
        }
        return URL(fileURLWithPath: path)
    }
}
