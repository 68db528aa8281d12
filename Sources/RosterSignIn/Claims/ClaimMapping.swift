import Roster
package import RosterText

/// The claims about a user that an application gets, as on Cloud Access Manager's *Claim Mapping* page.
///
/// Each claim has rules in order: if the user has a role, or always, send the values of a user attribute or a fixed value. The mapping is
/// a JSON object in the settings of the backend:
///
/// ```json
/// {
///   "claims": [
///     {"name": "name", "rules": [{"attribute": "displayName"}]},
///     {"name": "permission", "mode": "UseAllRulesMatched", "rules": [
///       {"role": "Admin", "value": "create"}, {"role": "Users", "value": "read"}]}
///   ],
///   "sendRoleClaim": true,
///   "roleClaimName": "urn:cam/sso/role"
/// }
/// ```
///
/// All fields but a claim's `name` and `rules` are optional. Their names are our own. Without a `roleClaimName` the roles are in the claim
/// `role`, or in Cloud Access Manager's `urn:cam/sso/role` if a claim `role` has rules.
package struct ClaimMapping: Sendable, Hashable {
    /// The choice among a claim's rules.
    package enum RuleMode: String, Sendable, CaseIterable {
        /// The values of all rules that match, in order: "Use all rules matched".
        case allMatched = "UseAllRulesMatched"
        /// The values of the first rule that matches, even if its attribute has none.
        case firstMatch = "UseFirstRuleMatched"
    }

    package struct Rule: Sendable, Hashable {
        package enum Source: Sendable, Hashable {
            case attribute(String)
            case value(String)
        }
        /// The role that the user must have, spelled as the directory has it; nil for all users.
        package let role: String?
        package let source: Source
    }

    package struct Claim: Sendable, Hashable {
        /// The name of the claim, which is not one of ``ClaimMapping/reservedNames``.
        package let name: String
        package let mode: RuleMode
        package let rules: [Rule]
    }

    /// The claims that describe the token itself. They cannot be mapped.
    package static let reservedNames: Set<String> = [
        "iss", "sub", "aud", "exp", "iat", "nbf", "jti", "azp", "client_id", "scope", "nonce", "at_hash", "c_hash",
        "auth_time", "acr", "amr", "cnf", "act", "may_act", "sid",
    ]

    /// The claims in the order in which they are sent.
    package let claims: [Claim]
    /// The claim with the user's roles; nil if it is not sent (`sendRoleClaim`).
    package let roleClaimName: String?

    /// The mapping of backends without their own: the roles in the claim `role`.
    package static let standard = ClaimMapping(claims: [], roleClaimName: "role")

    private init(claims: [Claim], roleClaimName: String?) {
        (self.claims, self.roleClaimName) = (claims, roleClaimName)
    }

    /// Reads the JSON form.
    ///
    /// - Parameter path: The path in a larger document, for errors.
    /// - Throws: `DirectoryError` `invalidInput` with the path of the field that is wrong, unknown or missing, such as
    ///   `claims[1].rules[0].attribute`; also for a claim that is reserved or stands twice.
    package init(_ json: JSONValue, at path: String = "") throws {
        var root = try DocumentObject(json, at: path)
        let claims = try root.array("claims")?.map { try Claim($0.value, at: $0.path) } ?? []
        let sendsRoles = try root.boolean("sendRoleClaim") ?? true
        let usualName = claims.contains { $0.name == "role" } ? "urn:cam/sso/role" : "role"
        let roleClaimName = try root.text("roleClaimName") ?? usualName
        try root.finish()
        try Claim.check(name: roleClaimName, at: root.path(of: "roleClaimName"))
        var seen: Set<String> = sendsRoles ? [roleClaimName] : []
        for (index, claim) in claims.enumerated() where !seen.insert(claim.name).inserted {
            throw DocumentObject.problem(
                root.path(of: "claims[\(index)].name"), "is the name of another claim, or of the one with the roles.",
                "Put the rules in one claim, or change roleClaimName or sendRoleClaim.")
        }
        self.claims = claims
        self.roleClaimName = sendsRoles ? roleClaimName : nil
    }

    /// The JSON form, which reads as the same mapping.
    package var json: JSONValue {
        let claims = claims.map { claim in
            let rules = claim.rules.map { rule in
                var members = rule.role.map { [JSONValue.Member("role", .string($0))] } ?? []
                switch rule.source {
                case .attribute(let name): members.append(.init("attribute", .string(name)))
                case .value(let text): members.append(.init("value", .string(text)))
                }
                return JSONValue.object(members)
            }
            return JSONValue.object([
                .init("name", .string(claim.name)), .init("mode", .string(claim.mode.rawValue)),
                .init("rules", .array(rules)),
            ])
        }
        var members = [
            JSONValue.Member("claims", .array(claims)), .init("sendRoleClaim", .boolean(roleClaimName != nil)),
        ]
        if let roleClaimName { members.append(.init("roleClaimName", .string(roleClaimName))) }
        return .object(members)
    }

    /// The claims about a user, in order. A claim without values is left out, a single value is written alone, and several values as an
    /// array without duplicates. Roles are always an array.
    ///
    /// - Parameter attribute: Returns the values of an attribute of the user. They are sent, so they must not be secrets.
    package func members(
        roles: [String], attribute: (String) throws -> [JSONValue]
    ) rethrows -> [JSONValue.Member] {
        let held = Set(roles)
        var members: [JSONValue.Member] = []
        for claim in claims {
            var rules = claim.rules.filter { rule in rule.role.map(held.contains) ?? true }
            if claim.mode == .firstMatch { rules = Array(rules.prefix(1)) }
            let values = try rules.flatMap { rule -> [JSONValue] in
                switch rule.source {
                case .attribute(let name): try attribute(name).filter { !$0.isNull }
                case .value(let text): [JSONValue.string(text)]
                }
            }.withoutRepetitions
            guard let first = values.first else { continue }
            members.append(.init(claim.name, values.count == 1 ? first : .array(values)))
        }
        if let roleClaimName, !roles.isEmpty {
            members.append(.init(roleClaimName, .array(roles.map { JSONValue.string($0) }.withoutRepetitions)))
        }
        return members
    }
}

