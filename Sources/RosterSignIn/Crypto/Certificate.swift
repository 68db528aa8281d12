import CCrypto
import Foundation

/// A certificate (RFC 5280) that an administrator stored: its key is believed because it lies here, not for who signed it.
struct Certificate: Sendable {
    /// The name of its subject as RFC 2253 writes it.
    let subjectName: String
    /// From and until when it is valid.
    let validity: Range<Date>
    /// Its encoded form.
    let der: [UInt8]
    let key: KeyHandle

    /// Reads all certificates of a file: several in PEM, or one in DER. What is none, or has a key of a kind that is not
    /// taken here, is left out.
    static func all(in data: Data) -> [Certificate] {
        let bytes = Array(data)
        guard String(decoding: bytes.prefix(4_096), as: UTF8.self).contains("-----BEGIN") else {
            return [Certificate(der: bytes)].compactMap { $0 }
        }
        guard let memory = BIO_new_mem_buf(bytes, CInt(bytes.count)) else { return [] }
        defer { BIO_free(memory) }
        var found: [Certificate] = []
        while let certificate = PEM_read_bio_X509(memory, nil, nil, nil) {
            defer { X509_free(certificate) }
            if let read = Certificate(certificate) { found.append(read) }
        }
        return found
    }

    init?(der bytes: [UInt8]) {
        let certificate = bytes.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var next = buffer.baseAddress
            return d2i_X509(nil, &next, buffer.count)
        }
        guard let certificate else { return nil }
        defer { X509_free(certificate) }
        self.init(certificate)
    }

    private init?(_ certificate: OpaquePointer) {
        guard let name = X509_get_subject_name(certificate), let text = Self.text(name),
            let start = Self.date(X509_get0_notBefore(certificate)),
            let end = Self.date(X509_get0_notAfter(certificate)),
            start <= end, let publicKey = X509_get_pubkey(certificate), let key = KeyHandle(adopting: publicKey)
        else { return nil }
        let length = i2d_X509(certificate, nil)
        guard length > 0 else { return nil }
        der = [UInt8](unsafeUninitializedCapacity: Int(length)) { buffer, used in
            var next = buffer.baseAddress
            used = Int(max(i2d_X509(certificate, &next), 0))
        }
        subjectName = text
        validity = start..<end
        self.key = key
    }

    private static func text(_ name: OpaquePointer) -> String? {
        guard let memory = BIO_new(BIO_s_mem()) else { return nil }
        defer { BIO_free(memory) }
        guard X509_NAME_print_ex(memory, name, 0, roster_name_flags) >= 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = BIO_read(memory, &bytes, CInt(bytes.count))
        return count > 0 ? String(decoding: bytes.prefix(Int(count)), as: UTF8.self) : nil
    }

    private static func date(_ time: UnsafePointer<ASN1_TIME>?) -> Date? {
        guard let epoch = ASN1_TIME_set(nil, 0) else { return nil }
        defer { ASN1_TIME_free(epoch) }
        var days: CInt = 0
        var seconds: CInt = 0
        guard let time, ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return nil }
        return Date(timeIntervalSince1970: Double(days) * 86_400 + Double(seconds))
    }

    /// Whether a name that an administrator wrote is the subject's: white space around its parts and the case of their
    /// types do not count, nor from which end it is written, which RFC 2253 and openssl's own form do differently.
    func isNamed(_ name: String) -> Bool {
        let (own, wanted) = (Self.parts(subjectName), Self.parts(name))
        return own == wanted || own == wanted.reversed()
    }

    private static func parts(_ name: String) -> [String] {
        name.split(separator: ",").map { part in
            let pair = part.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            return pair.count == 2 ? pair[0].uppercased() + "=" + pair[1] : part.trimmingCharacters(in: .whitespaces)
        }
    }
}
