import CGnuTLS
import Foundation
import RosterText

/// What a client's certificate says, which an authority of the server vouches for.
package struct ClientCertificate: Sendable, Hashable {
    /// The subject (RFC 4514).
    package let subject: String
    /// The `uid` in the subject; nil for none.
    package let uid: String?
    /// The mail addresses among the alternative names, at most 16.
    package let mails: [String]

    package init(subject: String, uid: String?, mails: [String]) {
        (self.subject, self.uid, self.mails) = (subject, uid, mails)
    }

    /// The certificate of the client of a session; nil without one, and for one that no authority vouches for, that has expired, or that is
    /// not for clients.
    init?(verifiedIn session: gnutls_session_t) {
        var count: UInt32 = 0
        guard let chain = gnutls_certificate_get_peers(session, &count), count > 0, Self.isGood(session) else {
            return nil
        }
        var certificate: gnutls_x509_crt_t?
        guard gnutls_x509_crt_init(&certificate) == 0, let certificate else { return nil }
        defer { gnutls_x509_crt_deinit(certificate) }
        guard gnutls_x509_crt_import(certificate, chain, GNUTLS_X509_FMT_DER) == 0,
            let subject = Self.text({ gnutls_x509_crt_get_dn(certificate, $0, $1) })
        else { return nil }
        self.subject = subject
        uid = Self.text { gnutls_x509_crt_get_dn_by_oid(certificate, "0.9.2342.19200300.100.1.1", 0, 0, $0, $1) }
        var mails: [String] = []
        for index in 0..<UInt32(16) {
            var kind: Int32 = 0
            let text = Self.text { buffer, size in
                kind = gnutls_x509_crt_get_subject_alt_name(certificate, index, buffer, size, nil)
                return kind < 0 ? kind : 0
            }
            if kind == GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE { break }
            if let text, kind == Int32(GNUTLS_SAN_RFC822NAME.rawValue) { mails.append(text) }
        }
        self.mails = mails
    }

    private static func isGood(_ session: gnutls_session_t) -> Bool {
        var status: UInt32 = 1
        let code = roster_tls_verify_client(session, &status)
        return code == 0 && status == 0
    }

    /// Calls a function of GnuTLS that writes a text; nil if it fails, or if the text is longer than 2,048 bytes or has a zero byte.
    private static func text(_ body: (UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>) -> Int32) -> String? {
        var buffer = [CChar](repeating: 0, count: 2_049)
        var size = buffer.count - 1
        guard body(&buffer, &size) == 0, size < buffer.count else { return nil }
        let bytes = buffer.prefix(size).map { UInt8(bitPattern: $0) }
        return bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
    }
}

/// The authorities that vouch for the certificates of clients.
package final class ClientAuthorities: Sendable {
    private let path: String
    private let pem = Locked<[UInt8]>([])

    /// Reads a file of certificates in PEM.
    ///
    /// - Throws: ``TLSFileError`` for a file without a certificate.
    package init(_ path: String) throws(TLSFileError) {
        self.path = path
        try reload()
    }

    /// Reads the file again. If it is bad, the authorities that were read before stay in use.
    package func reload() throws(TLSFileError) {
        guard let data = FileManager.default.contents(atPath: path) else { throw .badCertificate(path: path) }
        let bytes = Array(data)
        var credentials: gnutls_certificate_credentials_t?
        guard gnutls_certificate_allocate_credentials(&credentials) == 0, let credentials else {
            throw .badCertificate(path: path)
        }
        defer { gnutls_certificate_free_credentials(credentials) }
        guard Self.add(bytes, to: credentials) > 0 else { throw .badCertificate(path: path) }
        pem.withLock { $0 = bytes }
    }

    /// Asks the clients of a session for certificates of these authorities.
    ///
    /// - Returns: Whether that was possible.
    func ask(_ session: gnutls_session_t, _ credentials: gnutls_certificate_credentials_t) -> Bool {
        guard Self.add(pem.withLock { $0 }, to: credentials) > 0 else { return false }
        gnutls_certificate_server_set_request(session, GNUTLS_CERT_REQUEST)
        return true
    }

    private static func add(_ bytes: [UInt8], to credentials: gnutls_certificate_credentials_t) -> Int32 {
        var bytes = bytes
        return bytes.withUnsafeMutableBytes { buffer in
            var datum = gnutls_datum_t()
            datum.data = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
            datum.size = UInt32(clamping: buffer.count)
            return gnutls_certificate_set_x509_trust_mem(credentials, &datum, GNUTLS_X509_FMT_PEM)
        }
    }
}
