package import Foundation
import RosterCrypto
package import RosterText

/// A proof that the sender of a request has a private key (DPoP, RFC 9449). Its signature, times and request were checked. Whether the
/// proof was used before is for the receiver to know.
package struct PossessionProof: Sendable, Hashable {
    /// A proof as it was sent, with the request that it was sent with.
    package struct Sent: Sendable, Hashable {
        package let text: String
        package let method: String
        /// The address of the request without its query.
        package let url: String

        package init(_ text: String, method: String, url: String) {
            (self.text, self.method, self.url) = (text, method, url)
        }
    }

    /// The thumbprint of the key (RFC 7638), which tokens name as `cnf.jkt`.
    package let thumbprint: String
    /// A text of the key and the proof's `jti`, which counts once.
    package let id: String
    package let issued: Date
    /// The time from which the proof is refused for its age.
    package var ends: Date { issued.addingTimeInterval(Self.longestAge) }

    /// The seconds for which a proof counts, and those by which the sender's clock may be ahead.
    package static let longestAge: TimeInterval = 120
    private static let lead: TimeInterval = 30
    private static let longest = 8_192

    /// The algorithms of proofs.
    package static let algorithms: [SignatureAlgorithm] = [
        .es256, .es384, .es512, .ps256, .ps384, .ps512, .edDSA, .rs256,
    ]

    /// The reason why a text proves nothing.
    package struct Problem: Error, Sendable, Hashable {
        package let reason: String
    }

    /// Checks a proof.
    ///
    /// - Parameter accessToken: The token that is sent with the proof; nil at the token endpoint.
    /// - Throws: ``Problem``.
    package init(_ sent: Sent, accessToken: String?, now: Date) throws(Problem) {
        guard sent.text.utf8.count <= Self.longest, let token = try? JSONWebToken(sent.text) else {
            throw Problem(reason: "The DPoP proof is not a signed JWT.")
        }
        guard token.type == "dpop+jwt" else { throw Problem(reason: "The 'typ' of the DPoP proof is not dpop+jwt.") }
        guard Self.algorithms.contains(token.algorithm) else {
            throw Problem(reason: "The algorithm of the DPoP proof is not accepted.")
        }
        guard let key = token.key, key["d"] == nil, key["p"] == nil, key["k"] == nil,
            let thumbprint = try? Self.thumbprint(of: key), let known = VerificationKey(key)
        else { throw Problem(reason: "The DPoP proof has no public key ('jwk').") }
        guard (try? token.isSigned(by: VerificationKeySet([known]), allowing: Set(Self.algorithms))) == true else {
            throw Problem(reason: "The key of the DPoP proof did not make its signature.")
        }
        let claims = token.claims
        guard let id = claims["jti"]?.text, (1...512).contains(id.utf8.count) else {
            throw Problem(reason: "The DPoP proof has no 'jti'.")
        }
        guard claims["htm"]?.text?.hasSameBytes(as: sent.method) == true, let address = claims["htu"]?.text,
            let target = Self.normal(address), target == Self.normal(sent.url)
        else { throw Problem(reason: "The DPoP proof is for another request ('htm', 'htu').") }
        guard let seconds = claims["iat"].flatMap(TokenTimes.seconds), seconds.isFinite,
            (-Self.lead..<Self.longestAge).contains(now.timeIntervalSince1970 - seconds)
        else { throw Problem(reason: "The DPoP proof is too old, or from the future ('iat').") }
        if let accessToken {
            guard let digest = try? SHA256.digest(Array(accessToken.utf8)),
                claims["ath"]?.text?.hasSameBytes(as: Base64URL.text(digest)) == true
            else { throw Problem(reason: "The DPoP proof is for another access token ('ath').") }
        }
        guard let digest = try? SHA256.hex(thumbprint + "\n" + id) else {
            throw Problem(reason: "The DPoP proof cannot be read.")
        }
        (self.thumbprint, self.id, issued) = (thumbprint, digest, Date(timeIntervalSince1970: seconds))
    }

    /// The thumbprint of a public key (RFC 7638).
    package static func thumbprint(of key: JSONValue) throws -> String {
        let names: [String: [String]] = [
            "EC": ["crv", "kty", "x", "y"], "RSA": ["e", "kty", "n"], "OKP": ["crv", "kty", "x"],
        ]
        let members = try (key["kty"]?.text.flatMap { names[$0] } ?? []).map { name in
            guard let text = key[name]?.text else { throw Problem(reason: "The key lacks '\(name)'.") }
            return JSONValue.Member(name, .string(text))
        }
        guard !members.isEmpty else { throw Problem(reason: "The kind of the key is not known.") }
        return Base64URL.text(try SHA256.digest(JSONValue.object(members).bytes))
    }

    /// An address without query, fragment and the usual port, with the scheme and the host in small letters; nil for a text that is no
    /// absolute address.
    private static func normal(_ address: String) -> String? {
        guard address.utf8.count <= 4_096, let parts = URLComponents(string: address),
            let scheme = parts.scheme?.lowercased(), let host = parts.host?.lowercased(), !host.isEmpty,
            parts.user == nil, parts.password == nil
        else { return nil }
        let usual = ["https": 443, "http": 80][scheme]
        let port = parts.port.flatMap { $0 == usual ? nil : ":\($0)" } ?? ""
        return "\(scheme)://\(host)\(port)\(parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath)"
    }
}
