package import Foundation
package import Roster
import RosterText

extension PersonalSignIn {
    /// A sign-in by the means that a session or a token names (RFC 8176); nil where no password was given here. When a
    /// user signed in with another provider, or before a token was exchanged, is not known here.
    package init?(time: Date, means: [String]) {
        guard means.contains("pwd") else { return nil }
        self.init(time: time, hasSecondFactor: means.contains("otp") || means.contains("kba"))
    }
}

/// What a grant remembers of how it came to be.
package struct GrantDetail: Sendable, Hashable {
    /// What was granted.
    package var scopes: [String]
    /// When the user proved who they are, in seconds since 1970.
    package var authenticationTime: Int64
    /// How (RFC 8176): `pwd`, `otp`, and for somebody else's token `fed`, which is ours.
    package var means: [String]
    /// For whom the access tokens are; none for this service itself.
    package var audiences: [String] = []
    /// Who acts for the user (RFC 8693, section 4.1): the client that exchanged a token.
    package var actor: String?
    /// Roles that the issuer of the token that was exchanged gave a user, besides those of the directory. Nothing else that
    /// the user signs in to has them.
    package var roles: [String] = []
    /// Whether there is a refresh token.
    package var isRefreshable = false
    /// Whether it is a session that ends with its first use.
    package var isOneTime = false
    /// SHA-256 of what the cookie of a renewed session holds besides what it began with.
    var renewal: String?

    package init(scopes: [String], authenticationTime: Int64, means: [String]) {
        self.scopes = scopes
        self.authenticationTime = authenticationTime
        self.means = means
    }

    /// Reads what ``text`` wrote.
    init(_ text: String) throws {
        let json = try JSONValue(strictly: Array(text.utf8))
        func texts(_ name: String) -> [String] { json[name]?.elements.compactMap(\.text) ?? [] }
        scopes = texts("scope")
        means = texts("amr")
        audiences = texts("aud")
        roles = texts("roles")
        actor = json["act"]?.text
        renewal = json["renewal"]?.text
        isRefreshable = json["refresh"] == true
        isOneTime = json["one_time"] == true
        guard case .integer(let time)? = json["auth_time"] else {
            throw DirectoryError(.damaged, "A grant cannot be read.", advice: "Sign in again.")
        }
        authenticationTime = time
    }

    /// As the directory keeps it.
    var text: String {
        var members: [JSONValue.Member] = [
            .init("scope", .array(scopes.map { .string($0) })), .init("auth_time", .integer(authenticationTime)),
            .init("amr", .array(means.map { .string($0) })),
        ]
        if !audiences.isEmpty { members.append(.init("aud", .array(audiences.map { .string($0) }))) }
        if !roles.isEmpty { members.append(.init("roles", .array(roles.map { .string($0) }))) }
        if let actor { members.append(.init("act", .string(actor))) }
        if isOneTime { members.append(.init("one_time", true)) }
        if let renewal { members.append(.init("renewal", .string(renewal))) }
        if isRefreshable { members.append(.init("refresh", true)) }
        return String(decoding: JSONValue.object(members).bytes, as: UTF8.self)
    }
}
