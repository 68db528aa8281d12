import Foundation
import RosterREST
import RosterTLS
import RosterText

extension DirectoryServer.Configuration {
    /// Checks what can be checked before there is a directory: the addresses, that nobody else listens there, and the files of the
    /// certificate and its key.
    ///
    /// - Throws: ``DirectoryServer/Failure``.
    public func check() throws {
        let (listener, _, _) = try addresses()
        do {
            if let tls { _ = try TLSIdentity(.init(certificate: tls.certificate, key: tls.key)) }
            close(try listener.open().descriptor)
        } catch {
            throw DirectoryServer.Failure(description: "\(error)")
        }
    }

    /// Returns the place at which the server listens, the numeric address of the place (nil for a Unix socket), and the addresses of the
    /// trusted proxies.
    ///
    /// - Throws: ``DirectoryServer/Failure`` if an address is malformed, or if passwords would cross the network unencrypted.
    func addresses() throws -> (HTTPServer.Listener, host: String?, TrustedProxies) {
        let listener: HTTPServer.Listener
        let host: String?
        let proxies: TrustedProxies
        do {
            listener = try HTTPServer.Listener(listen, permissions: socketPermissions)
            host = try listener.host()
            proxies = try TrustedProxies(trustedProxies)
        } catch {
            throw DirectoryServer.Failure(description: "\(error)")
        }
        let publicHost = publicURL.map { URL(string: $0)?.host(percentEncoded: false) ?? "" }
        guard host != nil || publicURL != nil else {
            throw DirectoryServer.Failure(
                description: "A Unix socket has no address that clients could use. Set 'publicURL' to the proxy's.",
                setting: .publicURL)
        }
        let isLocal = host.map { Loopback.contains($0) } ?? true
        let isPublic = !isLocal || publicHost.map { !Loopback.contains($0) } ?? false
        if hasTestProvider, isPublic {
            throw DirectoryServer.Failure(
                description:
                    "With the test provider anybody can sign in as anybody. Listen on 127.0.0.1, or set "
                    + "'hasTestProvider' to false.", setting: .testProvider)
        }
        guard hasDialects || !hasTestProvider else {
            throw DirectoryServer.Failure(
                description: "The test provider is one of the dialects, which this server leaves out.",
                setting: .dialects)
        }
        guard isLocal || tls != nil || allowsPlainHTTP else {
            throw DirectoryServer.Failure(
                description:
                    "On '\(listen)' others could read passwords along. Set 'tls', or listen on 127.0.0.1 "
                    + "behind a proxy, or set 'allowsPlainHTTP'.", setting: .tls)
        }
        return (listener, host, proxies)
    }
}
