import Roster
import RosterText

/// Who may call an API by way of a backend: an entry of its `apis`.
package struct APIRule: Sendable, Hashable {
    /// `login_required`: whether somebody must have signed in; else the backend itself, or its anonymous key, will do.
    package let requiresLogin: Bool
    /// `roles`: one of which whoever calls must have; any will do where there are none.
    package let roles: [String]

    init(_ value: JSONValue, at path: String) throws {
        var members = try DocumentObject(value, at: path)
        roles = try members.texts("roles") ?? []
        requiresLogin = try members.boolean("login_required") ?? true
        try members.finish()
        guard requiresLogin || roles.isEmpty else {
            throw DocumentObject.problem(path, "asks for roles of nobody.", "Leave out login_required or roles.")
        }
    }

    /// Reads rules by the names of the APIs that they are for.
    static func rules(_ value: JSONValue, at path: String) throws -> [String: APIRule] {
        guard case .object(let entries) = value else { throw DocumentObject.mismatch(path, "an object", value) }
        return Dictionary(
            try entries.map { ($0.name, try APIRule($0.value, at: "\(path).\($0.name)")) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Our own APIs in which somebody who has not signed in may read and change nothing.
    static let needingLogin: Set = ["userprofile", "scim", "directory"]

    var json: JSONValue {
        ["login_required": .boolean(requiresLogin), "roles": .texts(roles)]
    }

    /// Whether somebody may call: with these roles, or nil for nobody who has signed in.
    package func allows(_ roles: [String]?) -> Bool {
        guard let roles else { return !requiresLogin }
        return self.roles.isEmpty || !Set(self.roles).isDisjoint(with: roles)
    }
}

extension OAuthService {
    /// The roles of whoever calls; nil where nobody has signed in.
    private func roles(of identity: Identity) throws -> [String]? {
        // What was made of another issuer's token has the roles that came with it.
        if let text = identity.token, let (token, _) = try check(text), case .holder = token.subject {
            return try person(of: token)?.roles ?? []
        }
        switch identity.caller {
        case .user(let id): return try Person(.user(id), in: directory)?.roles ?? []
        case .virtualUser(let issuer, let subject):
            let user = try directory.virtualUser(issuer: issuer, subject: subject)
            return try user.flatMap { try Person(.virtualUser($0.id), in: directory) }?.roles ?? []
        case .administrator, .provisioning, .monitoring, .nobody: return nil
        }
    }

    /// Whether somebody may call an API: by the rules of the backend by way of which they come, or by the server's own where
    /// they come by none. Where there are no rules, everybody may.
    ///
    /// - Throws: ``AuthenticationFailure`` where there is no such backend any more.
    package func allows(_ api: String, _ identity: Identity) throws -> Bool {
        guard let clientID = identity.clientID else {
            guard let rules = direct.apis else { return true }
            // The token of a program has proved whose it is, and has no roles.
            return try rules[api]?.allows(roles(of: identity) ?? []) ?? false
        }
        guard let backend = try clients.backend(.clientID(clientID)) else { throw AuthenticationFailure.wrong }
        guard let rules = backend.settings.apis else { return true }
        guard let rule = rules[api] else { return false }
        return rule.allows(try roles(of: identity))
    }
}
