import RosterText

/// A scope: what a token allows (RFC 6749, section 3.3).
///
/// The standard scopes are constants. An app may declare its own: `extension Scope { static let orders = Scope("orders") }`.
public struct Scope: RawRepresentable, Sendable, Hashable, Codable, ExpressibleByStringLiteral, CustomStringConvertible
{
    /// The name of the scope, as it is sent.
    public let rawValue: String

    /// Makes a scope from its name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Makes a scope from its name.
    public init(_ name: String) { rawValue = name }
    /// Makes a scope from a literal.
    public init(stringLiteral value: String) { rawValue = value }

    /// The name of the scope.
    public var description: String { rawValue }

    /// `openid`: the backend gets an ID token, which says who signed in (OpenID Connect Core).
    public static let openID = Scope("openid")
    /// `profile`: the user's names and language.
    public static let profile = Scope("profile")
    /// `email`: the user's primary mail address.
    public static let email = Scope("email")
    /// `phone`: the user's phone number.
    public static let phone = Scope("phone")
    /// `address`: the user's postal address.
    public static let address = Scope("address")
    /// `roles`: the names of the user's roles.
    public static let roles = Scope("roles")
    /// `groups`: the user's roles in the claim `groups`, in the form that the backend's setting says.
    public static let groups = Scope("groups")
    /// `offline_access`: the backend gets a refresh token, with which it renews the access token without the user.
    public static let offlineAccess = Scope("offline_access")
    /// `directory`: the token may be used at the directory's own interfaces, with the user's rights.
    public static let directory = Scope("directory")
    /// `directory:manage`: the token may change who can sign in. Only a trusted backend may have this scope, for a person who
    /// signed in within the last five minutes, and only if the backend asks for the scope by name.
    public static let directoryManage = Scope("directory:manage")

    /// Whether the name has only characters that a scope can have (RFC 6749, section 3.3), and at most 256 of them.
    var isValid: Bool {
        !rawValue.isEmpty && rawValue.utf8.count <= 256
            && rawValue.utf8.allSatisfy { $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0) }
    }

    /// Whether this is the scope that the mobile cloud's clients send: the address of the service with this ending.
    package var isConsumer: Bool { rawValue.hasSuffix("urn:opc:resource:consumer::all") }
}

extension Sequence<Scope> {
    /// The scopes as they are sent: their names with a space between any two.
    package var text: String { map(\.rawValue).joined(separator: " ") }
}

extension String {
    /// The scopes in a text that has a space between any two.
    var scopes: [Scope] { words.map { Scope($0) } }
}
