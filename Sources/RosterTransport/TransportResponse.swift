/// The answer to a request, whatever its status is. Redirects are answers too: the transport follows none, because the next host
/// must not get the credentials of the first host.
///
/// The description leaves out the values of header fields and the body.
public struct TransportResponse: Sendable {
    /// The status code: 200 to 599.
    public let status: Int
    /// The header fields, without those of interim answers and trailers.
    public let headers: TransportHeaders
    /// The decompressed body.
    public let body: [UInt8]

    package init(status: Int, headers: TransportHeaders, body: [UInt8]) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }
}

extension TransportResponse: CustomStringConvertible, CustomReflectable {
    /// The status and the size of the body.
    public var description: String { "\(status), \(body.count) bytes" }

    /// A mirror without children, so that `dump` shows no secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
