/// Cookies (RFC 6265).
package enum Cookies {
    /// The value of a cookie; nil if there is none, or if several have the name, because an attacker may have set one
    /// of them.
    package static func value(_ name: String, in request: HTTPRequest) -> String? {
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
    package static func field(_ name: String, _ value: String, path: String, isSecure: Bool, maximumAge: Int? = nil)
        -> String
    {
        var field = "\(name)=\(value); Path=\(path); HttpOnly; SameSite=Lax"
        if isSecure { field += "; Secure" }
        if let maximumAge { field += "; Max-Age=\(maximumAge)" }
        return field
    }
}
