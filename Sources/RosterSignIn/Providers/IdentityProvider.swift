import Foundation
import Roster
import RosterOpenID
package import RosterText

/// An identity provider that users sign in with by OpenID Connect: an entry of Couchbase Sync Gateway's `oidc.providers`.
package struct IdentityProvider: Sendable, Hashable {
    package let name: String
    /// `issuer`: the issuer that its tokens must name.
    package let issuer: String
    /// `client_id`: the client id of this service there.
    package let clientID: String
    /// `validation_key`: the client's secret; nil for a public client.
    package let secret: String?
    /// `signing_method`: whether its id tokens are signed with the secret (HS256) and not with its published keys.
    package let isSignedWithSecret: Bool
    /// `callback_url`: the address to which it sends browsers back; nil for our own address.
    package let callbackURL: String?
    /// `register`: whether a user who comes for the first time gets an account.
    package let registers: Bool
    /// `disable_session`: whether there are only tokens and no sessions.
    package let isSessionless: Bool
    /// `scope`: the scopes that are asked for.
    package let scopes: [String]
    /// `include_access`: whether the app gets the provider's access token.
    package let includesAccessToken: Bool
    /// `user_prefix`: the text before the subject in the names of users.
    private let prefix: String?
    /// `discovery_url`: the address of its discovery document; nil for that of the standard.
    private let discovery: String?
    /// `disable_callback_state`: whether a browser may come back without the cookie of its visit.
    package let needsNoCookie: Bool
    /// `username_claim`: the claim that names users; nil for names that are made of the subject.
    private let usernameClaim: String?
    /// `roles_claim`: the claim with the user's roles.
    private let rolesClaim: String?

    /// Reads an entry.
    init(_ value: JSONValue, named name: String, at path: String, notes: inout [String]) throws {
        var object = try DocumentObject(value, at: path)
        self.name = name
        let issuer = try object.required(try Self.url("issuer", of: &object), "issuer")
        self.issuer = issuer
        clientID = try object.required(try object.text("client_id"), "client_id")
        secret = try object.text("validation_key")
        let signing = try object.text("signing_method")
        isSignedWithSecret = signing == "HS256"
        if isSignedWithSecret, (secret?.utf8.count ?? 0) < 32 {
            throw DocumentObject.problem(
                object.path(of: "validation_key"), "is too short to sign tokens.",
                "HS256 takes a secret of 32 bytes or more (RFC 7518, section 3.2). Better use the provider's keys.")
        }
        callbackURL = try Self.url("callback_url", of: &object)
        registers = try object.boolean("register") ?? false
        isSessionless = try object.boolean("disable_session") ?? false
        let scopes = try object.texts("scope") ?? ["openid", "email"]
        self.scopes = scopes.contains("openid") ? scopes : ["openid"] + scopes
        includesAccessToken = try object.boolean("include_access") ?? false
        prefix = try object.text("user_prefix")
        discovery = try Self.url("discovery_url", of: &object)
        needsNoCookie = try object.boolean("disable_callback_state") ?? false
        usernameClaim = try object.text("username_claim")
        rolesClaim = try object.text("roles_claim")
        _ = try object.boolean("is_default")  // read by the document
        for name in ["channels_claim", "disable_cfg_validation"] where object.value(name) != nil {
            notes.append("\(object.path(of: name)) changes nothing here.")
        }
        if try object.boolean("allow_unsigned_provider_tokens") == true {
            throw DocumentObject.problem(
                object.path(of: "allow_unsigned_provider_tokens"), "would let anybody in as anybody.", "Leave it out.")
        }
        try object.finish()
        for path in [issuer, discovery ?? issuer] where path.hasPrefix("http:") && !Loopback.contains(hostOf: path) {
            throw DocumentObject.problem(
                object.path(of: "issuer"), "is an http URL, and anybody on the way could sign in as anybody.",
                "Use https; http is accepted for a provider on this machine.")
        }
        if needsNoCookie {
            notes.append("\(object.path(of: "disable_callback_state")): a link can sign people in as somebody else.")
        }
    }

    private static func url(_ name: String, of object: inout DocumentObject) throws -> String? {
        guard let text = try object.text(name) else { return nil }
        guard let url = URL(string: text), let scheme = url.scheme, ["https", "http"].contains(scheme),
            url.host() != nil, url.user == nil, url.fragment == nil
        else {
            throw DocumentObject.problem(
                object.path(of: name), "is not an address.", "Give an absolute https URL without user name or fragment."
            )
        }
        return text
    }

    /// Whether the provider is on this machine, where no TLS is needed.
    var isLocal: Bool { Loopback.contains(hostOf: issuer) }

    /// The address of its discovery document (OpenID Connect Discovery, section 4).
    package var discoveryURL: String {
        discovery ?? ProviderMetadata.discoveryURL(of: issuer)
    }

    // MARK: Users

    /// The name of a user here: Sync Gateway's `{prefix}_{subject}`, or the claim that the document names. It is certain if it is made
    /// of issuer and subject, which nobody can choose. nil for a token without the claim, or with a mail address that was not
    /// verified.
    package func userName(_ claims: JSONValue) -> (text: String, isCertain: Bool)? {
        guard let claim = usernameClaim else {
            guard let subject = claims["sub"]?.text else { return nil }
            return ((prefix ?? Self.escaped(ownPrefix)) + "_" + Self.escaped(subject), true)
        }
        guard let value = claims.claim(claim)?.text, !value.isEmpty else { return nil }
        // In another claim, an address is refused only if the provider says that it was not verified.
        let verified = claims["email_verified"]
        let isMail = claims["email"]?.text?.hasSameBytes(as: value) == true
        if claim == "email" ? verified != true : isMail && verified != nil && verified != true { return nil }
        return (prefix.map { $0 + "_" + Self.escaped(value) } ?? Self.escaped(value), false)
    }

    private var ownPrefix: String {
        guard let url = URLComponents(string: issuer), let host = url.host else { return issuer }
        return host + (url.port.map { ":\($0)" } ?? "") + url.path
    }

    /// The text as Go's `url.QueryEscape` writes it, which Sync Gateway makes its names with.
    private static func escaped(_ text: String) -> String { PercentEncoding.text(text).replacing("%20", with: "+") }

    /// The roles that a token names, by a text or a list of texts. A role counts while the directory has a role with exactly this
    /// name.
    package func roles(_ claims: JSONValue) -> [String] {
        guard let value = rolesClaim.flatMap({ claims.claim($0) }) else { return [] }
        var seen: Set<String> = []
        return (value.texts).filter {
            !$0.isEmpty && $0.utf8.count <= 1_024 && seen.insert($0).inserted
        }.prefix(1_000).map { $0 }
    }
}
