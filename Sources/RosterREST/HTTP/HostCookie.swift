/// Reads and writes a cookie that no other host can set.
///
/// Over TLS the cookie's name begins with `__Host-`, and its path is `/`. A browser accepts such a cookie from this host alone, so that
/// a neighbouring subdomain cannot plant one. A cookie without the prefix is not read over TLS.
package struct HostCookie: Sendable {
    private let name: String
    private let path: String
    private let isSecure: Bool

    /// - Parameter path: The path of the cookie where the service is not reached by https.
    package init(_ name: String, path: String, isSecure: Bool) {
        self.name = isSecure ? "__Host-" + name : name
        self.path = isSecure ? "/" : path
        self.isSecure = isSecure
    }

    /// The value in a request; nil for none or several.
    package func value(in request: HTTPRequest) -> String? { Cookies.value(name, in: request) }

    /// The `Set-Cookie` field.
    ///
    /// - Parameter maximumAge: The lifetime in seconds; 0 to remove the cookie, nil for one that ends with the browser.
    package func field(_ value: String, maximumAge: Int? = nil) -> String {
        Cookies.field(name, value, path: path, isSecure: isSecure, maximumAge: maximumAge)
    }
}
