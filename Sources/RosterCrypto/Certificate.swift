import CCrypto
package import Foundation
import RosterText

/// A certificate (RFC 5280) that an administrator stored. Its key is trusted because it is stored here, whoever signed
/// it.
package struct Certificate: Sendable {
    /// The subject's name.
    package let subject: SubjectName
    /// The subject's name as text (RFC 2253).
    package let subjectText: String
    /// The validity period.
    package let validity: Range<Date>
    /// The DER encoding.
    package let der: [UInt8]
    package let key: KeyHandle

    /// Reads all certificates of a file: several in PEM, or one in DER. Other contents, and certificates with an
    /// unsupported kind of key, are skipped.
    package static func all(in data: Data) -> [Certificate] {
        let bytes = Array(data)
        guard String(decoding: bytes.prefix(4_096), as: UTF8.self).contains("-----BEGIN") else {
            return [Certificate(der: bytes)].compactMap { $0 }
        }
        // libcrypto keeps a pointer to the bytes, which must stay in place until the last read.
        return bytes.withUnsafeBytes { buffer -> [Certificate] in
            guard let memory = BIO_new_mem_buf(buffer.baseAddress, CInt(clamping: buffer.count)) else { return [] }
            defer { BIO_free(memory) }
            var found: [Certificate] = []
            while let certificate = PEM_read_bio_X509(memory, nil, nil, nil) {
                defer { X509_free(certificate) }
                if let read = Certificate(certificate) { found.append(read) }
            }
            return found
        }
    }

    package init?(der bytes: [UInt8]) {
        let certificate = bytes.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var next = buffer.baseAddress
            return d2i_X509(nil, &next, buffer.count)
        }
        guard let certificate else { return nil }
        defer { X509_free(certificate) }
        self.init(certificate)
    }

    private init?(_ certificate: OpaquePointer) {
        guard let name = X509_get_subject_name(certificate), let subject = SubjectName(name),
            let text = Self.text(name),
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
        self.subject = subject
        subjectText = text
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
}

