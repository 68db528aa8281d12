import Roster
import RosterText

/// The rule for calls of an API through a backend: an entry of the setting `apis`.
package struct APIRule: Sendable, Hashable {
    /// `login_required`: whether a user must have signed in. If not, the backend's own token or anonymous key is enough.
    package let requiresLogin: Bool
    /// `roles`: the caller must have one of them. An empty list lets all callers pass.
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

    static func rules(_ value: JSONValue, at path: String) throws -> [String: APIRule] {
        guard case .object(let entries) = value else { throw DocumentObject.mismatch(path, "an object", value) }
        return Dictionary(
            try entries.map { ($0.name, try APIRule($0.value, at: "\(path).\($0.name)")) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Our own APIs that need a signed-in caller for everything.
    static let needingLogin: Set = ["userprofile", "scim", "directory"]

    var json: JSONValue {
        ["login_required": .boolean(requiresLogin), "roles": .texts(roles)]
    }

    /// Whether a caller with these roles may call the API; nil for a caller who has not signed in.
    package func allows(_ roles: [String]?) -> Bool {
        guard let roles else { return !requiresLogin }
        return self.roles.isEmpty || !Set(self.roles).isDisjoint(with: roles)
    }
}

extension OAuthService {
    /// The roles of the caller; nil for a caller who has not signed in.
    private func roles(of identity: Identity) throws -> [String]? {
        // A token that was exchanged for another issuer's token has the roles of that token as well.
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

    /// Whether a caller may call an API, by the rules of the caller's backend, or by the server's rules for callers without a
    /// backend. Without rules, every caller may.
    ///
    /// - Throws: ``AuthenticationFailure`` if the backend was deleted or disabled.
    package func allows(_ api: String, _ identity: Identity) throws -> Bool {
        guard let clientID = identity.clientID else {
            guard let rules = direct.apis else { return true }
            // A program has signed in by its token, and has no roles.
            return try rules[api]?.allows(roles(of: identity) ?? []) ?? false
        }
        guard let backend = try clients.backend(.clientID(clientID)) else { throw AuthenticationFailure.wrong }
        guard let rules = backend.settings.apis else { return true }
        guard let rule = rules[api] else { return false }
        return rule.allows(try roles(of: identity))
    }
}
