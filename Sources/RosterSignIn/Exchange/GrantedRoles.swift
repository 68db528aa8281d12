import RosterWire

/// The roles that a token and its issuer's rules grant.
///
/// A claim among the role attributes grants its text, or each text of its array; a mapping puts other roles in the place
/// of one, and a role that no mapping names stays. A claim that is missing, `null` or empty grants nothing, and then the
/// default roles are granted. A claim of any other form grants nothing either, and as it is not empty, it does not bring
/// the default roles.
struct GrantedRoles {
    /// The names in order, none twice.
    private(set) var names: [String] = []
    /// Where they come from, in words.
    let explanation: String
    private var seen: Set<String> = []

    init(of claims: JSONValue, by issuer: TrustedIssuer) {
        var reasons: [String] = []
        var foundAny = false
        var granted: [String] = []
        for attribute in issuer.roleAttributes {
            let claim = claims.claim(attribute) ?? .null
            let shown = "\(ShownText.quoted(attribute)) is \(claim.isNull ? "missing" : ShownText.value(claim))"
            guard let tokenRoles = Self.tokenRoles(claim) else {
                foundAny = true
                reasons.append("\(shown), which is neither a text nor an array of texts and grants nothing")
                continue
            }
            if !tokenRoles.isEmpty { foundAny = true }
            let roles = tokenRoles.flatMap { Self.mapped($0, issuer.roleMappings) }
            reasons.append("\(shown) and grants \(ShownText.list(roles))")
            granted += roles
        }
        if !foundAny, !issuer.defaultRoles.isEmpty {
            reasons.append(
                "no role attribute gave any, so the defaults are granted: \(ShownText.list(issuer.defaultRoles))")
            granted += issuer.defaultRoles
        }
        if !issuer.issuerRoles.isEmpty {
            reasons.append("every token of the issuer is granted \(ShownText.list(issuer.issuerRoles))")
            granted += issuer.issuerRoles
        }
        explanation = reasons.isEmpty ? "no rule grants any" : reasons.joined(separator: "; ")
        for role in granted where seen.insert(role).inserted { names.append(role) }
    }

    /// The roles that a claim names; nil where it has not the form of roles.
    private static func tokenRoles(_ claim: JSONValue) -> [String]? {
        switch claim {
        case .null: return []
        case .string(let role): return role.isEmpty ? [] : [role]
        case .array(let elements):
            let roles = elements.compactMap(\.text)
            return roles.count == elements.count ? roles.filter { !$0.isEmpty } : nil
        case .object, .integer, .decimal, .boolean: return nil
        }
    }

    private static func mapped(_ role: String, _ mappings: [TrustedIssuer.RoleMapping]) -> [String] {
        let roles = mappings.filter { $0.tokenRole.hasSameBytes(as: role) }.flatMap(\.mappedRoles)
        return roles.isEmpty ? [role] : roles
    }
}
