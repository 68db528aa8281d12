package import Foundation
import Roster
package import RosterText

/// The content of an external token whose signature and times were verified, without the token's own text.
package struct VerifiedToken: Sendable, Hashable {
    package enum Format: String, Sendable, CaseIterable {
        /// A JSON Web Token (RFC 7519).
        case jwt = "JWT"
        case saml = "SAML"
    }

    package let format: Format
    /// The issuer; nil for a token that does not name one by a text.
    package let issuer: String?
    /// The claims or attributes to which rules are applied, as an object.
    package let claims: JSONValue
    /// `sub`, or the `NameID` of the assertion's subject.
    let subject: JSONValue?
    /// `aud`, or the audiences of the assertion.
    let audience: JSONValue?
    /// `exp`, or the end of the assertion, in seconds since 1970.
    let expiry: JSONValue?

    /// Reads the claims of a JWT, an object. Any other value has no issuer, and every issuer's rules refuse it.
    package init(jwt claims: JSONValue) {
        (format, self.claims) = (.jwt, claims)
        issuer = claims.claim("iss")?.text
        subject = claims.claim("sub")
        audience = claims.claim("aud")
        expiry = claims.claim("exp")
    }

    /// Reads an assertion. An attribute of any name is only an attribute, even if it has the name of a claim.
    ///
    /// - Parameters:
    ///   - samlIssuer: The text of `Issuer`.
    ///   - subject: The text of the subject's `NameID`; nil for a subject without one.
    ///   - audiences: The texts of `Audience`, one of which must be ours.
    ///   - expires: The end of the assertion or of its session; nil for one without an end.
    ///   - attributes: The attributes with all their values. A single value is a text; several are an array.
    package init(
        samlIssuer: String, subject: String?, audiences: [String], expires: Date?, attributes: [String: [String]]
    ) {
        (format, issuer) = (.saml, samlIssuer)
        self.subject = subject.map { .string($0) }
        audience = audiences.isEmpty ? nil : .texts(audiences)
        expiry = expires.map { .decimal($0.timeIntervalSince1970) }
        claims = .object(
            attributes.sorted { $0.key < $1.key }.map { name, values in
                let values = values.map { JSONValue.string($0) }
                return JSONValue.Member(name, values.count == 1 ? values[0] : .array(values))
            })
    }
}