/// The name of a certificate's subject (X.501), for comparison with the text that an administrator wrote.
package struct SubjectName: Sendable, Hashable {
    private struct Attribute: Sendable, Hashable {
        /// The object identifier of the type, in numbers.
        let type: String
        /// The value in its form for comparison (RFC 4518), which ignores case and the number of spaces.
        let value: String

        init(_ type: String, _ value: String) {
            self.type = type
            self.value = value.precomposedStringWithCompatibilityMapping.lowercased()
                .split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
    }

    /// The parts in order. Most have one attribute.
    private let parts: [Set<Attribute>]

    /// Whether the names have the same parts, in the same or the reverse order, because RFC 4514 and openssl write them
    /// in opposite orders.
    package func matches(_ other: SubjectName) -> Bool { parts == other.parts || parts == other.parts.reversed() }

    /// Converts libcrypto's form of a name.
    package init?(_ name: OpaquePointer) {
        var parts: [Set<Attribute>] = []
        var lastPart: CInt?
        for index in 0..<X509_NAME_entry_count(name) {
            guard let entry = X509_NAME_get_entry(name, index),
                let type = X509_NAME_ENTRY_get_object(entry).flatMap({ Self.identifier($0) }),
                let value = X509_NAME_ENTRY_get_data(entry).flatMap({ Self.text($0) })
            else { return nil }
            let part = X509_NAME_ENTRY_set(entry)
            if part != lastPart { parts.append([]) }
            lastPart = part
            parts[parts.endIndex - 1].insert(Attribute(type, value))
        }
        self.parts = parts
    }

    /// Reads a name in the form of RFC 4514, openssl (`C = DE, O = "Acme, Inc."`) or Java; returns nil for any other
    /// text.
    package init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        var parts: [Set<Attribute>] = [[]]
        while true {
            guard let equals = rest.firstIndex(of: UInt8(ascii: "=")),
                let type = Self.identifier(String(decoding: rest[..<equals], as: UTF8.self))
            else { return nil }
            rest = rest[(equals + 1)...]
            guard let value = Self.value(&rest) else { return nil }
            parts[parts.endIndex - 1].insert(Attribute(type, value))
            switch rest.popFirst() {
            case nil:
                self.parts = parts
                return
            case UInt8(ascii: "+")?: continue
            default: parts.append([])
            }
        }
    }

    // MARK: Values

    /// Takes a value and the comma, semicolon or plus sign after it.
    private static func value(_ rest: inout ArraySlice<UInt8>) -> String? {
        rest = rest.drop { $0 == UInt8(ascii: " ") }
        let isQuoted = rest.first == UInt8(ascii: "\"")
        let isEncoded = rest.first == UInt8(ascii: "#")
        if isQuoted || isEncoded { rest.removeFirst() }
        var value: [UInt8] = []
        while let byte = rest.first, isQuoted ? byte != UInt8(ascii: "\"") : !",;+".utf8.contains(byte) {
            rest.removeFirst()
            guard byte == UInt8(ascii: "\\") else {
                value.append(byte)
                continue
            }
            if rest.count >= 2, let escaped = Hexadecimal.bytes(rest.prefix(2)) {
                value += escaped
                rest.removeFirst(2)
            } else {
                guard let next = rest.popFirst() else { return nil }
                value.append(next)
            }
        }
        if isQuoted {
            guard rest.popFirst() != nil else { return nil }
            rest = rest.drop { $0 == UInt8(ascii: " ") }
            guard rest.first.map({ ",;+".utf8.contains($0) }) ?? true else { return nil }
        }
        return isEncoded ? decoded(value) : String(validating: value, as: UTF8.self)
    }

    /// The text of a value in hexadecimal encoding (RFC 4514, section 2.4).
    private static func decoded(_ digits: [UInt8]) -> String? {
        guard let bytes = Hexadecimal.bytes(digits.filter { $0 != UInt8(ascii: " ") }) else { return nil }
        let value = bytes.withUnsafeBufferPointer { buffer -> UnsafeMutablePointer<ASN1_TYPE>? in
            var next = buffer.baseAddress
            return d2i_ASN1_TYPE(nil, &next, buffer.count)
        }
        guard let value else { return nil }
        defer { ASN1_TYPE_free(value) }
        // These types of the union are not strings.
        guard ![V_ASN1_BOOLEAN, V_ASN1_NULL, V_ASN1_OBJECT].contains(ASN1_TYPE_get(value)) else { return nil }
        return value.pointee.value.asn1_string.flatMap { text($0) }
    }

    private static func text(_ string: UnsafePointer<ASN1_STRING>) -> String? {
        var start: UnsafeMutablePointer<UInt8>?
        let count = ASN1_STRING_to_UTF8(&start, string)
        guard count >= 0, let start else { return nil }
        defer { CRYPTO_free(start, nil, 0) }
        return String(validating: UnsafeBufferPointer(start: start, count: Int(count)), as: UTF8.self)
    }

    // MARK: Types

    /// Common attribute names in lower case. libcrypto knows others, each in one spelling.
    private static let types: [String: String] = [
        "cn": "2.5.4.3", "commonname": "2.5.4.3", "sn": "2.5.4.4", "surname": "2.5.4.4", "serialnumber": "2.5.4.5",
        "c": "2.5.4.6", "countryname": "2.5.4.6", "l": "2.5.4.7", "localityname": "2.5.4.7", "st": "2.5.4.8",
        "s": "2.5.4.8", "sp": "2.5.4.8", "stateorprovincename": "2.5.4.8", "street": "2.5.4.9",
        "streetaddress": "2.5.4.9", "o": "2.5.4.10", "organizationname": "2.5.4.10", "ou": "2.5.4.11",
        "organizationalunitname": "2.5.4.11", "t": "2.5.4.12", "title": "2.5.4.12", "description": "2.5.4.13",
        "businesscategory": "2.5.4.15", "postalcode": "2.5.4.17", "name": "2.5.4.41", "g": "2.5.4.42",
        "gn": "2.5.4.42", "givenname": "2.5.4.42", "initials": "2.5.4.43", "generation": "2.5.4.44",
        "generationqualifier": "2.5.4.44", "dnq": "2.5.4.46", "dnqualifier": "2.5.4.46", "pseudonym": "2.5.4.65",
        "organizationidentifier": "2.5.4.97", "uid": "0.9.2342.19200300.100.1.1",
        "userid": "0.9.2342.19200300.100.1.1", "mail": "0.9.2342.19200300.100.1.3",
        "dc": "0.9.2342.19200300.100.1.25", "domaincomponent": "0.9.2342.19200300.100.1.25",
        "e": "1.2.840.113549.1.9.1", "email": "1.2.840.113549.1.9.1", "emailaddress": "1.2.840.113549.1.9.1",
    ]

    private static func identifier(_ name: String) -> String? {
        let name = name.trimmingCharacters(in: .whitespaces)
        if let known = types[name.lowercased()] { return known }
        // Java writes `OID.2.5.4.97`.
        let number = name.lowercased().hasPrefix("oid.") ? String(name.dropFirst(4)) : name
        guard let object = OBJ_txt2obj(number, 0) else { return nil }
        defer { ASN1_OBJECT_free(object) }
        return identifier(object)
    }

    private static func identifier(_ object: OpaquePointer) -> String? {
        var buffer = [CChar](repeating: 0, count: 128)
        let count = Int(OBJ_obj2txt(&buffer, CInt(buffer.count), object, 1))
        guard (1..<buffer.count).contains(count) else { return nil }
        return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
