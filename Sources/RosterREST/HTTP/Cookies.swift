/// Cookies (RFC 6265).
enum Cookies {
    /// The value of a cookie; nil if there is none, or if several have the name, because an attacker may have set one
    /// of them.
    static func value(_ name: String, in request: HTTPRequest) -> String? {
        let values = request.headers.values(of: "Cookie").flatMap { field in
            field.split(separator: ";").compactMap { pair -> String? in
                let text = pair.drop { $0 == " " }
                guard text.hasPrefix(name + "=") else { return nil }
                return String(text.dropFirst(name.utf8.count + 1))
            }
        }
        return values.count == 1 ? values.first : nil
    }

    /// A `Set-Cookie` field. Scripts cannot read the cookie. Of the requests that other sites cause, only links send
    /// it.
    ///
    /// - Parameter maximumAge: The lifetime in seconds; 0 to remove the cookie, nil for one that ends with the browser.
    static func field(_ name: String, _ value: String, path: String, isSecure: Bool, maximumAge: Int? = nil) -> String {
        var field = "\(name)=\(value); Path=\(path); HttpOnly; SameSite=Lax"
        if isSecure { field += "; Secure" }
        if let maximumAge { field += "; Max-Age=\(maximumAge)" }
        return field
    }
}

/// A cookie that only this service reads.
///
/// Over TLS its name begins with `__Host-`. A browser accepts such a cookie from this host alone, so that a neighbouring subdomain
/// cannot plant one. Its path is `/`. Over TLS the name without the prefix is not read.
struct HostCookie: Sendable {
    private let name: String
    private let path: String
    private let isSecure: Bool

    /// - Parameter path: The path of the cookie where the service is not reached by https.
    init(_ name: String, path: String, isSecure: Bool) {
        self.name = isSecure ? "__Host-" + name : name
        self.path = isSecure ? "/" : path
        self.isSecure = isSecure
    }

    /// The value in a request; nil for none or several.
    func value(in request: HTTPRequest) -> String? { Cookies.value(name, in: request) }

    /// The `Set-Cookie` field.
    ///
    /// - Parameter maximumAge: The lifetime in seconds; 0 to remove the cookie, nil for one that ends with the browser.
    func field(_ value: String, maximumAge: Int? = nil) -> String {
        Cookies.field(name, value, path: path, isSecure: isSecure, maximumAge: maximumAge)
    }
}
