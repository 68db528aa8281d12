package import RosterSignIn

/// A request as a server hands it to ``RESTService``: a value, without a socket.
public struct HTTPRequest: Sendable {
    /// The method as it was sent, such as `GET`.
    public var method: String
    /// The target in origin form as it is on the request line: still percent-encoded, with the query.
    public var target: String
    /// The header fields in the order in which they came.
    public var headers: HTTPHeaders
    /// The body, complete.
    public var body: [UInt8]
    /// The address of the client without its port, for throttling and the log.
    public var clientAddress: String
    /// Whether the connection is confidential: it uses TLS, or stays on this machine.
    public var isConfidential: Bool
    /// The caller, if ``RESTService/largeBody(of:)`` has signed the caller in before the body came. A session that is used up by one
    /// sign-in could not sign in twice.
    package var caller: Identity?

    /// Makes a request.
    public init(
        _ method: String, _ target: String, headers: HTTPHeaders = [:], body: [UInt8] = [],
        clientAddress: String = "local", isConfidential: Bool = true
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
        self.clientAddress = clientAddress
        self.isConfidential = isConfidential
    }
}

/// Header fields (RFC 9110, section 5). The case of names does not count, and a name may occur several times.
public struct HTTPHeaders: Sendable, ExpressibleByDictionaryLiteral {
    /// A header field.
    public struct Field: Sendable, Hashable {
        /// The name as it was written.
        public let name: String
        /// The value without white space around it.
        public let value: String
    }

    /// The fields in order.
    public private(set) var fields: [Field] = []

    /// Fields in this order.
    public init(dictionaryLiteral elements: (String, String)...) {
        // Every response gets some more.
        fields.reserveCapacity(elements.count + 6)
        for (name, value) in elements { add(name, value) }
    }

    /// Adds a field after the others.
    public mutating func add(_ name: String, _ value: String) { fields.append(Field(name: name, value: value)) }

    /// The value of the first field of that name; nil if there is none.
    public subscript(name: String) -> String? { fields.first { Self.isSame($0.name, name) }?.value }

    /// The values of all fields of that name.
    public func values(of name: String) -> [String] {
        fields.filter { Self.isSame($0.name, name) }.map(\.value)
    }

    package static func isSame(_ left: String, _ right: String) -> Bool {
        guard left.utf8.count == right.utf8.count else { return false }
        // The usual case.
        if left == right { return true }
        return zip(left.utf8, right.utf8).allSatisfy {
            $0 == $1 || ($0 ^ $1 == 0x20 && (0x61...0x7A).contains($0 | 0x20))
        }
    }
}
