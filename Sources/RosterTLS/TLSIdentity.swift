import CGnuTLS
package import Foundation
import RosterText

/// The files of a certificate and its key.
package struct TLSFiles: Sendable, Equatable {
    /// The path of the certificate, followed by those that vouch for it.
    package var certificate: String
    /// The path of its private key, unencrypted.
    package var key: String

    package init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}

/// The reason why the files of TLS are unusable.
package enum TLSFileError: Error, Equatable, CustomStringConvertible {
    /// The certificate chain at this path is missing or no PEM.
    case badCertificate(path: String)
    /// The private key at this path is missing, encrypted or no PEM.
    case badKey(path: String)
    /// The key at this path is not that of the certificate.
    case keyDoesNotFit(path: String)

    /// One sentence for the person who started the server.
    package var description: String {
        switch self {
        case .badCertificate(let path): "\(path) is not a readable certificate chain in PEM"
        case .badKey(let path): "\(path) is not a readable, unencrypted private key in PEM"
        case .keyDoesNotFit(let path): "\(path) is not the private key of the certificate"
        }
    }
}

/// The certificate and key that TLS uses for the next handshake.
package final class TLSIdentity: Sendable {
    /// TLS 1.2 and 1.3 only, without broken algorithms.
    package static let priorities =
        "SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-RSA:-CIPHER-ALL:+AES-256-GCM"
        + ":+CHACHA20-POLY1305:+AES-128-GCM"

    typealias Chain = (certificates: UnsafeMutablePointer<gnutls_pcert_st>?, count: UInt32, key: gnutls_privkey_t?)
    /// The chain for callers that have GnuTLS by another module: an array of `gnutls_pcert_st`, and a `gnutls_privkey_t`.
    package typealias RawChain = (certificates: UnsafeMutableRawPointer?, count: UInt32, key: OpaquePointer?)

    private static let longestChain: UInt32 = 16
    private let files: TLSFiles
    // Every chain since the start, because a handshake may still use an old one. Reloads are rare, and a chain has some
    // kilobytes.
    private let chains = Locked<[Chain]>([])

    package init(_ files: TLSFiles) throws(TLSFileError) {
        self.files = files
        try reload()
    }

    deinit {
        chains.withLock { chains in
            for (certificates, count, key) in chains {
                for index in 0..<Int(count) { certificates.map { gnutls_pcert_deinit($0 + index) } }
                certificates?.deallocate()
                gnutls_privkey_deinit(key)
            }
        }
    }

    var current: Chain { chains.withLock { $0.last ?? (nil, 0, nil) } }

    /// The current chain.
    package var raw: RawChain {
        let chain = current
        return (chain.certificates.map { UnsafeMutableRawPointer($0) }, chain.count, chain.key)
    }

    /// The times at which the certificates of the current chain expire, beginning with the server's own.
    package var ends: [Date] {
        let chain = current
        return (0..<Int(chain.count)).compactMap { index in
            guard let certificates = chain.certificates else { return nil }
            var certificate: gnutls_x509_crt_t?
            guard gnutls_pcert_export_x509(certificates + index, &certificate) == 0, let certificate else { return nil }
            defer { gnutls_x509_crt_deinit(certificate) }
            return Date(timeIntervalSince1970: Double(gnutls_x509_crt_get_expiration_time(certificate)))
        }
    }

    /// Reads the files again. If one of them is bad, the identity that was read before stays in use.
    package func reload() throws(TLSFileError) {
        let chain = try Self.certificates(at: files.certificate)
        let key = try Self.key(at: files.key)
        guard Self.fits(key, chain.certificates) else { throw .keyDoesNotFit(path: files.key) }
        chains.withLock { $0.append((chain.certificates, chain.count, key)) }
    }

    private static func certificates(
        at path: String
    ) throws(TLSFileError) -> (certificates: UnsafeMutablePointer<gnutls_pcert_st>, count: UInt32) {
        let certificates = UnsafeMutablePointer<gnutls_pcert_st>.allocate(capacity: Int(longestChain))
        var count = longestChain
        let code = withFile(path) {
            gnutls_pcert_list_import_x509_raw(certificates, &count, $0, GNUTLS_X509_FMT_PEM, 0)
        }
        guard code == 0, count > 0 else {
            certificates.deallocate()
            throw .badCertificate(path: path)
        }
        return (certificates, count)
    }

    private static func key(at path: String) throws(TLSFileError) -> gnutls_privkey_t {
        var key: gnutls_privkey_t?
        gnutls_privkey_init(&key)
        let code = withFile(path) { gnutls_privkey_import_x509_raw(key, $0, GNUTLS_X509_FMT_PEM, nil, 0) }
        guard code == 0, let key else {
            gnutls_privkey_deinit(key)
            throw .badKey(path: path)
        }
        return key
    }

    /// Whether the key is that of the first certificate: both lead to the same public key.
    private static func fits(_ key: gnutls_privkey_t, _ certificate: UnsafeMutablePointer<gnutls_pcert_st>) -> Bool {
        var own: gnutls_pubkey_t?
        gnutls_pubkey_init(&own)
        defer { gnutls_pubkey_deinit(own) }
        guard gnutls_pubkey_import_privkey(own, key, 0, 0) == 0 else { return false }
        return identifier(own) == identifier(certificate.pointee.pubkey)
    }

    private static func identifier(_ key: gnutls_pubkey_t?) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 64)
        var size = bytes.count
        return gnutls_pubkey_get_key_id(key, 0, &bytes, &size) == 0 ? Array(bytes.prefix(size)) : []
    }

    /// Calls a function of GnuTLS with the bytes of a file; returns -1 if the file cannot be read.
    private static func withFile(_ path: String, _ body: (UnsafePointer<gnutls_datum_t>) -> Int32) -> Int32 {
        guard var bytes = FileManager.default.contents(atPath: path) else { return -1 }
        return bytes.withUnsafeMutableBytes { buffer in
            var datum = gnutls_datum_t()
            datum.data = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
            datum.size = UInt32(buffer.count)
            return body(&datum)
        }
    }
}
