/// The bytes that HTTP allows in each part of a request (RFC 9110, section 5; RFC 3986).
enum Characters {
    private static let token = table { $0.isASCIIAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains($0) }
    private static let host = table { (0x21...0x7E).contains($0) && !"/?#@\\,\"<>{}|^`".utf8.contains($0) }

    /// Whether the bytes are a method or the name of a field.
    static func areToken(_ bytes: some Collection<UInt8>) -> Bool {
        // Reads the static table once, and not for each byte.
        let token = token
        return !bytes.isEmpty && bytes.allSatisfy { token[Int($0)] }
    }
    /// Whether the bytes can be a target: no white space, no control character, nothing beyond ASCII.
    static func areVisible(_ bytes: some Collection<UInt8>) -> Bool { bytes.allSatisfy { (0x21...0x7E).contains($0) } }
    /// Whether the bytes can be the value of a field: no control character but the tabulator.
    static func areValue(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }
    /// Whether the bytes can be a host and its port.
    static func areHost(_ bytes: some Collection<UInt8>) -> Bool {
        let host = host
        return !bytes.isEmpty && bytes.allSatisfy { host[Int($0)] }
    }

    private static func table(_ isAllowed: (UInt8) -> Bool) -> [Bool] { (0...255).map { isAllowed(UInt8($0)) } }
}

extension UInt8 {
    fileprivate var isASCIIAlphanumeric: Bool {
        (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
    }
}

/// The bytes of a text that ends with a zero.
typealias Bytes = UnsafeRawBufferPointer

extension UnsafeRawBufferPointer {
    init(_ text: UnsafePointer<CChar>, count: Int) { self.init(start: UnsafeRawPointer(text), count: count) }

    /// Whether the bytes are this word of small letters and hyphens, in any case.
    func isWord(_ word: StaticString) -> Bool {
        guard count == word.utf8CodeUnitCount else { return false }
        let letters = UnsafeRawBufferPointer(start: word.utf8Start, count: count)
        return zip(self, letters).allSatisfy { $0 == $1 || ((0x41...0x5A).contains($0) && $0 | 0x20 == $1) }
    }
}
