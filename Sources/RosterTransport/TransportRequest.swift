public import Foundation

/// A request to a server.
///
/// The description of a request leaves out what can be secret: the query, the values of header fields and the body.
public struct TransportRequest: Sendable {
    /// A version of TLS.
    public enum TLSVersion: Sendable, Hashable {
        /// TLS 1.2 (RFC 5246).
        case version12
        /// TLS 1.3 (RFC 8446).
        case version13
    }

    /// The method, in capital letters.
    public var method: String
    /// The absolute `https` URL, or an `http` URL of this machine.
    public var url: String
    /// The header fields. The transport adds `Host`, `Content-Length`, `Accept-Encoding` and `User-Agent`.
    public var headers: TransportHeaders
    /// The body; nil for none.
    public var body: [UInt8]?
    /// The file whose content is the body, in place of ``body``; nil for none. It is read while it is sent, and never whole in memory. It
    /// must not change meanwhile.
    public var bodyFile: URL?
    /// The longest time from the call to the last byte of the answer; zero for no limit. For a stream, the longest time to the end of the
    /// answer's head.
    public var deadline: Duration = .seconds(60)
    /// The longest time until a connection stands, with the look-up of the name and the TLS handshake.
    public var connectTimeout: Duration = .seconds(10)
    /// The longest time in which a stream may bring nothing; nil or zero for no limit. It does not apply to whole answers.
    public var silenceTimeout: Duration?
    /// The largest body of a whole answer, after decompression. A stream has no limit.
    public var maximumBodyBytes = 16 << 20
    /// Whether `http` is allowed to other machines, which lets everybody on the way read and change the messages.
    public var allowsPlainHTTP = false
    /// The oldest version of TLS that is accepted.
    public var minimumTLS: TLSVersion = .version12
    /// Decides from the bytes of an IPv4 or IPv6 address whether a connection to that address may be opened. A request with such a
    /// rule uses a connection of its own, so that no other rule decided on it.
    package var allowsAddress: (@Sendable (_ address: [UInt8]) -> Bool)?

    /// A request.
    public init(_ method: String, _ url: String, headers: TransportHeaders = [:], body: [UInt8]? = nil) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// ``deadline``; nil for no limit.
    var limit: Duration? { deadline == .zero ? nil : deadline }
    /// ``silenceTimeout``; nil for no limit.
    var silenceLimit: Duration? { silenceTimeout == .zero ? nil : silenceTimeout }

    /// Whether the server changes nothing for the request (RFC 9110, section 9.2.1), so that sending the request twice is harmless.
    var isSafe: Bool { ["GET", "HEAD", "OPTIONS"].contains(method) }

    /// Field names that are the transport's own.
    private static let reservedFields: Set<String> = [
        "host", "content-length", "transfer-encoding", "connection", "accept-encoding", "expect", "upgrade", "te",
        "trailer", "keep-alive", "proxy-connection", "proxy-authorization",
    ]

    /// Throws if the method or a field cannot be sent as it is.
    func checkMethodAndFields() throws {
        guard (1...32).contains(method.utf8.count),
            method.utf8.allSatisfy({ (0x41...0x5A).contains($0) || $0 == 0x2D }),
            method != "CONNECT"
        else { throw TransportError.badRequest("The method is not a word in capital letters.") }
        for field in headers.fields {
            guard TransportHeaders.isName(field.name) else {
                throw TransportError.badRequest("The name of a header field has characters that are not allowed.")
            }
            guard !Self.reservedFields.contains(field.name.lowercased()) else {
                throw TransportError.badRequest("The transport sets the header field '\(field.name)' itself.")
            }
            guard field.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                throw TransportError.badRequest(
                    "The header field '\(field.name)' has a line break or control character.")
            }
        }
    }
}

extension TransportRequest: CustomStringConvertible, CustomReflectable {
    /// The method, and the URL without its query.
    public var description: String {
        let end = url.firstIndex { $0 == "?" || $0 == "#" } ?? url.endIndex
        // A URL with a user name can hold a password.
        return url.contains("@") ? method : "\(method) \(url[..<end])"
    }

    /// A mirror without children, so that `dump` shows no secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Header fields (RFC 9110, section 5). The case of names does not count, and a name may occur several times.
///
/// The description has the names only, because values can be secret.
public struct TransportHeaders: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// The fields in order.
    public private(set) var fields: [(name: String, value: String)] = []

    /// Fields in this order.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { add(name, value) }
    }

    /// Adds a field after the others.
    public mutating func add(_ name: String, _ value: String) { fields.append((name, value)) }

    /// The value of the first field of that name. Setting replaces all fields of the name; nil removes them.
    public subscript(name: String) -> String? {
        get { fields.first { Self.isSame($0.name, name) }?.value }
        set {
            fields.removeAll { Self.isSame($0.name, name) }
            if let newValue { add(name, newValue) }
        }
    }

    /// The values of all fields of that name.
    public func values(of name: String) -> [String] {
        fields.filter { Self.isSame($0.name, name) }.map(\.value)
    }

    private static func isSame(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count && left.lowercased() == right.lowercased()
    }

    static func isName(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    /// Whether both have the same fields in the same order.
    public static func == (left: Self, right: Self) -> Bool {
        left.fields.elementsEqual(right.fields) { $0 == $1 }
    }

    /// Hashes the fields in order.
    public func hash(into hasher: inout Hasher) {
        for (name, value) in fields {
            hasher.combine(name)
            hasher.combine(value)
        }
    }
}

extension TransportHeaders: CustomStringConvertible, CustomReflectable {
    /// The names of the fields.
    public var description: String { fields.map(\.name).joined(separator: ", ") }

    /// A mirror without children, so that `dump` shows no secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
