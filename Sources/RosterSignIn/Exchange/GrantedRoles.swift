import Roster
import RosterText

/// The roles that a token and its issuer's rules grant.
///
/// A claim among the role attributes grants its text, or each text of its array. A mapping replaces a role by others; without a mapping,
/// the role counts as one that only the token names. If all claims are missing, `null` or empty, the default roles are granted. A claim of
/// any other form grants nothing, and no default roles either, because it is not empty.
struct GrantedRoles {
    /// The roles in order, without duplicates.
    let all: [GrantedRole]
    /// The explanation says where the roles come from.
    let explanation: String

    init(of claims: JSONValue, by issuer: TrustedIssuer) {
        var reasons: [String] = []
        var foundAny = false
        var granted: [GrantedRole] = []
        func mapped(_ names: [String]) -> [GrantedRole] { names.map { GrantedRole($0, isMapped: true) } }
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
            let named = roles.filter { !$0.isMapped }.map(\.name)
            reasons.append("\(shown) and grants \(ShownText.list(roles.map(\.name)))")
            if !named.isEmpty {
                reasons.append(
                    "no mapping names \(ShownText.list(named)), which count only where the directory has a role of that "
                        + "very name that does not lead to its administrators")
            }
            granted += roles
        }
        if !foundAny, !issuer.defaultRoles.isEmpty {
            reasons.append(
                "no role attribute gave any, so the defaults are granted: \(ShownText.list(issuer.defaultRoles))")
            granted += mapped(issuer.defaultRoles)
        }
        if !issuer.issuerRoles.isEmpty {
            reasons.append("every token of the issuer is granted \(ShownText.list(issuer.issuerRoles))")
            granted += mapped(issuer.issuerRoles)
        }
        explanation = reasons.isEmpty ? "no rule grants any" : reasons.joined(separator: "; ")
        // A role that both the token and the entry name counts as mapped. Names must match exactly.
        let known = Set(granted.filter(\.isMapped).map { Array($0.name.utf8) })
        var seen: Set<[UInt8]> = []
        all = granted.filter { seen.insert(Array($0.name.utf8)).inserted }.map {
            GrantedRole($0.name, isMapped: known.contains(Array($0.name.utf8)))
        }
    }

    /// The roles that a claim names; nil for a claim that is not a list of roles.
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

    private static func mapped(_ role: String, _ mappings: [TrustedIssuer.RoleMapping]) -> [GrantedRole] {
        let roles = mappings.filter { $0.tokenRole.hasSameBytes(as: role) }.flatMap(\.mappedRoles)
        return roles.isEmpty ? [GrantedRole(role, isMapped: false)] : roles.map { GrantedRole($0, isMapped: true) }
    }
}
