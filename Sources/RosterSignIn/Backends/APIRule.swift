import Roster
import RosterText

/// The name of an API, for the rules about its callers. The interfaces of the directory are constants.
public struct APIName: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name.
    public let rawValue: String

    /// Makes the name of an API.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Makes the name of an API.
    public init(_ name: String) { rawValue = name }
    /// Makes the name of an API from a literal.
    public init(stringLiteral value: String) { rawValue = value }

    /// The name.
    public var description: String { rawValue }

    /// The profile service: users, roles and reporting lines as the mobile SDK reads them.
    public static let userProfile = APIName("userprofile")
    /// SCIM 2.0.
    public static let scim = APIName("scim")
    /// The interfaces of the mobile cloud: the caller's own profile, second factor and consents.
    public static let mobile = APIName("mobile")
    /// All other interfaces of the directory, such as the change feed and the administration.
    public static let directory = APIName("directory")

    /// The service's own APIs that need a signed-in caller for everything.
    static let needingLogin: Set<APIName> = [.userProfile, .scim, .directory]
}

/// The rule for callers of an API.
public struct APIRule: Sendable, Hashable {
    /// Whether a user must have signed in (the default). If not, the backend's own token or anonymous key is enough. The JSON name
    /// is `login_required`.
    public var requiresLogin: Bool
    /// The names of roles of which a caller must have one. An empty list, the default, lets all callers pass. The JSON name is
    /// `roles`.
    public var roles: [String]
    /// Whether users who come with the token of a social provider may call the API; true by default. The JSON name is `social_login`.
    public var allowsSocialLogin: Bool

    /// Makes a rule. A rule that names roles must require a login.
    public init(requiresLogin: Bool = true, roles: [String] = [], allowsSocialLogin: Bool = true) {
        (self.requiresLogin, self.roles, self.allowsSocialLogin) = (requiresLogin, roles, allowsSocialLogin)
    }

    init(_ value: JSONValue, at path: String) throws {
        var members = try DocumentObject(value, at: path)
        roles = try members.texts("roles") ?? []
        requiresLogin = try members.boolean("login_required") ?? true
        allowsSocialLogin = try members.boolean("social_login") ?? true
        try members.finish()
    }

    static func rules(_ value: JSONValue, at path: String) throws -> [APIName: APIRule] {
        guard case .object(let entries) = value else { throw DocumentObject.mismatch(path, "an object", value) }
        return Dictionary(
            try entries.map { (APIName($0.name), try APIRule($0.value, at: "\(path).\($0.name)")) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Refuses a rule that no caller can fulfil.
    func check(at path: String) throws {
        guard requiresLogin || roles.isEmpty else {
            throw DocumentObject.problem(
                path, "names roles but requires no login.", "Leave out login_required or roles.")
        }
    }

    var json: JSONValue {
        var json: JSONValue = ["login_required": .boolean(requiresLogin), "roles": .texts(roles)]
        if !allowsSocialLogin { json["social_login"] = false }
        return json
    }

    /// Whether a caller with these roles may call the API; nil for a caller who has not signed in.
    package func allows(_ roles: [String]?) -> Bool {
        guard let roles else { return !requiresLogin }
        return self.roles.isEmpty || !Set(self.roles).isDisjoint(with: roles)
    }
}

extension [APIName: APIRule] {
    /// The rules by the names of their APIs, so that errors and JSON have one order.
    var sortedByName: [(name: APIName, rule: APIRule)] {
        sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key, $0.value) }
    }
}
