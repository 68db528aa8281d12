import RosterCrypto
import RosterText

/// The request that begins the code flow (RFC 6749, section 4.1.1; OpenID Connect Core, section 3.1.2.1).
package enum CodeFlow {
    /// The challenge of a verifier by the method S256 (RFC 7636, section 4.2).
    package static func challenge(of verifier: String) throws -> String {
        Base64URL.text(try SHA256.digest(Array(verifier.utf8)))
    }

    /// An endpoint's URL with further parameters in its query.
    package static func url(_ endpoint: String, _ parameters: [(name: String, value: String)]) -> String {
        endpoint + (endpoint.contains("?") ? "&" : "?") + FormEncoding.text(parameters)
    }
}
