public import Foundation
public import RosterText

/// What a server says about a user: the claims of an id token, or the answer of the userinfo endpoint (OpenID Connect Core, section 5.1).
///
/// The description has the names of the claims only.
public struct TokenClaims: Sendable, Hashable {
    private let json: JSONValue

    init(_ json: JSONValue) { self.json = json }

    /// The text of a claim; nil if the claim is missing or is not text.
    public subscript(name: String) -> String? { json.claim(name)?.text }
    /// The texts of a claim that is a list, or the one text; empty for any other claim.
    public func texts(_ name: String) -> [String] { json.claim(name)?.texts ?? [] }
    /// The names of the claims, in the order of the server.
    public var names: [String] { json.members.map(\.name) }

    /// The user's identifier at the server (`sub`).
    public var subject: String? { self["sub"] }
    /// The user's full name (`name`).
    public var name: String? { self["name"] }
    /// The name with which the user signs in (`preferred_username`).
    public var userName: String? { self["preferred_username"] }
    /// The user's e-mail address (`email`).
    public var email: String? { self["email"] }
    /// Whether the server has verified the e-mail address (`email_verified`).
    public var isEmailVerified: Bool { json.claim("email_verified") == .boolean(true) }
    /// The address of the user's picture (`picture`).
    public var picture: URL? { self["picture"].flatMap { URL(string: $0) } }
    /// The groups that the user is in (`groups`), which a server may give with the scope `groups`.
    public var groups: [String] { texts("groups") }
    /// When the user proved who they are (`auth_time`).
    public var authenticated: Date? {
        json.claim("auth_time")?.seconds.map { Date(timeIntervalSince1970: $0) }
    }

    /// The claims as a type of the app's own, whose keys are the names of claims. A `Date` is decoded from seconds since 1970.
    ///
    /// - Throws: ``ClientError`` `badAnswer` if a claim is missing or has another type.
    public func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        do {
            return try decoder.decode(type, from: Data(json.bytes))
        } catch {
            // The decoder's error shows parts of the claims.
            throw ClientError.badAnswer("The server's claims are not those of a '\(type)'.")
        }
    }
}

extension TokenClaims: CustomStringConvertible, Redacted {
    /// The names of the claims.
    public var description: String { "claims: " + names.joined(separator: ", ") }
}
