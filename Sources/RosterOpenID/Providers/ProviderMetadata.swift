import Foundation
package import RosterText

/// A provider's discovery document (OpenID Connect Discovery, section 3; RFC 8414, section 2). An endpoint that is missing, or has no
/// sound URL, is nil.
package struct ProviderMetadata: Sendable, Hashable {
    package let issuer: String
    package let authorizationEndpoint: String?
    package let tokenEndpoint: String?
    package let keySetURL: String?
    package let userInfoEndpoint: String?
    package let introspectionEndpoint: String?
    package let revocationEndpoint: String?
    package let endSessionEndpoint: String?
    package let deviceAuthorizationEndpoint: String?
    /// Whether the provider names itself in each answer (RFC 9207).
    package let namesItself: Bool
    /// Whether the provider accepts the client's secret in the `Authorization` field.
    package let takesBasic: Bool

    /// Reads a discovery document; nil for the document of another issuer.
    ///
    /// - Parameters:
    ///   - document: The document, which must be from the address of ``discoveryURL(of:)`` or from a configured address.
    ///   - issuer: The issuer that the document must name, byte for byte. Endpoints at the host of an issuer on this machine may have
    ///     `http` URLs. All others need TLS, because another host, also one called `localhost`, may be another program.
    package init?(_ document: JSONValue, issuer: String) {
        guard document["issuer"]?.text?.hasSameBytes(as: issuer) == true else { return nil }
        func host(_ url: String) -> String? { URL(string: url)?.host()?.lowercased() }
        let localHost = Loopback.contains(hostOf: issuer) ? host(issuer) : nil
        func endpoint(_ name: String) -> String? {
            document[name]?.text.flatMap { text in
                Self.isEndpoint(text, allowsHTTP: localHost != nil && host(text) == localHost) ? text : nil
            }
        }
        self.issuer = issuer
        authorizationEndpoint = endpoint("authorization_endpoint")
        tokenEndpoint = endpoint("token_endpoint")
        keySetURL = endpoint("jwks_uri")
        userInfoEndpoint = endpoint("userinfo_endpoint")
        introspectionEndpoint = endpoint("introspection_endpoint")
        revocationEndpoint = endpoint("revocation_endpoint")
        endSessionEndpoint = endpoint("end_session_endpoint")
        deviceAuthorizationEndpoint = endpoint("device_authorization_endpoint")
        namesItself = document["authorization_response_iss_parameter_supported"] == true
        takesBasic =
            document["token_endpoint_auth_methods_supported"]?.texts.contains("client_secret_basic") ?? true
    }

    /// The address of an issuer's discovery document (OpenID Connect Discovery, section 4).
    package static func discoveryURL(of issuer: String) -> String {
        (issuer.hasSuffix("/") ? issuer : issuer + "/") + ".well-known/openid-configuration"
    }

    /// Whether a text is a URL that a browser can be sent to, or that requests can be sent to. A URL with a user name is not, since
    /// people take the name for the host.
    package static func isEndpoint(_ text: String, allowsHTTP: Bool) -> Bool {
        // The address is sent in a header field, in quotes.
        guard
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
            ),
            let url = URL(string: text), let scheme = url.scheme, let host = url.host(), !host.isEmpty,
            url.fragment == nil, url.user() == nil
        else { return false }
        return scheme == "https" || scheme == "http" && allowsHTTP
    }

    /// A client's proof for the provider's endpoints (RFC 6749, section 2.3.1): the `Authorization` field, or parameters of the form.
    ///
    /// - Parameter secret: The client's secret; nil for a public client, which only names itself.
    package func proof(
        clientID: String, secret: String?
    ) -> (authorization: String?, form: [(name: String, value: String)]) {
        guard let secret else { return (nil, [("client_id", clientID)]) }
        guard takesBasic else { return (nil, [("client_id", clientID), ("client_secret", secret)]) }
        let text = "\(PercentEncoding.text(clientID)):\(PercentEncoding.text(secret))"
        return ("Basic " + Base64.text(text.utf8), [])
    }
}
