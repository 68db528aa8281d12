import CXMLSecurity
import Foundation
import RosterSAML
import Testing

/// What went wrong while a test made its documents.
struct TestFailure: Error {
    let function: String
}

/// A key pair and a certificate for it, made when the tests run.
struct TestProvider: Sendable {
    enum Kind: Sendable, Hashable { case rsa(bits: Int), curve(String) }

    let privateKey: [UInt8]
    let certificate: [UInt8]

    /// One that tests share, because making an RSA key takes a while.
    static let rsa = Result { try TestProvider(.rsa(bits: 2_048)) }
    static let otherRSA = Result { try TestProvider(.rsa(bits: 2_048)) }
    static let curve = Result { try TestProvider(.curve("P-256")) }

    init(_ kind: Kind, notBefore: Date = Sample.now - 86_400, notAfter: Date = Sample.now + 86_400) throws {
        let name = if case .rsa = kind { "RSA" } else { "EC" }
        let context = try #require(EVP_PKEY_CTX_new_from_name(nil, name, nil))
        defer { EVP_PKEY_CTX_free(context) }
        try Self.check(EVP_PKEY_keygen_init(context), "EVP_PKEY_keygen_init")
        switch kind {
        case .rsa(let bits): try Self.check(EVP_PKEY_CTX_set_rsa_keygen_bits(context, CInt(bits)), "bits")
        case .curve(let curve): try Self.check(EVP_PKEY_CTX_set_group_name(context, curve), "group")
        }
        var key: OpaquePointer?
        try Self.check(EVP_PKEY_generate(context, &key), "EVP_PKEY_generate")
        defer { EVP_PKEY_free(key) }
        privateKey = try Self.bytes { PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) }

        let certificate = try #require(X509_new())
        defer { X509_free(certificate) }
        try Self.check(X509_set_version(certificate, 2), "X509_set_version")
        try Self.check(ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1), "serial")
        _ = ASN1_TIME_set(X509_getm_notBefore(certificate), time_t(notBefore.timeIntervalSince1970))
        _ = ASN1_TIME_set(X509_getm_notAfter(certificate), time_t(notAfter.timeIntervalSince1970))
        let subject = X509_get_subject_name(certificate)
        for (field, text) in [("O", "Example, Ltd"), ("CN", "idp.example")] {
            try Self.check(X509_NAME_add_entry_by_txt(subject, field, 0x1001, text, -1, -1, 0), "name")
        }
        try Self.check(X509_set_issuer_name(certificate, subject), "issuer")
        try Self.check(X509_set_pubkey(certificate, key), "X509_set_pubkey")
        guard X509_sign(certificate, key, EVP_sha256()) > 0 else { throw TestFailure(function: "X509_sign") }
        self.certificate = try Self.bytes { PEM_write_bio_X509($0, certificate) }
    }

    /// The certificate as the product pins it.
    var pinned: SAMLCertificate { get throws { try SAMLCertificate(certificate) } }

    private static func check(_ result: CInt, _ function: String) throws {
        guard result == 1 else { throw TestFailure(function: function) }
    }

    private static func bytes(_ write: (OpaquePointer?) -> CInt) throws -> [UInt8] {
        let target = try #require(BIO_new(BIO_s_mem()))
        defer { BIO_free(target) }
        try check(write(target), "PEM_write_bio")
        var bytes = [UInt8](repeating: 0, count: 16_384)
        let count = BIO_read(target, &bytes, CInt(bytes.count))
        return Array(bytes.prefix(Int(count)))
    }
}
