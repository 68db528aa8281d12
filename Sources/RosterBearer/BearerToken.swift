public import Foundation
import RosterOpenID
import RosterText

/// The claims of a valid access token about its user or client. The token itself is not kept.
public struct BearerToken: Sendable, Hashable {
    /// The identifier of the user or client at the issuer (`sub`). A token without `sub` is refused.
    public let subject: String
    /// The name of the user; nil if the issuer does not tell a name.
    public let name: String?
    /// The client that the token was issued to (`client_id` or `azp`); nil if the issuer does not tell the client.
    public let clientID: String?
    /// The scopes.
    public let scopes: Set<String>
    /// The values of all ``BearerSettings/roleClaims``.
    public let roles: Set<String>
    /// The audiences (`aud`); empty if the issuer does not tell them.
    public let audiences: [String]
    /// The end of the token; nil if the issuer does not tell the end.
    public let expires: Date?

    private let all: JSONValue
    private let challenge: ChallengeForm

    /// Reads the claims of a token that was checked; nil if they have no `sub`.
    init?(_ claims: JSONValue, _ settings: BearerSettings, _ challenge: ChallengeForm) {
        // Names and client ids are other name spaces, in which somebody else may have the same text.
        guard let subject = claims["sub"]?.text, !subject.isEmpty else { return nil }
        self.subject = subject
        name = claims[settings.nameClaim]?.text ?? claims["username"]?.text
        clientID = claims["client_id"]?.text ?? claims["azp"]?.text
        scopes = Set(Self.texts(claims["scope"]).flatMap { $0.split(separator: " ").map(String.init) })
        roles = Set(settings.roleClaims.flatMap { Self.texts(claims[$0]) })
        audiences = Self.texts(claims["aud"])
        expires = Self.end(of: claims)
        (all, self.challenge) = (claims, challenge)
    }

    /// The end in claims; nil for none, and for a number that is not a time.
    static func end(of claims: JSONValue) -> Date? {
        claims["exp"].flatMap(TokenTimes.seconds).flatMap { seconds in
            0...253_402_300_799 ~= seconds ? Date(timeIntervalSince1970: seconds) : nil
        }
    }

    /// All claims as a JSON object.
    public var claims: Data { Data(all.bytes) }

    /// The values of a claim as texts: those of an array, or of the claim itself. Numbers and truth values are written as in JSON.
    ///
    /// - Parameter claim: The name of the claim.
    /// - Returns: The values; empty if the token does not have the claim.
    public func values(of claim: String) -> [String] { Self.texts(all[claim]) }

    /// Refuses a request that the token does not suffice for (`AuthorizeAttribute` of ASP.NET, as Cloud Access Manager's package uses
    /// it).
    ///
    /// - Parameters:
    ///   - scopes: Scopes that the token must have, all of them.
    ///   - roles: Roles of which the user must have one.
    ///   - claims: Claims that the token must have, each with this value or with this value among others.
    /// - Throws: ``BearerRefusal`` `insufficientScope`.
    public func authorize(
        scopes: Set<String> = [], roles: Set<String> = [], claims: [String: String] = [:]
    ) throws(BearerRefusal) {
        guard scopes.isSubset(of: self.scopes) else {
            let missing = scopes.subtracting(self.scopes).sorted()
            throw BearerRefusal(
                .insufficientScope, "The token lacks \(ShownText.list(missing)) of the scopes.", challenge,
                scopes: scopes.filter(ScopeSyntax.isValid).sorted())
        }
        guard roles.isEmpty || !roles.isDisjoint(with: self.roles) else {
            throw BearerRefusal(
                .insufficientScope, "The user has none of the roles \(ShownText.list(roles.sorted())).", challenge)
        }
        for (claim, value) in claims.sorted(by: { $0.key < $1.key })
        where !values(of: claim).contains(where: { $0.hasSameBytes(as: value) }) {
            throw BearerRefusal(
                .insufficientScope, "The claim \(ShownText.quoted(claim)) has not the value that is needed.",
                challenge)
        }
    }

    private static func texts(_ value: JSONValue?) -> [String] {
        switch value {
        case nil, .null?, .object?: []
        case .string(let text)?: [text]
        case .array(let elements)?: elements.flatMap { texts($0) }
        case let value?: [value.written]
        }
    }
}

extension BearerToken: CustomStringConvertible, CustomReflectable {
    /// The subject.
    public var description: String { subject }
    /// A mirror without children, so that `dump` shows no personal data.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
