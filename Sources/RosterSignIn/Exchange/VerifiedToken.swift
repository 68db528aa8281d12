package import Foundation
import Roster
package import RosterText

/// What an external token says, once its signature and times were verified. Nothing of the token's own text is kept.
package struct VerifiedToken: Sendable, Hashable {
    /// What kind of token it was.
    package enum Format: String, Sendable, CaseIterable {
        /// A JSON Web Token (RFC 7519).
        case jwt = "JWT"
        /// A SAML 2.0 assertion.
        case saml = "SAML"
    }

    /// What kind of token it was.
    package let format: Format
    /// Who issued it; nil where it does not say so in a text.
    package let issuer: String?
    /// The claims or attributes that rules look at: an object.
    package let claims: JSONValue
    /// `sub`, or the `NameID` of the assertion's subject.
    let subject: JSONValue?
    /// `aud`, or the audiences of the assertion.
    let audience: JSONValue?
    /// `exp`, or when the assertion ends, in seconds since 1970.
    let expiry: JSONValue?

    /// Takes the claims of a JWT: an object. Anything else has no issuer, and is refused by every issuer's rules.
    package init(jwt claims: JSONValue) {
        (format, self.claims) = (.jwt, claims)
        issuer = claims.claim("iss")?.text
        subject = claims.claim("sub")
        audience = claims.claim("aud")
        expiry = claims.claim("exp")
    }

    /// Takes what an assertion says, in which an attribute can have the name of anything and still is none but that
    /// attribute.
    ///
    /// - Parameters:
    ///   - samlIssuer: The text of `Issuer`.
    ///   - subject: The text of the subject's `NameID`; nil where it has none.
    ///   - audiences: The texts of `Audience`, one of which must be ours.
    ///   - expires: When the assertion, or the session that it speaks of, ends; nil where it does not.
    ///   - attributes: The attributes with all their values. One with a single value is a text, any other an array.
    package init(
        samlIssuer: String, subject: String?, audiences: [String], expires: Date?, attributes: [String: [String]]
    ) {
        (format, issuer) = (.saml, samlIssuer)
        self.subject = subject.map { .string($0) }
        audience = audiences.isEmpty ? nil : .array(audiences.map { .string($0) })
        expiry = expires.map { .decimal($0.timeIntervalSince1970) }
        claims = .object(
            attributes.sorted { $0.key < $1.key }.map { name, values in
                let values = values.map { JSONValue.string($0) }
                return JSONValue.Member(name, values.count == 1 ? values[0] : .array(values))
            })
    }
}

extension JSONValue {
    /// The value of a claim by its name, code for code; nil where it is missing.
    func claim(_ name: String) -> JSONValue? { members.first { $0.name.hasSameBytes(as: name) }?.value }
}
