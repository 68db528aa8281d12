import CXMLSecurity
package import Foundation

/// A provider's pinned X.509 certificate (RFC 5280). It is trusted only because an administrator pinned it.
package struct SAMLCertificate: Sendable, Hashable {
    /// The shortest accepted RSA key, in bits: 2,048 (NIST SP 800-131A).
    package static let minimumRSABits = 2_048

    /// The DER encoding.
    let der: [UInt8]
    /// The subject's name in the form of RFC 2253: `CN=idp.example.com,O=Example`.
    package let subject: String
    /// The start of the validity period.
    package let notBefore: Date
    /// The end of the validity period.
    package let notAfter: Date

    /// Reads one certificate.
    ///
    /// - Parameter bytes: One certificate in PEM or DER.
    /// - Throws: ``SAMLCertificateProblem`` if it is neither, or its key is not supported.
    package init(_ bytes: [UInt8]) throws(SAMLCertificateProblem) {
        guard bytes.count <= 64 * 1_024, let certificate = Self.parse(bytes) else { throw .notCertificate }
        defer {
            X509_free(certificate)
            ERR_clear_error()
        }
        guard let key = X509_get0_pubkey(certificate) else { throw .unsupportedKey }
        let bits = Int(EVP_PKEY_get_bits(key))
        switch EVP_PKEY_get_base_id(key) {
        case EVP_PKEY_RSA: guard bits >= Self.minimumRSABits else { throw .weakKey(bits: bits) }
        case EVP_PKEY_EC: guard bits >= 256 else { throw .weakKey(bits: bits) }
        default: throw .unsupportedKey
        }
        guard let notBefore = Self.date(X509_get0_notBefore(certificate)),
            let notAfter = Self.date(X509_get0_notAfter(certificate)), let der = Self.der(certificate)
        else { throw .notCertificate }
        self.der = der
        self.notBefore = notBefore
        self.notAfter = notAfter
        subject = Self.name(X509_get_subject_name(certificate))
    }

    /// Whether the certificate is valid at a time, both end dates included (RFC 5280, 4.1.2.5).
    package func isValid(at now: Date) -> Bool { notBefore <= now && now <= notAfter }

    private static func parse(_ bytes: [UInt8]) -> OpaquePointer? {
        bytes.withUnsafeBufferPointer { buffer in
            var next = buffer.baseAddress
            if let certificate = d2i_X509(nil, &next, buffer.count) {
                if next == buffer.baseAddress?.advanced(by: buffer.count) { return certificate }
                X509_free(certificate)
                return nil
            }
            guard let source = BIO_new_mem_buf(buffer.baseAddress, CInt(buffer.count)) else { return nil }
            defer { BIO_free(source) }
            // Without this callback, libcrypto would ask for an encrypted file's password at the terminal.
            return PEM_read_bio_X509(source, nil, { _, _, _, _ in -1 }, nil)
        }
    }

    private static func der(_ certificate: OpaquePointer) -> [UInt8]? {
        var start: UnsafeMutablePointer<UInt8>?
        let count = Int(i2d_X509(certificate, &start))
        guard count > 0, let start else { return nil }
        defer { CRYPTO_free(start, nil, 0) }
        return Array(UnsafeBufferPointer(start: start, count: count))
    }

    private static func date(_ time: UnsafePointer<ASN1_TIME>?) -> Date? {
        var parts = tm()
        guard let time, ASN1_TIME_to_tm(time, &parts) == 1 else { return nil }
        return Date(timeIntervalSince1970: TimeInterval(timegm(&parts)))
    }

    private static func name(_ name: OpaquePointer?) -> String {
        guard let name, let target = BIO_new(BIO_s_mem()) else { return "" }
        defer { BIO_free(target) }
        guard X509_NAME_print_ex(target, name, 0, roster_name_flags) > 0 else { return "" }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4_096) { buffer in
            let count = BIO_read(target, buffer.baseAddress, CInt(buffer.count))
            return count > 0 ? String(decoding: buffer.prefix(Int(count)), as: UTF8.self) : ""
        }
    }
}

/// The reason why a certificate cannot be pinned.
package enum SAMLCertificateProblem: Error, Sendable, Hashable {
    /// The file is not one certificate in PEM or DER.
    case notCertificate
    /// The RSA key is too short.
    case weakKey(bits: Int)
    /// The key is neither RSA nor an elliptic curve.
    case unsupportedKey

    /// The cause.
    package var message: String {
        switch self {
        case .notCertificate: "This is not an X.509 certificate in PEM or DER."
        case .weakKey(let bits): "The certificate's key has \(bits) bits, which is too short to trust."
        case .unsupportedKey: "The certificate's key is neither RSA nor ECDSA."
        }
    }

    /// Advice on what to do next.
    package var advice: String {
        switch self {
        case .notCertificate: "Take the signing certificate from the provider's metadata, one in each file."
        case .weakKey, .unsupportedKey:
            "Let the provider sign with RSA of at least 2,048 bits or ECDSA of at least 256."
        }
    }
}

extension SAMLCertificateProblem: CustomStringConvertible, LocalizedError {
    /// The message and the advice in one line.
    package var description: String { message + " " + advice }
    /// The same as ``description``.
    package var errorDescription: String? { description }
}
