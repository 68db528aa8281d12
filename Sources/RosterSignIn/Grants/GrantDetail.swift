package import Foundation
package import Roster
import RosterText

extension PersonalSignIn {
    /// A sign-in with the authentication methods of a session or a token (RFC 8176); nil without a password. The time of a sign-in
    /// with another provider is not known here.
    package init?(time: Date, amr: [String]) {
        guard amr.contains("pwd") else { return nil }
        self.init(time: time, hasSecondFactor: amr.contains("otp") || amr.contains("kba"))
    }
}

/// The sign-in behind a grant or a session, and the granted rights: the column `detail` of grants and sessions, as JSON. No query reads it.
package struct GrantDetail: Sendable, Hashable, Codable {
    /// The audience of a registered device's handle. It is nobody else, so that the handle is not an access token anywhere.
    static let registrationAudience = "urn:roster:registration"

    package var scopes: [Scope]
    /// The time when the user proved who they are, in seconds since 1970.
    package var authenticationTime: Int64
    /// The authentication methods (RFC 8176), such as `pwd` and `otp`. Our own value `fed` represents a token of another issuer.
    package var amr: [String]
    /// The audiences of the access tokens; empty for this service itself.
    package var audiences: [String] = []
    /// The client that exchanged a token and acts for the user (RFC 8693, section 4.1).
    package var actor: String?
    /// The roles that the issuer of an exchanged token gave a user, in addition to those of the directory. They belong to this grant
    /// only.
    package var roles: [String] = []
    /// The thumbprint of the key that the access tokens are bound to (RFC 9449); nil for bearer tokens.
    var key: String?
    /// The claims that the app asks for by name.
    var claims: ClaimsRequest?
    /// Whether there is a refresh token.
    package var isRefreshable = false
    /// Whether it is a one-time session.
    package var isOneTime = false
    /// The facts about the device that a registration is for; nil for other grants, and for registrations of older versions.
    var device: DeviceProfile?
    /// The ``Device/id`` of the registered device that got the grant; nil for a grant that belongs to no registration.
    var registration: String?
    /// SHA-256 of the part that was added to the cookie of a renewed session.
    var renewal: String?
    /// The time when a session began, in seconds since 1970; nil for grants, and for sessions of older versions.
    var began: Int64?
    /// The `User-Agent` of a session's browser; nil if it is not known.
    var agent: String?

    package init(
        scopes: [Scope] = [], authenticationTime: Int64, amr: [String], audiences: [String] = [],
        isRefreshable: Bool = false
    ) {
        (self.scopes, self.authenticationTime, self.amr) = (scopes, authenticationTime, amr)
        (self.audiences, self.isRefreshable) = (audiences, isRefreshable)
    }

    init(_ text: String) throws {
        let json = try JSONValue(text: text)
        func texts(_ name: String) -> [String] { json[name]?.texts ?? [] }
        scopes = texts("scope").map { Scope($0) }
        amr = texts("amr")
        audiences = texts("aud")
        roles = texts("roles")
        actor = json["act"]?.text
        renewal = json["renewal"]?.text
        if case .integer(let time)? = json["began"] { began = time }
        agent = json["agent"]?.text
        registration = json["registration"]?.text
        key = json["jkt"]?.text
        claims = ClaimsRequest(stored: json["claims"])
        device = json["device"].flatMap { try? DeviceProfile($0) }
        isRefreshable = json["refresh"] == true
        isOneTime = json["one_time"] == true
        guard case .integer(let time)? = json["auth_time"] else {
            throw DirectoryError(.damaged, "A grant cannot be read.", advice: "Sign in again.")
        }
        authenticationTime = time
    }

    /// The facts about the device; nil for a grant that is not the registration of a device.
    var registered: DeviceProfile? { audiences == [Self.registrationAudience] ? device ?? DeviceProfile() : nil }

    var text: String {
        var members: [JSONValue.Member] = [
            .init("scope", .texts(scopes.map(\.rawValue))), .init("auth_time", .integer(authenticationTime)),
            .init("amr", .texts(amr)),
        ]
        if !audiences.isEmpty { members.append(.init("aud", .texts(audiences))) }
        if !roles.isEmpty { members.append(.init("roles", .texts(roles))) }
        if let actor { members.append(.init("act", .string(actor))) }
        if isOneTime { members.append(.init("one_time", true)) }
        if let renewal { members.append(.init("renewal", .string(renewal))) }
        if let began { members.append(.init("began", .integer(began))) }
        if let agent { members.append(.init("agent", .string(agent))) }
        if let registration { members.append(.init("registration", .string(registration))) }
        if let key { members.append(.init("jkt", .string(key))) }
        if let claims { members.append(.init("claims", claims.stored)) }
        if let device { members.append(.init("device", .object(device.members.filter { !$0.value.isNull }))) }
        if isRefreshable { members.append(.init("refresh", true)) }
        return JSONValue.object(members).written
    }
}
