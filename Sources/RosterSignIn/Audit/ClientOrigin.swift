/// Where a request comes from: the client's address, and the browser or app that sent it.
package struct ClientOrigin: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The address of the client without its port. Behind a trusted proxy, the forwarded address.
    package let address: String
    /// The `User-Agent` of the browser or the app; nil if it is not known.
    package let browser: String?

    package init(_ address: String, browser: String? = nil) { (self.address, self.browser) = (address, browser) }

    package init(stringLiteral address: String) { self.init(address) }
}
