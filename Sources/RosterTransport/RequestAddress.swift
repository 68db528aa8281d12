import RosterText

/// The URL of a request, after the checks.
struct RequestAddress: Sendable {
    /// The URL without its fragment, for the engine.
    let url: String
    /// The name or address of the host, for errors.
    let host: String
    /// The scheme, the host and the port, such as `https://id.example.com:443`.
    let origin: String
}

extension TransportRequest {
    /// The address of the request, if the request can be sent.
    func checked() throws -> RequestAddress {
        try checkMethodAndFields()
        guard url.utf8.count <= 65_536, url.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") })
        else { throw TransportError.badURL("The URL is too long, or has characters that a URL cannot have.") }
        // libcurl corrects texts with fewer or more slashes.
        guard url.contains(#/^[A-Za-z][A-Za-z0-9+.\-]*:\/\/[^\/]/#), let parts = URLParts(url) else {
            throw TransportError.badURL("The text is not an absolute URL.")
        }
        guard parts.scheme == "https" || parts.scheme == "http" else {
            throw TransportError.badURL("The URL is not an https URL.")
        }
        guard !parts.hasUser else { throw TransportError.badURL("The URL has a user name or a password.") }
        guard parts.scheme == "https" || allowsPlainHTTP || parts.isLoopback else {
            throw TransportError(
                .badURL, "The http URL of '\(parts.host)' would send the request readable for everybody on the way.",
                "Use https, or allow plain http for this request.")
        }
        return RequestAddress(url: parts.url, host: parts.host, origin: parts.origin)
    }
}

extension TransportRequest {
    /// The scheme, the host and the port to which the request goes, such as `https://id.example.com:443`, as the library which
    /// connects understands the URL.
    ///
    /// - Throws: ``TransportError`` for a request that cannot be sent.
    package func origin() throws -> String { try checked().origin }
}

/// The parts of a URL that the checks need. The library that connects parses the URL, so that both agree on the host.
struct URLParts {
    let url: String
    let scheme: String
    /// In lower case; an IPv6 address without brackets.
    let host: String
    let port: Int
    let hasUser: Bool

    var origin: String { "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)" }

    /// Whether the host is this machine. Both engines resolve `localhost` to the loopback addresses.
    var isLoopback: Bool { Loopback.contains(host) }
}