extension ClaimMapping.Claim {
    fileprivate init(_ value: JSONValue, at path: String) throws {
        var object = try DocumentObject(value, at: path)
        name = try object.required(object.text("name"), "name")
        try Self.check(name: name, at: object.path(of: "name"))
        mode = try object.choice("mode", ClaimMapping.RuleMode.self) ?? .allMatched
        rules = try object.required(object.array("rules"), "rules").map {
            try ClaimMapping.Rule($0.value, at: $0.path)
        }
        try object.finish()
        guard !rules.isEmpty else {
            throw DocumentObject.problem(object.path(of: "rules"), "is empty.", "Give a rule, or remove the claim.")
        }
    }

    fileprivate static func check(name: String, at path: String) throws {
        guard ClaimMapping.reservedNames.contains(name) else { return }
        throw DocumentObject.problem(
            path, "is \(ShownText.quoted(name)), which says what the token is.", "Choose another name for the claim.")
    }
}

extension ClaimMapping.Rule {
    fileprivate init(_ value: JSONValue, at path: String) throws {
        var object = try DocumentObject(value, at: path)
        role = try object.text("role")
        let attribute = try object.text("attribute")
        let fixed = try object.text("value")
        try object.finish()
        switch (attribute, fixed) {
        case (let attribute?, nil): source = .attribute(attribute)
        case (nil, let fixed?): source = .value(fixed)
        default:
            throw DocumentObject.problem(
                path, "must have either attribute or value.", "Say what is sent: an attribute's values, or a fixed one."
            )
        }
    }
}

extension [JSONValue] {
    fileprivate var withoutRepetitions: [JSONValue] {
        var seen: Set<JSONValue> = []
        return filter { seen.insert($0).inserted }
    }
}
